// The driver's virtual memory, asked for by its functions' names: a build with CUDA links the runtime, not libcuda.

#include <type_traits>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <negzero/device/addresses.hpp>

namespace negzero::device {

namespace {

struct VirtualMemory {
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) free = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  decltype(&cuDeviceGetAttribute) attribute = nullptr;
  bool is_there = false;

  VirtualMemory() {
    // The runtime has loaded it: this only finds it.
    void* const opened = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) return;
    const auto find = [opened](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, symbol));
      return function != nullptr;
    };
    is_there = find(granularity, "cuMemGetAllocationGranularity") && find(reserve, "cuMemAddressReserve") &&
               find(free, "cuMemAddressFree") && find(create, "cuMemCreate") && find(release, "cuMemRelease") &&
               find(map, "cuMemMap") && find(unmap, "cuMemUnmap") && find(set_access, "cuMemSetAccess") &&
               find(attribute, "cuDeviceGetAttribute");
  }
  [[nodiscard]] bool is_on(int gpu) const {
    int has = 0;
    return is_there && attribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, gpu) == CUDA_SUCCESS &&
           has != 0;
  }
};

const VirtualMemory& driver() {
  static const VirtualMemory loaded;
  return loaded;
}

/// Errors of the driver have the numbers of the runtime's.
Answer answer(CUresult result) { return {static_cast<int>(result)}; }

CUmemAllocationProp memory_of(int gpu) {
  CUmemAllocationProp memory{};
  memory.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory.location = {};
  memory.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  memory.location.id = gpu;
  return memory;
}

}  // namespace

static_assert(kNotSupported == static_cast<int>(cudaErrorNotSupported));
static_assert(kNotSupported == static_cast<int>(CUDA_ERROR_NOT_SUPPORTED));

Addresses::~Addresses() {
  unmap();
  if (begin_ != 0) (void)driver().free(begin_, size_bytes_);
}

Answer Addresses::reserve(std::size_t size_bytes) {
  if (begin_ != 0) return {};
  if (const cudaError_t error = cudaGetDevice(&gpu_); error != cudaSuccess) return {static_cast<int>(error)};
  if (!driver().is_on(gpu_)) return {kNotSupported};
  const CUmemAllocationProp memory = memory_of(gpu_);
  CUresult result = driver().granularity(&page_bytes_, &memory, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  if (result != CUDA_SUCCESS) return answer(result);
  CUdeviceptr begin = 0;
  size_bytes_ = (size_bytes + page_bytes_ - 1) / page_bytes_ * page_bytes_;
  result = driver().reserve(&begin, size_bytes_, page_bytes_, 0, 0);
  if (result == CUDA_SUCCESS) begin_ = begin;
  return answer(result);
}

Answer Addresses::map(std::size_t begin, std::size_t end) {
  const CUmemAllocationProp memory = memory_of(gpu_);
  CUmemGenericAllocationHandle handle = 0;
  const std::size_t size_bytes = end - begin;
  CUresult result = driver().create(&handle, size_bytes, &memory, 0);
  if (result != CUDA_SUCCESS) return answer(result);
  result = driver().map(begin_ + begin, size_bytes, 0, handle, 0);
  if (result != CUDA_SUCCESS) {
    (void)driver().release(handle);
    return answer(result);
  }
  mapped_.push_back({begin, size_bytes, handle});
  CUmemAccessDesc access{};
  access.location = memory.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return answer(driver().set_access(begin_ + begin, size_bytes, &access, 1));
}

void Addresses::unmap() noexcept {
  for (const Mapped& each : mapped_) {
    (void)driver().unmap(begin_ + each.begin, each.size_bytes);
    (void)driver().release(each.memory);
  }
  mapped_.clear();
}

}  // namespace negzero::device

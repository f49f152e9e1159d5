// libcuda.so.1 by the functions that say which GPUs there are: names and numbers are those of the CUDA Driver API.

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <dlfcn.h>

#include <negzero/device/driver.hpp>

namespace negzero::device {

namespace {

using Result = int;  // CUresult; 0 is CUDA_SUCCESS
using Device = int;  // CUdevice
using Context = void*;
// CUdevice_attribute
constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76;

struct Driver {
  Result (*init)(unsigned) = nullptr;
  Result (*version)(int*) = nullptr;
  Result (*count)(int*) = nullptr;
  Result (*device)(Device*, int) = nullptr;
  Result (*name)(char*, int, Device) = nullptr;
  Result (*attribute)(int*, int, Device) = nullptr;
  Result (*retain)(Context*, Device) = nullptr;
  Result (*set_current)(Context) = nullptr;
  Result (*memory)(std::size_t*, std::size_t*) = nullptr;
  Result (*error_name)(Result, const char**) = nullptr;

  /// Loads it; it stays until the process ends.
  [[nodiscard]] bool load() {
    void* const opened = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) return false;
    const auto find = [opened](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, symbol));
      return function != nullptr;
    };
    return find(init, "cuInit") && find(version, "cuDriverGetVersion") && find(count, "cuDeviceGetCount") &&
           find(device, "cuDeviceGet") && find(name, "cuDeviceGetName") && find(attribute, "cuDeviceGetAttribute") &&
           find(retain, "cuDevicePrimaryCtxRetain") && find(set_current, "cuCtxSetCurrent") &&
           find(memory, "cuMemGetInfo_v2") && find(error_name, "cuGetErrorName");
  }

  /// What is known of a GPU. A context must be made there, or nothing can run on it.
  [[nodiscard]] Gpu gpu(int number) const {
    Gpu found{.number = number};
    Device here = 0;
    Context context = nullptr;
    char text[256] = "";
    Result result = device(&here, number);
    if (result == 0) result = name(text, sizeof text - 1, here);
    for (const auto& [to, which] :
         {std::pair{&found.multiprocessors, kMultiprocessors}, {&found.major, kMajor}, {&found.minor, kMinor}}) {
      if (result == 0) result = attribute(to, which, here);
    }
    if (result == 0) result = retain(&context, here);
    if (result == 0) result = set_current(context);
    std::size_t free = 0, total = 0;
    if (result == 0) result = memory(&free, &total);
    found.name = text;
    found.memory_bytes = total;
    found.free_bytes = free;
    if (result != 0) {
      const char* word = nullptr;
      const bool is_known = error_name(result, &word) == 0 && word != nullptr;
      found.trouble = "CUDA error " + std::to_string(result) + (is_known ? std::string(" (") + word + ")" : "");
    }
    return found;
  }
};

}  // namespace

bool ask_driver(Probe& probe) {
  Driver driver;
  int count = 0;
  if (!driver.load() || driver.init(0) != 0 || driver.count(&count) != 0) return false;
  (void)driver.version(&probe.driver_version);
  bool any = false;
  for (int number = 0; number < count; ++number) {
    probe.gpus.push_back(driver.gpu(number));
    any = any || probe.gpus.back().trouble.empty();
  }
  return any;
}

}  // namespace negzero::device

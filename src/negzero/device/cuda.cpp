// The device module of a build with CUDA: the only calls of the CUDA runtime outside kernel files.

#include <cuda_runtime_api.h>

#include <negzero/device/probe_here.hpp>
#include <negzero/device/stream.hpp>

namespace negzero::device {

namespace {

/// The answer to a call. An error that does not end the process is taken out of the runtime's memory, or the next
/// launch would be blamed for it.
Answer answer(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) (void)cudaGetLastError();
  return {static_cast<int>(error)};
}

cudaStream_t stream_of(void* handle) { return static_cast<cudaStream_t>(handle); }

/// Why a GPU that is there cannot be used, or nothing.
std::string trouble_of(int number, Gpu& gpu) {
  cudaError_t error = cudaSetDevice(number);
  std::size_t free = 0, total = 0;
  if (error == cudaSuccess) error = cudaMemGetInfo(&free, &total);
  gpu.free_bytes = free;
  if (error == cudaSuccess) return "";
  (void)cudaGetLastError();
  return describe(static_cast<int>(error));
}

}  // namespace

const bool kHasCuda = true;

std::string describe(int code) {
  return "CUDA error " + std::to_string(code) + " (" + cudaGetErrorString(static_cast<cudaError_t>(code)) + ")";
}

Probe probe_here() {
  Probe probe{.has_cuda = true};
  (void)cudaRuntimeGetVersion(&probe.runtime_version);
  (void)cudaDriverGetVersion(&probe.driver_version);
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (probe.driver_version == 0) {
    probe.why_not = "no NVIDIA driver is loaded (libcuda.so.1 is not there or does not answer)";
    probe.cure = "run on a machine with an NVIDIA GPU and its driver; in a container, start it with --gpus all";
    return probe;
  }
  if (error == cudaErrorInsufficientDriver) {
    probe.why_not = "the NVIDIA driver supports CUDA " + version_text(probe.driver_version) +
                    ", this program needs CUDA " + version_text(probe.runtime_version);
    probe.cure = "update the driver, or build with the CUDA toolkit that the driver supports";
    return probe;
  }
  if (error != cudaSuccess || count == 0) {
    probe.why_not = error == cudaSuccess ? "the driver shows no GPU" : describe(static_cast<int>(error));
    probe.cure = "see whether nvidia-smi lists a GPU and CUDA_VISIBLE_DEVICES does not hide it";
    return probe;
  }
  bool any = false;
  for (int number = 0; number < count; ++number) {
    Gpu gpu{.number = number};
    cudaDeviceProp about{};
    if (cudaGetDeviceProperties(&about, number) == cudaSuccess) {
      gpu.name = about.name;
      gpu.major = about.major;
      gpu.minor = about.minor;
      gpu.multiprocessors = about.multiProcessorCount;
      gpu.memory_bytes = about.totalGlobalMem;
    }
    gpu.trouble = trouble_of(number, gpu);
    any = any || gpu.trouble.empty();
    probe.gpus.push_back(std::move(gpu));
  }
  if (!any) {
    probe.why_not = "no GPU can be used: GPU 0 answers " + probe.gpus.front().trouble;
    probe.cure = "see nvidia-smi for other users of the GPU, its compute mode and its errors";
  }
  return probe;
}

base::Error error_of(Answer given, const char* what) {
  return base::infrastructure_error(std::string(what) + ": " + describe(given.code));
}

base::Status use_gpu(int number) {
  cudaError_t error = cudaSetDevice(number);
  // Makes the context now, so that a GPU which cannot be used is noticed here and not by the first case.
  if (error == cudaSuccess) error = cudaFree(nullptr);
  if (error == cudaSuccess) return base::Ok{};
  return error_of(answer(error), ("GPU " + std::to_string(number)).c_str());
}

Answer select_gpu(int number) noexcept { return answer(cudaSetDevice(number)); }

std::size_t gpu_memory_bytes() noexcept {
  std::size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? total : 0;
}

template <bool kOnDevice>
Answer Buffer<kOnDevice>::reserve(std::size_t size_bytes) {
  if (size_bytes <= size_) return {};
  release();
  void* memory = nullptr;
  const cudaError_t error = kOnDevice ? cudaMalloc(&memory, size_bytes) : cudaMallocHost(&memory, size_bytes);
  if (error != cudaSuccess) return answer(error);
  data_ = static_cast<std::byte*>(memory);
  size_ = size_bytes;
  return {};
}

template <bool kOnDevice>
void Buffer<kOnDevice>::release() noexcept {
  if (data_ != nullptr) (void)(kOnDevice ? cudaFree(data_) : cudaFreeHost(data_));
  data_ = nullptr;
  size_ = 0;
}

template class Buffer<true>;
template class Buffer<false>;

Pinned::Pinned(std::span<std::byte> h_memory) {
  const cudaError_t error = cudaHostRegister(h_memory.data(), h_memory.size(), cudaHostRegisterDefault);
  if (answer(error).ok()) data_ = h_memory.data();
}

Pinned::~Pinned() {
  if (data_ != nullptr) (void)cudaHostUnregister(data_);
}

base::Result<Stream> Stream::make() {
  Stream result;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  result.stream_ = stream;
  if (error == cudaSuccess) error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  result.event_ = event;
  if (error != cudaSuccess) return error_of(answer(error), "making a CUDA stream");
  return result;
}

Stream::Stream(Stream&& other) noexcept
    : stream_(std::exchange(other.stream_, nullptr)), event_(std::exchange(other.event_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(stream_, other.stream_);
  std::swap(event_, other.event_);
  return *this;
}

Stream::~Stream() {
  if (event_ != nullptr) (void)cudaEventDestroy(static_cast<cudaEvent_t>(event_));
  if (stream_ != nullptr) (void)cudaStreamDestroy(stream_of(stream_));
}

Answer Stream::copy_to_device(std::byte* d_to, const std::byte* h_from, std::size_t size_bytes) {
  return answer(cudaMemcpyAsync(d_to, h_from, size_bytes, cudaMemcpyHostToDevice, stream_of(stream_)));
}

Answer Stream::copy_to_host(std::byte* h_to, const std::byte* d_from, std::size_t size_bytes) {
  return answer(cudaMemcpyAsync(h_to, d_from, size_bytes, cudaMemcpyDeviceToHost, stream_of(stream_)));
}

Answer Stream::copy_on_device(std::byte* d_to, const std::byte* d_from, std::size_t size_bytes) {
  return answer(cudaMemcpyAsync(d_to, d_from, size_bytes, cudaMemcpyDeviceToDevice, stream_of(stream_)));
}

Answer Stream::wait_for(Stream& other) {
  const auto event = static_cast<cudaEvent_t>(other.event_);
  const cudaError_t error = cudaEventRecord(event, stream_of(other.stream_));
  return answer(error != cudaSuccess ? error : cudaStreamWaitEvent(stream_of(stream_), event, 0));
}

Answer Stream::mark_end() { return answer(cudaEventRecord(static_cast<cudaEvent_t>(event_), stream_of(stream_))); }

Answer Stream::is_done(bool& done) {
  const cudaError_t error = cudaEventQuery(static_cast<cudaEvent_t>(event_));
  done = error != cudaErrorNotReady;
  return done ? answer(error) : Answer{};
}

}  // namespace negzero::device

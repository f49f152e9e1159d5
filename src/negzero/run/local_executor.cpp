// Runs kernels in this process: for tests, debuggers and fuzzers. What a kernel does to its process it does to this
// one.

#include <algorithm>
#include <new>
#include <utility>

#include <sys/mman.h>

#include <negzero/run/local_executor.hpp>
#include <negzero/worker/host_launcher.hpp>

namespace negzero::run {

LocalExecutor::LocalExecutor(std::unique_ptr<worker::Launcher> launcher, kernel::Place place)
    : launcher_(std::move(launcher)), place_(place) {}

LocalExecutor::~LocalExecutor() { release(); }

void LocalExecutor::release() {
  launcher_->use_memory({});
  if (memory_ != nullptr) ::munmap(std::exchange(memory_, nullptr), std::exchange(size_bytes_, 0));
}

std::byte* LocalExecutor::memory(std::size_t size_bytes) {
  if (size_bytes <= size_bytes_) return memory_;
  release();
  const std::size_t size = std::max(size_bytes, std::size_t{1} << 20);
  void* const made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(made);
  size_bytes_ = size;
  launcher_->use_memory({memory_, size_bytes_});
  return memory_;
}

LocalExecutor::Launched LocalExecutor::launch(std::span<const protocol::LaunchPlan> plans,
                                              const kernel::Kernel& kernel) {
  return {.outcomes = launcher_->launch(plans, kernel, memory_)};
}

HostExecutor::HostExecutor() : LocalExecutor(std::make_unique<worker::HostLauncher>(), kernel::Place::Host) {}

base::Result<std::unique_ptr<Executor>> CudaExecutor::make(const worker::CudaOptions& options) {
  auto launcher = worker::CudaLauncher::make(options);
  if (!launcher) return launcher.error();
  return std::unique_ptr<Executor>(new CudaExecutor(std::move(*launcher), kernel::Place::Device));
}

base::Result<std::unique_ptr<Executor>> local_executor(kernel::Place place, int gpu) {
  if (place == kernel::Place::Device) return CudaExecutor::make({.gpu = gpu});
  return std::unique_ptr<Executor>(std::make_unique<HostExecutor>());
}

}  // namespace negzero::run

// Runs kernels in this process: for tests, debuggers and fuzzers. What a kernel does to its process it does to this
// one.

#pragma once

#include <memory>

#include <negzero/base/result.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/worker/cuda_launcher.hpp>
#include <negzero/worker/launcher.hpp>

namespace negzero::run {

class LocalExecutor : public Executor {
 public:
  LocalExecutor(std::unique_ptr<worker::Launcher> launcher, kernel::Place place);
  ~LocalExecutor() override;
  LocalExecutor(const LocalExecutor&) = delete;
  LocalExecutor& operator=(const LocalExecutor&) = delete;
  [[nodiscard]] kernel::Place place() const noexcept override { return place_; }

 protected:
  [[nodiscard]] std::byte* memory(std::size_t size_bytes) override;
  [[nodiscard]] Launched launch(std::span<const protocol::LaunchPlan> plans, const kernel::Kernel& kernel) override;

 private:
  void release();

  std::unique_ptr<worker::Launcher> launcher_;
  kernel::Place place_;
  std::byte* memory_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// On the engine, plain or watched.
class HostExecutor final : public LocalExecutor {
 public:
  HostExecutor();
};

/// On a GPU. Errors are those of worker::CudaLauncher::make().
class CudaExecutor final : public LocalExecutor {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Executor>> make(const worker::CudaOptions& options);

 private:
  using LocalExecutor::LocalExecutor;
};

/// Returns an executor of this process for that place; `gpu` is the number of a device. Errors are those of
/// worker::CudaLauncher::make().
[[nodiscard]] base::Result<std::unique_ptr<Executor>> local_executor(kernel::Place place, int gpu);

}  // namespace negzero::run

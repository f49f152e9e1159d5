// Runs kernels in this process: for tests, debuggers and fuzzers. What a kernel does to its process it does to this
// one.

#pragma once

#include <memory>

#include <negzero/base/result.hpp>
#include <negzero/run/cuda_launcher.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/run/launcher.hpp>

namespace negzero::run {

class LocalExecutor : public Executor {
 public:
  LocalExecutor(std::unique_ptr<Launcher> launcher, kernel::Executor kind);
  ~LocalExecutor() override;
  LocalExecutor(const LocalExecutor&) = delete;
  LocalExecutor& operator=(const LocalExecutor&) = delete;
  [[nodiscard]] kernel::Executor kind() const noexcept override { return kind_; }

 protected:
  [[nodiscard]] std::byte* memory(std::size_t size_bytes) override;
  [[nodiscard]] Launched launch(std::span<const LaunchPlan> plans, const kernel::Kernel& kernel) override;

 private:
  void release();

  std::unique_ptr<Launcher> launcher_;
  kernel::Executor kind_;
  std::byte* memory_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// On the SIMT runtime, plain or watched.
class HostExecutor final : public LocalExecutor {
 public:
  HostExecutor();
};

/// On a GPU. Errors are those of CudaLauncher::make().
class CudaExecutor final : public LocalExecutor {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Executor>> make(const CudaOptions& options);

 private:
  using LocalExecutor::LocalExecutor;
};

}  // namespace negzero::run

// Runs kernels in worker processes, one at a time and each of one kernel.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include <negzero/run/executor.hpp>
#include <negzero/run/worker.hpp>

namespace negzero::run {

/// A worker is started when a kernel first runs, kept while the same kernel runs, and replaced after it has ended. What
/// a kernel does to its process reaches neither another kernel nor this process.
class WorkerExecutor final : public Executor {
 public:
  explicit WorkerExecutor(WorkerOptions options) : options_(std::move(options)) {}
  [[nodiscard]] kernel::Place place() const noexcept override { return options_.place; }
  void set_timeout(std::uint64_t timeout_ms) { options_.timeout_ms = timeout_ms; }
  /// Ends the worker, so that the next case runs in a fresh one.
  void refresh() override { worker_.reset(); }
  /// What the kernel has printed since this was last asked, its beginning.
  [[nodiscard]] std::string take_printed() { return std::exchange(printed_, {}); }

 protected:
  [[nodiscard]] std::byte* memory(std::size_t size_bytes) override;
  [[nodiscard]] Launched launch(std::span<const protocol::LaunchPlan> plans, const kernel::Kernel& kernel) override;
  [[nodiscard]] bool replaces_processes() const override { return true; }

 private:
  [[nodiscard]] Launched without_worker(const kernel::Kernel& kernel, Worker::Start start);

  WorkerOptions options_;
  SharedMemory memory_;
  std::string kernel_;                 ///< that the worker serves
  int failed_starts_ = 0;              ///< in a row
  std::optional<Launched> unstarted_;  ///< what becomes of every launch of a kernel whose worker never starts
  std::optional<Worker> worker_;
  std::string printed_;
};

}  // namespace negzero::run

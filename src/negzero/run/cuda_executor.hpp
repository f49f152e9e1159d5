// Runs a kernel's CUDA build on batches of cases: one upload, launches back to back, one download, one wait.
//
//   pinned image, before   [g|a|g][g|b|g][g|c|g][g|d|g]  [g|a|g] ...      case after case, poisoned and filled here
//   GPU                    the same bytes at the same offsets             the launches work on these
//   pinned image, after    the same bytes once more                       compared with the image before

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::run {

struct CudaOptions {
  int gpu = 0;         ///< its number
  bool graph = false;  ///< a batch's launches go through one CUDA graph instead of one by one
  /// Longest time that a batch of several cases may be on the GPU; 0: no limit. Past it the worker ends itself, so that
  /// the cases run singly and the one that hangs is found. A batch of one waits for ever: the parent has a time limit.
  std::uint64_t stall_ms = 0;
};

/// Runs cases on one GPU. Several may share a GPU, each with a thread of its own: their launches take turns, what they
/// do before and after overlaps.
///
/// In a worker (in_worker()) a sticky CUDA error ends the process by end_worker(), with the error's name: Blame::Item
/// where it is a kernel's doing. Elsewhere the case of a batch of one has Failed by rule run.crash, every other case of
/// the batch and every later one is an Error. Too little GPU memory is an Error of the cases that need it.
class CudaExecutor final : public Executor {
 public:
  /// Errors: Unavailable without CUDA in this build, infrastructure errors of a GPU that cannot be used. The process
  /// must not fork afterwards.
  [[nodiscard]] static base::Result<std::unique_ptr<Executor>> make(const CudaOptions& options);
  ~CudaExecutor() override;

  [[nodiscard]] kernel::Executor kind() const noexcept override { return kernel::Executor::Cuda; }
  using Executor::run;
  [[nodiscard]] std::vector<Outcome> run(std::span<const Job> jobs, const kernel::Kernel& kernel) override;

 private:
  struct State;
  explicit CudaExecutor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace negzero::run

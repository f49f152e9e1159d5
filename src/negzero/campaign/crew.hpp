// Workers that run cases: one process a core on the host, one process a GPU with several threads on CUDA.
//
//   host   worker 0..jobs-1   one case at a time, each with an executor of its own
//   cuda   worker 0..GPUs-1   a task's cases in chunks, each thread with a stream and images of its own:
//                             thread 0   make cases | launch, wait | judge | make cases | launch ...
//                             thread 1        make cases | launch, wait | judge | ...
//
// Threads that each do all of it keep the GPU and the cores busy without handing anything from one to another.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/run/isolated.hpp>

namespace negzero::campaign {

class Crew {
 public:
  struct Work {
    /// One item of a request.
    std::function<std::string(std::string_view request, std::uint64_t index, run::Executor& executor)> one;
    /// Items [begin, end) of it, one reply each; called by several threads. Must not throw.
    std::function<std::vector<std::string>(std::string_view request, std::uint64_t begin, std::uint64_t end,
                                           run::Executor& executor)>
        several;
  };

  /// `timeout_ms` replaces the options'. Nothing is started yet.
  Crew(const EvaluationOptions& options, std::uint64_t timeout_ms, Work work);

  /// Items of a task that keep a worker busy long enough: its request and its end cost nothing then.
  [[nodiscard]] static std::uint64_t task_items(const EvaluationOptions& options);
  /// Processes that run() uses at most.
  [[nodiscard]] static int workers(const EvaluationOptions& options);

  /// See run::Isolation::run().
  [[nodiscard]] base::Status run(const std::function<std::optional<run::Task>()>& next,
                                 const std::function<bool(const run::Event&)>& on_event,
                                 const std::function<bool()>& stop);

 private:
  base::Status prepare(int worker);
  void work_together(std::string_view request, std::uint64_t begin, std::uint64_t end,
                     const run::Isolation::Emit& emit);

  EvaluationOptions options_;
  Work work_;
  std::vector<std::unique_ptr<run::Executor>> executors_;  ///< in a worker: one a thread
  std::unique_ptr<run::Isolation> isolation_;
};

}  // namespace negzero::campaign

// Verdicts of given cases on given kernels, in isolated workers, and the shrinking that is made of them.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/verdict.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::campaign {

/// Which runs are watched: every load and store reported, for about ten times the time. Large cases
/// (run::is_small_enough_to_watch) are watched only where a given case is to be watched alone.
enum class Watch : unsigned char {
  Auto,  ///< `check`: one case in twenty, the same ones for a seed; a given case: plainly, and watched where it passes
  Always,  ///< watched alone
  Never,
};

struct EvaluationOptions {
  kernel::Executor executor = kernel::Executor::Host;  ///< where kernels run
  std::vector<int> gpus{};               ///< numbers of the GPUs of Executor::Cuda; one worker process each
  bool graph = false;                    ///< launches of a batch through a CUDA graph
  int jobs = 1;                          ///< worker processes on the host, threads of all workers on CUDA
  std::uint64_t timeout_ms = 10000;      ///< see run::IsolationOptions
  std::uint64_t shrink_time_ms = 60000;  ///< longest time for the shrinking of one failure; 0: none is shrunk
  bool in_process = false;               ///< no workers: for debuggers; a crash then ends the program
  std::string exact{};                   ///< force a method of exact by name
  Watch watch = Watch::Auto;             ///< a kernel with no watched build is never watched
};

/// Decides one case on one kernel, in a worker: property::conformance, or another claim.
using Judge = std::function<operation::Verdict(const operation::Case&, const kernel::Kernel&, run::Executor&)>;

/// Evaluates cases in worker processes that live as long as this object. A case that kills or hangs its worker gets
/// run::verdict_of_death(). Kernels must be in the registry, for the executor of the options.
class Evaluator {
 public:
  /// Judges by conformance.
  explicit Evaluator(const EvaluationOptions& options);
  Evaluator(const EvaluationOptions& options, Judge judge);
  ~Evaluator();

  /// One verdict a case, in order, watched as `watch` says (the options where it is absent). Cases not evaluated
  /// because `stop` became true have an Error verdict.
  [[nodiscard]] base::Result<std::vector<operation::Verdict>> evaluate(std::span<const operation::Case> cases,
                                                                       const kernel::Kernel& kernel,
                                                                       const std::function<bool()>& stop = {},
                                                                       std::optional<Watch> watch = {});
  /// Shrinks a failing case; see shrink::minimise. Runs are watched when the failure is one that only the watch sees.
  /// `stop` keeps the smallest case so far. A hang is shrunk with a tenth
  /// of the time limit (0.1 to 1 s, never more than the limit itself) and held to all of it in the end; where it does
  /// not hang then, the case comes back as it was.
  [[nodiscard]] base::Result<struct ShrunkCase> shrink(operation::Case value, operation::Verdict verdict,
                                                       const kernel::Kernel& kernel,
                                                       const std::function<bool()>& stop = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How long shrinking such a failure may take, for a person who waits: "at most 60 s" ...
[[nodiscard]] std::string shrinking_takes(const EvaluationOptions& options, operation::FailureClass kind);

/// The smallest case that was reached, and how often it fails.
struct ShrunkCase {
  operation::Case value;
  operation::Verdict verdict;
  std::int64_t evaluations = 0;
  double hit_rate = 1;       ///< share of runs of `value` that fail the same way; 1 where `stop` left no time to count
  bool interrupted = false;  ///< `stop` ended it
  std::string cut{};  ///< why there may be smaller ones, as "shrinking stopped after 60 s"; empty: there are none
};

}  // namespace negzero::campaign

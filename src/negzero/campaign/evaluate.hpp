// Verdicts of given cases on given kernels, in isolated workers.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/verdict.hpp>
#include <negzero/run/host_executor.hpp>

namespace negzero::campaign {

struct EvaluationOptions {
  int jobs = 1;                      ///< worker processes
  std::uint64_t timeout_ms = 10000;  ///< longest time for one case
  bool in_process = false;
  std::string exact{};  ///< force a method of exact by name
};

/// Decides one case on one kernel, in a worker: property::conformance, or another claim.
using Judge = std::function<operation::Verdict(const operation::Case&, const kernel::Kernel&, run::HostExecutor&)>;

/// Evaluates cases in worker processes that live as long as this object. A case that kills or hangs its worker has a
/// Fail verdict of class crash or hang.
class Evaluator {
 public:
  /// Judges by conformance.
  explicit Evaluator(const EvaluationOptions& options);
  Evaluator(const EvaluationOptions& options, Judge judge);
  ~Evaluator();

  /// One verdict a case, in order. Cases not evaluated because `stop` became true have an Error verdict.
  [[nodiscard]] base::Result<std::vector<operation::Verdict>> evaluate(std::span<const operation::Case> cases,
                                                                       const kernel::Kernel& kernel,
                                                                       const std::function<bool()>& stop = {});
  /// Shrinks a failing case; see shrink::minimise. `stop` keeps the smallest case so far.
  [[nodiscard]] base::Result<struct ShrunkCase> shrink(operation::Case value, operation::Verdict verdict,
                                                       const kernel::Kernel& kernel,
                                                       const std::function<bool()>& stop = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A case that cannot be made smaller by one step, and how often it fails.
struct ShrunkCase {
  operation::Case value;
  operation::Verdict verdict;
  std::int64_t evaluations = 0;
  double hit_rate = 1;
};

}  // namespace negzero::campaign

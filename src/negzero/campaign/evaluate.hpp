// Verdicts of given cases on given kernels.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/desk.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/campaign/stop_condition.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// Kernels must be in the registry, for the executor of the options.
class Evaluator {
 public:
  /// Has examiners of its own, as long as it lives. `claim`: of claims.hpp, with its words.
  explicit Evaluator(const EvaluationOptions& options, std::string claim = kConformance);
  /// Takes those of a campaign, on another thread than its own, which must be one of a user of its desk.
  Evaluator(const EvaluationOptions& options, Desk& desk);

  /// One verdict a case, in order. Cases not evaluated because `stop` became true have an Error verdict.
  [[nodiscard]] base::Result<std::vector<verdict::Verdict>> evaluate(std::span<const operation::Case> cases,
                                                                     const kernel::Kernel& kernel, const Stop& stop,
                                                                     const Asking& how);
  /// The same, watched as `watch` says (the options where it is absent).
  [[nodiscard]] base::Result<std::vector<verdict::Verdict>> evaluate(std::span<const operation::Case> cases,
                                                                     const kernel::Kernel& kernel,
                                                                     const Stop& stop = {},
                                                                     std::optional<Watch> watch = {}) {
    return evaluate(cases, kernel, stop, {.watch = watch.value_or(options_.watch)});
  }

  [[nodiscard]] const EvaluationOptions& options() const { return options_; }

 private:
  EvaluationOptions options_;
  std::string claim_ = kConformance;
  std::unique_ptr<Crew> crew_;      ///< of its own
  std::unique_ptr<Desk> own_desk_;  ///< of that
  Desk& desk_;
};

}  // namespace negzero::campaign

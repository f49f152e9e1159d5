// Verdicts of given cases on given kernels.

#include <utility>

#include <negzero/campaign/evaluate.hpp>

namespace negzero::campaign {

using verdict::Verdict;

Evaluator::Evaluator(const EvaluationOptions& options, std::string claim)
    : options_(options),
      claim_(std::move(claim)),
      crew_(std::make_unique<Crew>(options)),
      own_desk_(std::make_unique<Desk>(crew_->size())),
      desk_(*own_desk_) {}

Evaluator::Evaluator(const EvaluationOptions& options, Desk& desk) : options_(options), desk_(desk) {}

base::Result<std::vector<Verdict>> Evaluator::evaluate(std::span<const operation::Case> cases,
                                                       const kernel::Kernel& kernel, const Stop& stop,
                                                       const Asking& how) {
  const Stop is_stopped = stop ? stop : [] { return false; };
  Request request = request_of(kernel, how, options_);
  request.claim = claim_;
  const auto order = desk_.order(cases, std::move(request));
  base::Status ran = base::Ok{};
  if (crew_) {
    ran = crew_->run(desk_, desk_, is_stopped);
  } else {
    desk_.wait(order, is_stopped);
  }
  auto verdicts = desk_.close(order);
  if (!ran) return ran.error();
  return verdicts;
}

}  // namespace negzero::campaign

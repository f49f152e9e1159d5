// What is done with a failure that a campaign has met: it is shrunk, saved, and looked at once more with the watch.

#include <algorithm>
#include <utility>

#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/settle.hpp>
#include <negzero/campaign/shrinking.hpp>

namespace negzero::campaign {

namespace {

/// A few of the search's jobs: it goes on meanwhile.
EvaluationOptions beside(EvaluationOptions options) {
  options.jobs = std::max(1, options.jobs / 4);
  return options;
}

}  // namespace

Settled settle(Met met, const kernel::Kernel& kernel, Evaluator& evaluator, FindingFiles& files, const Stop& stop) {
  const EvaluationOptions& options = evaluator.options();
  Settled settled;
  Finding& finding = settled.finding;
  finding.kernel = kernel.name;
  finding.original_path = met.path;
  finding.original_rule = met.verdict.failure->rule;
  auto shrunk = shrink(evaluator, met.value, met.verdict, kernel, stop);
  if (!shrunk) {
    settled.problem = shrunk.error();
    shrunk = ShrunkCase{.value = std::move(met.value), .verdict = met.verdict};
  }
  finding.failure = *shrunk->verdict.failure;
  finding.failure.keep_permitted_under(*met.verdict.failure);
  finding.shrunk = std::move(shrunk->value);
  finding.shrunk.found = seen(kernel.name, options.executor, shrunk->verdict);
  finding.hit_rate = shrunk->hit_rate;
  finding.evaluations = shrunk->evaluations;
  finding.interrupted = shrunk->interrupted;
  finding.cut = shrunk->cut;
  const bool is_shrunk = options.shrink_time_ms > 0;
  // A file that is named by its rule lies beside the one it was shrunk from, whatever rule it fails by.
  const bool by_rule = files.named() == FindingFiles::Named::ByRule;
  finding.case_path = is_shrunk ? files.save(finding.shrunk, by_rule ? *met.verdict.failure : finding.failure,
                                             finding.cut.empty() ? "case" : "partial")
                                : finding.original_path;
  finding.watched = watched_message(evaluator, options, finding.shrunk, kernel, finding.failure, stop);
  if (options.observe && !(stop && stop())) {
    finding.observations = {observe(finding.shrunk, kernel, finding.failure, options)};
  }
  return settled;
}

Settler::Settler(const EvaluationOptions& options, FindingFiles& files) : evaluator_(beside(options)), files_(files) {}

void Settler::begin(Met met, const kernel::Kernel& kernel) {
  const auto policy = evaluator_.options().in_process ? std::launch::deferred : std::launch::async;
  settled_ = std::async(policy, [this, &kernel, met = std::move(met)]() mutable {
    return settle(std::move(met), kernel, evaluator_, files_, [this] { return stop_.load(); });
  });
}

std::optional<Settled> Settler::take(std::chrono::milliseconds longest) {
  if (settled_.wait_for(longest) == std::future_status::timeout) return std::nullopt;
  return settled_.get();
}

}  // namespace negzero::campaign

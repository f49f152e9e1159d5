// The failure that a case file is known for, and the runs that look for it.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/known_failure.hpp>

namespace negzero::campaign {

using operation::Expectation;
using verdict::Verdict;
using verdict::VerdictKind;

Expectation seen(const std::string& kernel, kernel::Place place, const Verdict& verdict) {
  Expectation result{kernel, std::string(kernel::name(place)), verdict.kind, std::nullopt, ""};
  if (const auto& failure = verdict.failure) {
    result.failure_class = failure->kind;
    result.rule = failure->rule.id();
    if (failure->rule.only_watched()) result.executor = kernel::name({place, true});
  }
  return result;
}

std::string describe(const Expectation& what) {
  std::string text(verdict::name(what.verdict));
  if (what.failure_class) text += fmt::format(" ({})", verdict::name(*what.failure_class));
  if (!what.rule.empty()) text += fmt::format(" by {}", what.rule);
  return text;
}

std::optional<Expectation> known_failure(const operation::Case& value, const std::string& kernel, kernel::Place place) {
  const auto is_one = [&](const Expectation& what) {
    const auto where = kernel::where_named(what.executor);
    const bool here = what.executor == "*" || (where && where->place == place);
    return what.kernel == kernel && here && what.verdict == VerdictKind::Fail;
  };
  const auto expected = std::ranges::find_if(value.expect, is_one);
  if (expected != value.expect.end()) return *expected;
  if (value.found && is_one(*value.found)) return value.found;
  return std::nullopt;
}

base::Result<Verdict> look_for(const std::optional<Expectation>& known, Evaluator& evaluator,
                               const operation::Case& value, const kernel::Kernel& kernel, Watch watch,
                               const std::function<bool()>& stop) {
  auto verdicts = evaluator.evaluate({&value, 1}, kernel, stop, watch_for_known(known, watch));
  if (!verdicts) return verdicts.error();
  return std::move(verdicts->front());
}

std::string explanation_in(const Verdict& watched) {
  const auto& seen = watched.failure;
  return seen && seen->rule.only_watched() ? seen->message : "";
}

std::string watched_message(Evaluator& evaluator, const operation::Case& value, const kernel::Kernel& kernel,
                            const verdict::Failure& failure, Watch asked, const std::function<bool()>& stop) {
  const Builds builds = builds_of(kernel.name, evaluator.options().place);
  if (!may_explain(failure, asked, builds, value.operation) || (stop && stop())) return "";
  const auto verdicts = evaluator.evaluate({&value, 1}, kernel, stop, kToExplain);
  return verdicts ? explanation_in(verdicts->front()) : "";
}

}  // namespace negzero::campaign

// The claim that a launch does not depend on launches before it.

#include <utility>

#include <fmt/format.h>

#include <negzero/property/statefulness.hpp>
#include <negzero/property/steps.hpp>

namespace negzero::property {

using operation::Case;
using operation::Contents;
using operation::History;
using verdict::Verdict;
using verdict::VerdictKind;

std::optional<FailedAlone> failed_alone(const Case& value, const kernel::Kernel& kernel, run::Executor& executor,
                                        const Judging& how) {
  for (operation::EarlierLaunches launch : value.history) {
    if (launch.is_case()) continue;
    launch.times = 1;
    const Case alone = case_of(value, launch, kernel);
    if (!kernel.takes(alone)) continue;
    executor.refresh();
    Verdict verdict = conformance(alone, kernel, executor, how);
    if (verdict.kind == VerdictKind::Fail) return FailedAlone{launch, std::move(verdict)};
  }
  return std::nullopt;
}

Verdict conformance_after(const Case& value, const kernel::Kernel& kernel, run::Executor& executor,
                          const Judging& how) {
  const auto contract = contract_of(value, kernel);
  if (!contract) return verdict::error_verdict(contract.error().message);
  Case alone = value;
  alone.history.clear();
  executor.refresh();
  Judging seen = how;
  run::Outcome first;
  seen.observe = [&](const Case&, const run::Outcome& outcome) { first = outcome; };
  Verdict verdict = conformance(alone, kernel, executor, seen);
  if (!verdict::is_clean(verdict.kind)) return verdict;
  executor.refresh();
  std::vector<Step> steps = steps_of(value, value.history, kernel);
  steps.push_back({alone, {}});
  const std::vector<run::Outcome> outcomes = run_steps(steps, *contract, kernel, executor);
  const bool ended = outcomes.size() < steps.size();
  Verdict behind = judge(steps[outcomes.size() - 1].value, *contract, outcomes.back(), how);
  // Only the case itself can pass.
  if (ended && behind.kind != VerdictKind::Fail) {
    return verdict::error_verdict("a launch before the case was the last: " + behind.reason);
  }
  // Where no oracle knows the values, those of the fresh process are what a deterministic kernel gives again.
  if (behind.kind == VerdictKind::NotJudged && contract->determinism != contract::Determinism::NotGuaranteed) {
    if (auto failure = other_bits(alone, first, outcomes.back(), kOtherBits)) {
      behind = {.kind = VerdictKind::Fail, .failure = std::move(failure)};
    }
  }
  if (behind.kind != VerdictKind::Fail) return behind;
  if (auto launch = failed_alone(value, kernel, executor, how)) {
    launch->verdict.failure->message =
        fmt::format("A launch of the history fails by itself ({}): {}", operation::describe({launch->launch}),
                    launch->verdict.failure->message);
    return launch->verdict;
  }
  verdict::Failure& failure = *behind.failure;
  const std::string where =
      ended ? fmt::format("in launch {} of {} that run", outcomes.size(), steps.size()) : std::string("wrong");
  failure.message = fmt::format("Right in a fresh process, {} {} ({}): {}", where, operation::describe(value.history),
                                failure.rule, failure.message);
  failure.kind = verdict::FailureClass::Stateful;
  failure.rule = "run.state";
  failure.permitted_under.clear();
  return behind;
}

run::Outcome outcome_after(const Case& value, const kernel::Kernel& kernel, const contract::Contract& contract,
                           run::Executor& executor) {
  std::vector<Step> steps = steps_of(value, value.history, kernel);
  steps.push_back({value, {}});
  steps.back().value.history.clear();
  executor.refresh();
  return run_steps(steps, contract, kernel, executor).back();
}

const std::vector<History>& usual_histories() {
  static const std::vector<History> all = {
      {{.times = 1}},
      {{.times = 1, .contents = Contents::Other}},
      {{.times = 1, .contents = Contents::Later}},
      {{.times = 1, .contents = Contents::Scalars}},
      {{.times = 1, .same_storage = false}},
      {{.times = 1, .same_shape = false}},
      {{.times = 1, .same_stream = false}},
      {{.times = 2}},
      {{.times = 1}, {.times = 1, .contents = Contents::Other}},
      {{.times = 3}},
      {{.times = 5}},
      {{.times = 10}},
      {{.times = 20}},
      {{.times = 50}},
  };
  return all;
}

}  // namespace negzero::property

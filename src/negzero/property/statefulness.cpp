// The claim that a launch does not depend on launches before it, and the protocol that looks for state.

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/parallel.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/statefulness.hpp>

namespace negzero::property {

namespace {

using operation::Case;
using operation::Contents;
using operation::EarlierLaunches;
using operation::History;
using operation::Verdict;
using operation::VerdictKind;

/// A launch of a sequence: the case of it, and how it differs from the case that is asked about.
struct Step {
  Case value;
  EarlierLaunches launch;
};

/// A shape that the kernel does not take is left out.
std::vector<Step> steps_of(const Case& value, const History& history, const kernel::Kernel& kernel) {
  std::vector<Step> steps;
  for (const EarlierLaunches& launches : history) {
    for (std::uint32_t i = 0; i < launches.times; ++i) {
      Case earlier = operation::earlier_case(value, launches, i);
      if (operation::outside(kernel.limits, earlier.operation, earlier.layouts)) continue;
      EarlierLaunches launch = launches;
      launch.times = 1;
      launch.seed = launch.is_case() ? 0 : launch.seed + i;
      steps.push_back({std::move(earlier), launch});
    }
  }
  return steps;
}

/// The launches of steps, those alike together.
History history_of(std::span<const Step> steps) {
  History history;
  for (const Step& step : steps) {
    EarlierLaunches next = step.launch;
    if (!history.empty()) {
      next.times = history.back().times;
      if (!next.is_case()) next.seed -= next.times;
      if (next == history.back()) {
        ++history.back().times;
        continue;
      }
    }
    history.push_back(step.launch);
  }
  return history;
}

run::Turn turn_of(const Step& step, const contract::Contract& contract, std::uint8_t chain = 0) {
  return {{&step.value, &contract}, {!step.launch.same_storage, !step.launch.same_stream}, chain};
}

std::vector<run::Outcome> run(std::span<const Step> steps, const contract::Contract& contract,
                              const kernel::Kernel& kernel, run::Executor& executor) {
  std::vector<run::Turn> turns;
  for (const Step& step : steps) turns.push_back(turn_of(step, contract));
  return executor.run_in_turn(turns, kernel);
}

/// A judge of one case's outcomes that asks the oracle once for equal outputs.
class SameCase {
 public:
  SameCase(const Case& value, const contract::Contract& contract, const Judging& how)
      : value_(value), contract_(contract), how_(how) {}

  const Verdict& judge(const run::Outcome& outcome) {
    const bool known = judged_ && outcome.status == run::Outcome::Status::Completed &&
                       judged_->status == outcome.status && judged_->output == outcome.output;
    if (!known) {
      verdict_ = property::judge(value_, contract_, outcome, how_);
      judged_ = outcome;
    }
    return verdict_;
  }

 private:
  const Case& value_;
  const contract::Contract& contract_;
  const Judging& how_;
  std::optional<run::Outcome> judged_;
  Verdict verdict_;
};

}  // namespace

Verdict conformance_after(const Case& value, const kernel::Kernel& kernel, run::Executor& executor,
                          const Judging& how) {
  const auto contract = contract_of(value, kernel);
  if (!contract) return operation::error_verdict(contract.error().message);
  Case alone = value;
  alone.history.clear();
  executor.refresh();
  Verdict verdict = conformance(alone, kernel, executor, how);
  if (verdict.kind != VerdictKind::Pass && verdict.kind != VerdictKind::Vacuous) return verdict;
  executor.refresh();
  std::vector<Step> steps = steps_of(value, value.history, kernel);
  steps.push_back({alone, {}});
  const std::vector<run::Outcome> outcomes = run(steps, *contract, kernel, executor);
  const bool ended = outcomes.size() < steps.size();
  Verdict behind = judge(steps[outcomes.size() - 1].value, *contract, outcomes.back(), how);
  // Only the case itself can pass.
  if (ended && behind.kind != VerdictKind::Fail) {
    return operation::error_verdict("a launch before the case was the last: " + behind.reason);
  }
  if (behind.kind != VerdictKind::Fail) return behind;
  operation::Failure& failure = *behind.failure;
  const std::string where =
      ended ? fmt::format("in launch {} of {} that run", outcomes.size(), steps.size()) : std::string("wrong");
  failure.message = fmt::format("Right in a fresh process, {} {} ({}): {}", where, operation::describe(value.history),
                                failure.rule, failure.message);
  failure.kind = operation::FailureClass::Stateful;
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
  return run(steps, contract, kernel, executor).back();
}

namespace {

/// Times that a case must be right alone and wrong behind its history: what comes and goes by chance is no state.
constexpr int kConfirmations = 3;

/// The case behind the first of these histories that shows state, or an ordinary failure met on the way.
std::optional<StateFound> confirmed(Case value, const std::vector<History>& histories, const kernel::Kernel& kernel,
                                    run::Executor& executor, const Judging& how) {
  for (const History& history : histories) {
    value.history = history;
    Verdict verdict;
    for (int runs = 0; runs < kConfirmations; ++runs) {
      verdict = conformance_after(value, kernel, executor, how);
      if (verdict.kind != VerdictKind::Fail) break;
      if (verdict.failure->kind != operation::FailureClass::Stateful) return StateFound{{}, std::move(verdict)};
    }
    if (verdict.kind == VerdictKind::Fail) return StateFound{history, std::move(verdict)};
  }
  return std::nullopt;
}

/// A look for state, as it is run.
struct Planned {
  base::Result<contract::Contract> contract;
  std::vector<Step> steps{};

  Planned(const Look& look, const kernel::Kernel& kernel) : contract(property::contract_of(*look.value, kernel)) {
    if (contract) steps = steps_of(*look.value, look.launches, kernel);
  }
};

/// Gives looks to chains, each to that with the least to do.
class Chains {
 public:
  explicit Chains(std::size_t count) : loads_(count) {}
  std::uint8_t next(const Planned& look) {
    const auto idle = std::ranges::min_element(loads_);
    *idle += look.steps.size();
    return static_cast<std::uint8_t>(idle - loads_.begin());
  }

 private:
  std::vector<std::size_t> loads_;  ///< launches
};

/// The first launch that was judged to fail, and how.
struct FailedStep {
  std::size_t number;
  Verdict verdict;
};

std::optional<FailedStep> first_failure(const Case& value, const Planned& planned,
                                        std::span<const run::Outcome> outcomes, const Judging& how) {
  SameCase same(value, *planned.contract, how);
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    const Step& step = planned.steps[i];
    if (!step.launch.is_case() && i + 1 != outcomes.size()) continue;
    const Verdict verdict =
        step.launch.is_case() ? same.judge(outcomes[i]) : judge(step.value, *planned.contract, outcomes[i], how);
    if (verdict.kind == VerdictKind::Fail) return FailedStep{i, verdict};
  }
  return std::nullopt;
}

/// What a failure of a launch on the way is: state, or nothing.
std::optional<StateFound> explained(const Case& value, std::span<const Step> steps, const FailedStep& failed,
                                    const kernel::Kernel& kernel, run::Executor& executor, const Judging& how) {
  const EarlierLaunches& launch = steps[failed.number].launch;
  // What ends or hangs alone too does not keep anything; to try it behind others costs a time limit each time.
  const bool ends = failed.verdict.failure->kind == operation::FailureClass::Crash ||
                    failed.verdict.failure->kind == operation::FailureClass::Hang;
  if (ends && !launch.is_case()) {
    Case alone = steps[failed.number].value;
    alone.history.clear();
    executor.refresh();
    if (conformance(alone, kernel, executor, how).kind == VerdictKind::Fail) return std::nullopt;
  }
  std::vector<History> histories;
  // What takes this launch for the case takes the case for this launch.
  if (launch != EarlierLaunches{}) histories = {{launch}, history_of(steps.first(failed.number + 1))};
  if (launch.is_case()) histories.push_back(history_of(steps.first(failed.number)));
  return confirmed(value, histories, kernel, executor, how);
}

}  // namespace

std::vector<std::optional<StateFound>> look_for_state(std::span<const Look> looks, const kernel::Kernel& kernel,
                                                      run::Executor& executor, const Judging& how) {
  std::vector<std::optional<Planned>> planned(looks.size());
  base::parallel_for(how.threads, looks.size(), [&](std::size_t i) { planned[i].emplace(looks[i], kernel); });
  std::vector<std::optional<FailedStep>> failed(looks.size());
  for (std::size_t begin = 0; begin < looks.size();) {
    Chains chains(executor.may_run_at_once(kernel) ? run::kChains : 1);
    std::vector<run::Turn> turns;
    std::vector<std::size_t> firsts;  // Turns of looks from `begin` on.
    for (std::size_t i = begin; i < looks.size(); ++i) {
      firsts.push_back(turns.size());
      const std::uint8_t chain = chains.next(*planned[i]);
      for (const Step& step : planned[i]->steps) turns.push_back(turn_of(step, *planned[i]->contract, chain));
    }
    const std::vector<run::Outcome> outcomes = executor.run_in_turn(turns, kernel, how.threads);
    // A process that ended took nothing with it of the looks behind.
    const auto ran = outcomes.size() == turns.size() ? firsts.end() : std::ranges::lower_bound(firsts, outcomes.size());
    const auto count = static_cast<std::size_t>(ran - firsts.begin());
    base::parallel_for(how.threads, count, [&](std::size_t i) {
      const Planned& each = *planned[begin + i];
      const std::size_t end = std::min(outcomes.size(), firsts[i] + each.steps.size());
      const auto own = std::span(outcomes).subspan(firsts[i], end - firsts[i]);
      if (!own.empty()) failed[begin + i] = first_failure(*looks[begin + i].value, each, own, how);
    });
    begin += count;
  }
  std::vector<std::optional<StateFound>> found(looks.size());
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (failed[i]) found[i] = explained(*looks[i].value, planned[i]->steps, *failed[i], kernel, executor, how);
  }
  return found;
}

History few_launches(base::Random random, const operation::Operation& operation) {
  const bool scalars = std::holds_alternative<operation::Gemm>(operation) && random.one_in(3);
  const bool stream = random.one_in(2);
  return {{},
          {.contents = scalars ? Contents::Scalars : Contents::Later, .same_stream = stream, .seed = random.next()}};
}

History many_launches(base::Random random) {
  const std::uint64_t kind = random.below(10);
  if (kind < 2) return {{.times = kind == 0 ? 50u : 13u}};
  constexpr EarlierLaunches kOthers[] = {
      {.contents = Contents::Other}, {.contents = Contents::Later},
      {.contents = Contents::One},   {.contents = Contents::Scalars},
      {.same_storage = false},       {.contents = Contents::Other, .same_storage = false},
      {.same_shape = false},         {.same_storage = false, .same_shape = false},
      {.same_stream = false},        {.contents = Contents::Other, .same_stream = false},
  };
  History history;
  const std::uint64_t pairs = 2 + random.below(3);
  for (std::uint64_t i = 0; i < pairs; ++i) {
    history.push_back({});
    history.push_back(kOthers[random.below(std::size(kOthers))]);
    history.back().seed = random.next();
  }
  return history;
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

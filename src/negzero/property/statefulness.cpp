// The claim that a launch does not depend on launches before it, and the protocol that looks for state.

#include <utility>

#include <fmt/format.h>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/statefulness.hpp>

namespace negzero::property {

namespace {

using operation::Case;
using operation::EarlierLaunches;
using operation::History;
using operation::Verdict;
using operation::VerdictKind;

/// A case behind its history, as launches.
struct Sequence {
  std::vector<Case> cases;
  std::vector<bool> elsewhere;
  std::vector<bool> is_case;  ///< launches of the case itself
};

Sequence sequence_of(const Case& value, const History& history, const kernel::Kernel& kernel) {
  Sequence sequence;
  const auto add = [&](Case&& next, const EarlierLaunches& launch) {
    sequence.cases.push_back(std::move(next));
    sequence.elsewhere.push_back(!launch.same_storage);
    sequence.is_case.push_back(launch.is_case());
  };
  for (const EarlierLaunches& launch : history) {
    for (std::uint32_t i = 0; i < launch.times; ++i) {
      Case earlier = operation::earlier_case(value, launch, i);
      // A shape that the kernel does not take is left out.
      if (operation::outside(kernel.limits, earlier.operation, earlier.layouts)) continue;
      add(std::move(earlier), launch);
    }
  }
  add(operation::earlier_case(value, {}, 0), {});
  return sequence;
}

std::vector<run::Outcome> run(const Sequence& sequence, const contract::Contract& contract,
                              const kernel::Kernel& kernel, run::Executor& executor) {
  std::vector<run::Executor::Turn> turns;
  for (std::size_t i = 0; i < sequence.cases.size(); ++i) {
    turns.push_back({{&sequence.cases[i], &contract}, sequence.elsewhere[i]});
  }
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
  const Sequence sequence = sequence_of(value, value.history, kernel);
  const std::vector<run::Outcome> outcomes = run(sequence, *contract, kernel, executor);
  // What goes wrong on the way there is the failure of a shorter history.
  if (outcomes.size() < sequence.cases.size()) return verdict;
  Verdict behind = judge(alone, *contract, outcomes.back(), how);
  if (behind.kind != VerdictKind::Fail) return behind;
  operation::Failure& failure = *behind.failure;
  failure.message = fmt::format("Right in a fresh process, wrong {} ({}): {}", operation::describe(value.history),
                                failure.rule, failure.message);
  failure.kind = operation::FailureClass::Stateful;
  failure.rule = "run.state";
  failure.permitted_under.clear();
  return behind;
}

std::optional<StateFound> look_for_state(const Case& value, const kernel::Kernel& kernel, run::Executor& executor,
                                         const Judging& how, base::Random random) {
  const auto contract = contract_of(value, kernel);
  if (!contract) return std::nullopt;
  History history;
  const std::uint64_t kind = random.below(10);
  if (kind < 2) {
    history.push_back({.times = kind == 0 ? 49u : 12u});
  } else {
    const std::uint64_t steps = 2 + random.below(3);
    for (std::uint64_t i = 0; i < steps; ++i) {
      history.push_back({});
      EarlierLaunches other{.seed = random.next()};
      const std::uint64_t which = random.below(8);
      other.same_contents = which >= 4;
      other.same_storage = which < 3;
      other.same_shape = which != 3 && which != 7;
      history.push_back(other);
    }
  }
  const Sequence sequence = sequence_of(value, history, kernel);
  const std::vector<run::Outcome> outcomes = run(sequence, *contract, kernel, executor);
  SameCase same(value, *contract, how);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!sequence.is_case[i] || same.judge(outcomes[i]).kind != VerdictKind::Fail) continue;
    // The launches before this one, as the history says them.
    History before;
    std::size_t left = i;
    for (EarlierLaunches launch : history) {
      launch.times = static_cast<std::uint32_t>(std::min<std::size_t>(launch.times, left));
      if (launch.times == 0) break;
      left -= launch.times;
      before.push_back(launch);
    }
    Case behind = value;
    behind.history = before;
    Verdict verdict = conformance_after(behind, kernel, executor, how);
    if (verdict.kind != VerdictKind::Fail) return std::nullopt;
    if (verdict.failure->kind != operation::FailureClass::Stateful) before.clear();
    return StateFound{std::move(before), std::move(verdict)};
  }
  return std::nullopt;
}

const std::vector<History>& usual_histories() {
  static const std::vector<History> all = {
      {{.times = 1}},
      {{.times = 1, .same_contents = false}},
      {{.times = 1, .same_storage = false}},
      {{.times = 1, .same_shape = false}},
      {{.times = 2}},
      {{.times = 1}, {.times = 1, .same_contents = false}},
      {{.times = 3}},
      {{.times = 5}},
      {{.times = 10}},
      {{.times = 20}},
      {{.times = 50}},
  };
  return all;
}

}  // namespace negzero::property

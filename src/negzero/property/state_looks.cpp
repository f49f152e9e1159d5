// The protocol that looks for state, and the launches that it takes.

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include <negzero/base/parallel.hpp>
#include <negzero/property/state_looks.hpp>
#include <negzero/property/statefulness.hpp>
#include <negzero/property/steps.hpp>

namespace negzero::property {

namespace {

using operation::Case;
using operation::Contents;
using operation::EarlierLaunches;
using operation::History;
using verdict::Verdict;
using verdict::VerdictKind;

/// A judge of one case's outcomes that asks the oracle once for equal outputs. Values that no oracle knows are held to
/// those of the first launch, where the contract promises the same bits again.
class SameCase {
 public:
  /// `first`: of the case in a fresh process; nullptr where it was not launched first.
  SameCase(const Case& value, const contract::Contract& contract, const run::Outcome* first, const Judging& how)
      : value_(value), contract_(contract), first_(first), how_(how) {}

  const Verdict& judge(const run::Outcome& outcome) {
    const bool known = judged_ && outcome.status == run::Outcome::Status::Completed &&
                       judged_->status == outcome.status && judged_->outputs == outcome.outputs;
    if (!known) {
      verdict_ = property::judge(value_, contract_, outcome, how_);
      judged_ = outcome;
      const bool is_held = verdict_.kind == VerdictKind::NotJudged &&
                           contract_.determinism != contract::Determinism::NotGuaranteed && first_ != nullptr &&
                           first_->status == run::Outcome::Status::Completed;
      auto failure = is_held ? other_bits(value_, *first_, outcome, kOtherBits) : std::nullopt;
      if (failure) verdict_ = {.kind = VerdictKind::Fail, .failure = std::move(failure)};
    }
    return verdict_;
  }

 private:
  const Case& value_;
  const contract::Contract& contract_;
  const run::Outcome* first_;
  const Judging& how_;
  std::optional<run::Outcome> judged_;
  Verdict verdict_;
};

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
      if (verdict.failure->kind == verdict::FailureClass::Stateful) continue;
      if (auto launch = failed_alone(value, kernel, executor, how)) {
        return StateFound{{}, std::move(launch->verdict), launch->launch};
      }
      return StateFound{{}, std::move(verdict)};
    }
    if (verdict.kind == VerdictKind::Fail) return StateFound{history, std::move(verdict)};
  }
  return std::nullopt;
}

/// A look as it is run; without steps where there is no contract to judge it by.
struct Planned {
  contract::Contract contract{};
  std::vector<Step> steps{};
};

Planned plan_of(const Look& look, const kernel::Kernel& kernel) {
  auto contract = property::contract_of(*look.value, kernel);
  if (!contract) return {};
  return {*std::move(contract), steps_of(*look.value, look.launches, kernel)};
}

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
  if (outcomes.empty()) return std::nullopt;
  const bool is_case_first = planned.steps.front().launch.is_case();
  SameCase same(value, planned.contract, is_case_first ? &outcomes.front() : nullptr, how);
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    const Step& step = planned.steps[i];
    if (!step.launch.is_case() && i + 1 != outcomes.size()) continue;
    const Verdict verdict =
        step.launch.is_case() ? same.judge(outcomes[i]) : judge(step.value, planned.contract, outcomes[i], how);
    if (verdict.kind == VerdictKind::Fail) return FailedStep{i, verdict};
  }
  return std::nullopt;
}

/// Looks from `begin` on, run in one process as far as that goes: says of each that ran what failed in it, and returns
/// the end of those. `failed` has room for all.
std::size_t run_looks(std::span<const Look> looks, std::span<const Planned> planned, std::size_t begin,
                      const kernel::Kernel& kernel, run::Executor& executor, const Judging& how,
                      std::vector<std::optional<FailedStep>>& failed) {
  Chains chains(executor.may_run_at_once(kernel) ? protocol::kChains : 1);
  std::vector<run::Turn> turns;
  std::vector<std::size_t> firsts;  // Turns of looks.
  for (const Planned& look : planned.subspan(begin)) {
    firsts.push_back(turns.size());
    const std::uint8_t chain = chains.next(look);
    for (const Step& step : look.steps) turns.push_back(turn_of(step, look.contract, chain));
  }
  const std::vector<run::Outcome> outcomes = executor.run_in_turn(turns, kernel, how.threads);
  // Where the process ended, looks that had not begun run again.
  const auto end = outcomes.size() == turns.size() ? firsts.end() : std::ranges::lower_bound(firsts, outcomes.size());
  const auto count = static_cast<std::size_t>(end - firsts.begin());
  base::parallel_for(how.threads, count, [&](std::size_t i) {
    const std::size_t number = begin + i;
    const std::size_t ran = std::min(outcomes.size(), firsts[i] + planned[number].steps.size()) - firsts[i];
    try {
      failed[number] =
          first_failure(*looks[number].value, planned[number], std::span(outcomes).subspan(firsts[i], ran), how);
    } catch (const std::exception&) {
      // Nothing is said of it: the case itself has passed.
    }
  });
  return begin + count;
}

/// What a failure of a launch on the way is: that launch's own, state, or nothing.
std::optional<StateFound> explained(Case value, std::span<const Step> steps, const FailedStep& failed,
                                    const kernel::Kernel& kernel, run::Executor& executor, const Judging& how) {
  const EarlierLaunches& launch = steps[failed.number].launch;
  // What fails alone too is no state; to try it behind others may cost a time limit each time.
  value.history = {launch};
  if (auto alone = failed_alone(value, kernel, executor, how)) {
    return StateFound{{}, std::move(alone->verdict), alone->launch};
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
  std::vector<Planned> planned(looks.size());
  base::parallel_for(how.threads, looks.size(), [&](std::size_t i) {
    try {
      planned[i] = plan_of(looks[i], kernel);
    } catch (const std::exception&) {
      planned[i] = {};
    }
  });
  std::vector<std::optional<FailedStep>> failed(looks.size());
  for (std::size_t begin = 0; begin < looks.size();) {
    begin = run_looks(looks, planned, begin, kernel, executor, how, failed);
  }
  std::vector<std::optional<StateFound>> found(looks.size());
  bool any = false, any_alone = false;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (!failed[i]) continue;
    any = true;
    if (looks.size() > 1) {
      // What failed may be the doing of a look before it, or of one that overlapped.
      executor.refresh();
      const auto outcomes = run_steps(planned[i].steps, planned[i].contract, kernel, executor);
      failed[i] = first_failure(*looks[i].value, planned[i], outcomes, how);
    }
    if (!failed[i]) continue;
    any_alone = true;
    found[i] = explained(*looks[i].value, planned[i].steps, *failed[i], kernel, executor, how);
  }
  if (any && !any_alone) executor.keep_in_turn(kernel);
  return found;
}

History at_most(History launches, std::uint32_t most) {
  if (launches.size() == 1) launches.front().times = std::min(launches.front().times, most);
  while (operation::launches(launches) > most) launches.resize(launches.size() - 2);
  return launches;
}

History few_launches(base::Random random, const operation::Operation& operation) {
  // Other scalars are other numbers of floating point.
  const auto is_number = [](const notation::ScalarSignature& scalar) { return !scalar.is_whole(); };
  const bool scalars = std::ranges::any_of(operation.signature().scalars, is_number) && random.one_in(3);
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

}  // namespace negzero::property

// The claim that every kernel makes: its outcome is one that its contract permits.

#include <algorithm>
#include <exception>
#include <iterator>

#include <fmt/format.h>

#include <negzero/base/parallel.hpp>
#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/formula/formula.hpp>
#include <negzero/generate/draw.hpp>
#include <negzero/judgement/blind.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/judgement/hints.hpp>
#include <negzero/judgement/improbable.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/poison.hpp>
#include <negzero/operation/workload.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/claimed.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/declared.hpp>
#include <negzero/property/statefulness.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::property {

namespace {

using verdict::Verdict;
using verdict::VerdictKind;

/// Why the kernel cannot run the case at all, or the contract that decides it.
base::Result<contract::Contract> contract_for(const operation::Case& value, const kernel::Kernel& kernel) {
  if (!operation::is_of(value.operation, kernel.operation)) {
    return base::usage_error(fmt::format("the case is {}, which kernel {} implements",
                                         operation::unlike(value.operation, kernel.operation), kernel.name));
  }
  return contract_of(value, kernel);
}

constexpr const char* kAtOnce =
    "wrong where launches on several streams ran at once, right in turn: launches of this kernel may share memory, "
    "such as a device variable; its cases run in turn from now on";
constexpr const char* kNotAlone =
    " (seen when {} cases ran together, not when this one ran alone: results vary from run to run, or another case of "
    "them wrote here)";

bool is_fail(const Verdict& verdict) { return verdict.kind == VerdictKind::Fail; }

/// The share of terms of some elements whose loss would pass; nothing where the case adds nothing, or too much to look.
std::optional<double> blind_share(const operation::Case& value, const contract::Contract& contract) {
  constexpr std::int64_t kMostWork = std::int64_t{1} << 16, kElements = 4;
  if (!judgement::adds(value.operation) || operation::work_of(value.operation, kMostWork) > kMostWork)
    return std::nullopt;
  const operation::TensorSpec output = operation::output_specs(value.operation).front();
  const std::int64_t count = tensor::count_elements(output.shape);
  const operation::Counted counted(value, output.name);
  std::vector<std::int64_t> elements;
  for (std::int64_t i = 0; i < std::min(count, kElements); ++i) {
    // The first and the last one, and two between.
    const std::int64_t element = count <= kElements ? i : i * (count - 1) / (kElements - 1);
    if (counted.all() || counted.holds(element)) elements.push_back(element);
  }
  const judgement::Blindness seen = judgement::blindness(value, contract, elements, 1);
  return seen.of > 0 ? std::optional(seen.share) : std::nullopt;
}

/// What the second run shows, if it is not what the first one gave.
std::optional<verdict::Failure> difference(const operation::Case& value, const run::Outcome& first,
                                           const run::Outcome& second) {
  if (second.status != run::Outcome::Status::Completed) {
    return verdict::Failure{.kind = verdict::FailureClass::NotDeterministic,
                            .rule = "run.repeat",
                            .message = "a second run of the same case failed: " +
                                       (second.failure ? second.failure->message : second.reason)};
  }
  return other_bits(value, first, second,
                    "The contract promises determinism. A second run of the same case, threads in another order, gave "
                    "{} where the first gave {}.");
}

}  // namespace

std::optional<verdict::Failure> other_bits(const operation::Case& value, const run::Outcome& first,
                                           const run::Outcome& second,
                                           fmt::format_string<std::string, std::string> words) {
  verdict::Failure failure{.kind = verdict::FailureClass::NotDeterministic, .rule = "run.repeat"};
  const std::vector<operation::TensorSpec> specs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < specs.size(); ++o) {
    const number::Format& format = number::format(specs[o].format);
    for (std::int64_t i = 0; i < first.outputs[o].element_count(); ++i) {
      const std::uint64_t before = first.outputs[o].get(i), after = second.outputs[o].get(i);
      if (number::same_result(format, before, after)) continue;
      if (failure.failing_elements++ > 0) continue;
      operation::locate(failure, specs[o], i);
      failure.observed = after;
      failure.observed_text = number::with_bits(format, after);
      failure.permitted_text = number::with_bits(format, before);
      failure.message = fmt::format(words, std::string(failure.observed_text), std::string(failure.permitted_text));
    }
  }
  if (failure.failing_elements == 0) return std::nullopt;
  return failure;
}

namespace {

/// The case with what the kernel finds in inputs that it is not to read: another contract may have it read them.
operation::Case as_seen(const operation::Case& value, const contract::Contract& contract) {
  operation::Case seen = value;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    if (operation::when_unread(value.operation, spec.name, {contract.reads_a_b(), contract.reads_c()}).empty())
      continue;
    const number::Format& format = number::format(spec.format);
    const std::uint64_t word = spec.name == value.in_place ? operation::poison_word(value.poison, format)
                                                           : operation::input_poison_word(value.poison, format);
    tensor::Tensor& tensor = seen.tensors.at(spec.name);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, word);
  }
  return seen;
}

/// The verdict on outputs alone.
Verdict judge_outputs(const operation::Case& value, const contract::Contract& contract,
                      std::span<const tensor::Tensor> outputs, const Judging& how) {
  if (value.operation.signature().is_declared) return judge_declared(value, outputs);
  const auto oracle = oracle::Oracle::make(value, contract, {.exact = how.exact});
  if (!oracle) return verdict::error_verdict(oracle.error().message);
  std::vector<oracle::OutputElement> failing;
  Verdict verdict = oracle->judge(outputs, &failing);
  if (is_fail(verdict) && how.hints) {
    verdict.failure->permitted_under = judgement::hints(as_seen(value, contract), contract, outputs, failing,
                                                        judgement::Held::Some, &verdict.failure->not_under);
  }
  constexpr std::uint64_t kSalt = 0x626c696e64000000;
  if (how.blind && !is_fail(verdict) && base::is_one_in(20, value.seed, value.index, kSalt))
    verdict.blind = blind_share(value, contract);
  if (how.random_errors && verdict.kind == VerdictKind::Pass && generate::traits(value.strategy).independent_terms)
    verdict.random_errors = judgement::random_errors(value, contract, outputs.front());
  return verdict;
}

/// Names first the shuffle that gave a lane poison in the run that failed: what the kernel does with poison, as a value
/// or as an index, shows elsewhere. Races and reads of what nothing wrote have causes of their own. Behind other
/// failures of values it adds what else the run was warned of.
Verdict named_by_shuffle(Verdict verdict, const run::Outcome& outcome) {
  using enum verdict::FailureClass;
  if (!verdict.failure || outcome.warnings.empty()) return verdict;
  verdict::Failure& failure = *verdict.failure;
  const auto lost = std::ranges::find_if(outcome.warnings, run::is_of_lost_lane);
  if (lost != outcome.warnings.end() && failure.kind != DataRace && failure.kind != UninitialisedRead) {
    failure.message = *lost + ". " + failure.message;
  } else if (outcome.status == run::Outcome::Status::Completed) {
    failure.message += " The run gave a warning: " + outcome.warnings.front() + ".";
  }
  return verdict;
}

/// Cases of one kernel that run together.
class Together {
 public:
  Together(std::span<const operation::Case> cases, const kernel::Kernel& kernel)
      : cases_(cases), kernel_(kernel), verdicts_(cases.size()), contracts_(cases.size()) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (auto contract = contract_for(cases[i], kernel)) {
        contracts_[i] = *std::move(contract);
        owners_.push_back(i);
      } else {
        verdicts_[i] = verdict::error_verdict(contract.error().message);
      }
    }
  }

  std::vector<Verdict> judged(run::Executor& executor, const Judging& how, bool at_once) {
    std::vector<run::Job> jobs;
    for (const std::size_t i : owners_) jobs.push_back({&cases_[i], &contracts_[i]});
    run::Batch batch{.threads = how.threads, .at_once = at_once, .until_hang = how.until_hang};
    const std::vector<run::Outcome> outcomes = executor.run(jobs, kernel_, batch);
    base::parallel_for(how.threads, jobs.size(), [&](std::size_t j) {
      const std::size_t i = owners_[j];
      try {
        if (how.observe) how.observe(cases_[i], outcomes[j]);
        verdicts_[i] = judge(cases_[i], contracts_[i], outcomes[j], how);
      } catch (const std::exception& exception) {
        verdicts_[i] = verdict::error_verdict(fmt::format("{}: {}", kernel_.name, exception.what()));
      }
    });
    if (how.referee) ask(*how.referee, outcomes);
    for (std::size_t j = 0; j < owners_.size(); ++j) {
      if (is_fail(verdicts_[owners_[j]]) && !outcomes[j].alone) unsure_.push_back(owners_[j]);
    }
    batch.until_hang = false;
    repeat(executor, how.repeat, batch, outcomes);
    hold_claims(executor, how.claims);
    return std::move(verdicts_);
  }
  /// Cases that failed among others: another one may be to blame.
  [[nodiscard]] const std::vector<std::size_t>& unsure() const { return unsure_; }

 private:
  void repeat(run::Executor& executor, Repeat which, const run::Batch& batch, std::span<const run::Outcome> outcomes) {
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < owners_.size(); ++j) {
      if (!verdict::is_clean(verdicts_[owners_[j]].kind)) continue;
      const operation::Case& value = cases_[owners_[j]];
      if (runs_again(value.seed, value.index, contracts_[owners_[j]], which)) chosen.push_back(j);
    }
    if (chosen.empty()) return;
    std::vector<operation::Case> again;
    for (const std::size_t j : chosen) {
      again.push_back(cases_[owners_[j]]);
      operation::Schedule& schedule = again.back().schedule;
      schedule = {operation::Schedule::Order::Random, true, base::mix64(schedule.seed + 1)};
    }
    std::vector<run::Job> jobs;
    for (std::size_t k = 0; k < chosen.size(); ++k) jobs.push_back({&again[k], &contracts_[owners_[chosen[k]]]});
    const std::vector<run::Outcome> second = executor.run(jobs, kernel_, batch);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (second[k].status == run::Outcome::Status::Error) {
        verdicts_[owners_[chosen[k]]] = verdict::error_verdict("in a second run: " + second[k].reason);
        continue;
      }
      std::vector<std::string>& warnings = verdicts_[owners_[chosen[k]]].warnings;
      warnings.insert(warnings.end(), second[k].warnings.begin(), second[k].warnings.end());
      auto failure = difference(again[k], outcomes[chosen[k]], second[k]);
      if (!failure) continue;
      verdicts_[owners_[chosen[k]]] = Verdict{.kind = VerdictKind::Fail, .failure = std::move(failure), .reason = {}};
      unsure_.push_back(owners_[chosen[k]]);
    }
  }

  /// Holds what ran clean, and whose values no oracle knows, to the reference.
  void ask(const Referee& referee, std::span<const run::Outcome> outcomes) {
    for (std::size_t j = 0; j < owners_.size(); ++j) {
      const std::size_t i = owners_[j];
      const bool has_equal_stores = is_fail(verdicts_[i]) && verdicts_[i].failure->rule == "run.equal_stores";
      if ((verdicts_[i].kind != VerdictKind::NotJudged && !has_equal_stores) || outcomes[j].outputs.empty()) continue;
      Verdict verdict = judge_by_reference(cases_[i], contracts_[i], kernel_, referee, outcomes[j].outputs);
      if (has_equal_stores && !is_fail(verdict)) continue;
      std::ranges::move(verdicts_[i].warnings, std::back_inserter(verdict.warnings));
      verdicts_[i] = named_by_shuffle(std::move(verdict), outcomes[j]);
    }
  }

  void hold_claims(run::Executor& executor, Repeat which) {
    for (const std::size_t i : owners_) {
      if (!verdict::is_clean(verdicts_[i].kind) || !is_held_to_claims(cases_[i], kernel_, which)) continue;
      if (auto broken = broken_claim(cases_[i], kernel_, executor, which)) verdicts_[i] = *std::move(broken);
    }
  }

  std::span<const operation::Case> cases_;
  const kernel::Kernel& kernel_;
  std::vector<Verdict> verdicts_;
  std::vector<contract::Contract> contracts_;
  std::vector<std::size_t> owners_;  ///< cases that have a contract: those that run
  std::vector<std::size_t> unsure_;
};

/// The verdicts of cases some of which failed while launches ran at once: those of runs in turn. What fails at once
/// alone is forgiven where it does so again, or ends its process; else it comes and goes, and stays a failure. Each
/// time in a fresh process, for what launches shared may be spoilt.
std::vector<Verdict> in_turn_instead(std::span<const operation::Case> cases, const kernel::Kernel& kernel,
                                     run::Executor& executor, const Judging& how, std::vector<Verdict> at_once) {
  executor.keep_in_turn(kernel);
  executor.refresh();
  std::vector<Verdict> verdicts = conformance(cases, kernel, executor, how);
  std::vector<std::size_t> gone;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (is_fail(at_once[i]) && verdict::is_clean(verdicts[i].kind)) gone.push_back(i);
  }
  if (gone.empty()) return verdicts;
  executor.refresh();
  const std::uint64_t ends = executor.ended_at_once();
  const Judging unseen{.exact = how.exact, .referee = how.referee, .threads = how.threads};
  const std::vector<Verdict> again = Together(cases, kernel).judged(executor, unseen, true);
  executor.refresh();
  bool comes_again = executor.ended_at_once() > ends;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    comes_again = comes_again || (is_fail(again[i]) && !is_fail(verdicts[i]));
  }
  for (const std::size_t i : gone) {
    if (!comes_again) {
      verdicts[i] = std::move(at_once[i]);
      verdicts[i].failure->message += fmt::format(kNotAlone, cases.size());
    } else {
      verdicts[i].warnings.emplace_back(kAtOnce);
    }
  }
  return verdicts;
}

}  // namespace

bool runs_again(std::uint64_t seed, std::uint64_t index, const contract::Contract& contract, Repeat repeat) {
  constexpr std::uint64_t kSalt = 0x7265706561740000;
  if (repeat == Repeat::Never || contract.determinism == contract::Determinism::NotGuaranteed) return false;
  return repeat == Repeat::Always || base::is_one_in(20, seed, index, kSalt);
}

Verdict judge(const operation::Case& value, const contract::Contract& contract, const run::Outcome& outcome,
              const Judging& how) {
  switch (outcome.status) {
    case run::Outcome::Status::Refused:
      return Verdict{.kind = VerdictKind::Refused, .failure = {}, .reason = outcome.reason};
    case run::Outcome::Status::Error:
      return verdict::error_verdict(outcome.reason);
    case run::Outcome::Status::Failed: {
      // Stores of equal values have ended nothing, and hide nothing.
      if (!outcome.outputs.empty()) {
        Verdict verdict = judge_outputs(value, contract, outcome.outputs, how);
        if (is_fail(verdict)) return named_by_shuffle(std::move(verdict), outcome);
      }
      Verdict verdict{.kind = VerdictKind::Fail, .failure = outcome.failure, .reason = {}};
      std::ranges::copy_if(outcome.warnings, std::back_inserter(verdict.warnings), run::is_by_value);
      return named_by_shuffle(std::move(verdict), outcome);
    }
    case run::Outcome::Status::Completed:
      break;
  }
  Verdict verdict = judge_outputs(value, contract, outcome.outputs, how);
  if (outcome.warnings.empty() || verdict.kind == VerdictKind::Error) return verdict;
  verdict.warnings = outcome.warnings;
  return named_by_shuffle(std::move(verdict), outcome);
}

base::Result<contract::Contract> contract_of(const operation::Case& value, const kernel::Kernel& kernel) {
  auto contract = value.contract.empty() ? base::Result(kernel.contract) : judgement::named_contract(value);
  if (!contract || contract->depth.formula.empty()) return contract;
  // The launch's options are the kernel's, and a case names those alone that are not at their default.
  const auto depth = formula::Formula::parse(contract->depth.formula);
  if (!depth) return depth.error();
  const operation::Configuration options = operation::whole(kernel.limits.configuration, value.configuration);
  const auto option = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = options.find(std::string(name));
    const bool is_extent = value.operation.signature().find_extent(name).has_value();
    return found != options.end() && !is_extent ? std::optional(found->second) : std::nullopt;
  };
  contract->depth.formula = depth->with(option).to_string();
  return contract;
}

Verdict conformance(const operation::Case& value, const kernel::Kernel& kernel, run::Executor& executor,
                    const Judging& how) {
  return std::move(conformance(std::span(&value, 1), kernel, executor, how).front());
}

std::vector<Verdict> conformance(std::span<const operation::Case> cases, const kernel::Kernel& kernel,
                                 run::Executor& executor, const Judging& how) {
  std::vector<Verdict> verdicts;
  const auto has_history = [](const operation::Case& value) { return !value.history.empty(); };
  if (std::ranges::any_of(cases, has_history)) {
    for (const operation::Case& value : cases) {
      verdicts.push_back(has_history(value)
                             ? conformance_after(value, kernel, executor, {.exact = how.exact, .referee = how.referee})
                             : std::move(conformance(std::span(&value, 1), kernel, executor, how).front()));
    }
    return verdicts;
  }
  try {
    const bool at_once = cases.size() > 1 && executor.may_run_at_once(kernel);
    Together together(cases, kernel);
    verdicts = together.judged(executor, how, at_once);
    if (cases.size() == 1 || executor.keeps_cases_apart() || together.unsure().empty()) return verdicts;
    if (at_once) return in_turn_instead(cases, kernel, executor, how, std::move(verdicts));
    const Judging again{.exact = how.exact,
                        .repeat = how.repeat == Repeat::Never ? Repeat::Never : Repeat::Always,
                        .claims = how.claims == Repeat::Never ? Repeat::Never : Repeat::Always,
                        .referee = how.referee};
    for (const std::size_t i : together.unsure()) {
      Verdict alone = conformance(cases[i], kernel, executor, again);
      if (is_fail(alone)) {
        verdicts[i] = std::move(alone);
      } else {
        verdicts[i].failure->message += fmt::format(kNotAlone, cases.size());
      }
    }
    return verdicts;
  } catch (const std::exception& exception) {
    return std::vector<Verdict>(cases.size(),
                                verdict::error_verdict(fmt::format("{}: {}", kernel.name, exception.what())));
  }
}

}  // namespace negzero::property

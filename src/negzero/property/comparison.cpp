// Two kernels on one case: the same bits, bits that both contracts permit, or which of the two is wrong.

#include <utility>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/property/conformance.hpp>

namespace negzero::property {

namespace {

using tensor::Tensor;
using verdict::Failure;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// What one side made of the case.
struct Judged {
  Verdict verdict;                ///< of the contract; Pass where nothing was asked yet
  std::vector<Tensor> outputs{};  ///< where it has some
  [[nodiscard]] bool has_output() const { return !outputs.empty(); }
};

Judged run(const operation::Case& value, const Side& side, const contract::Contract& contract) {
  run::Outcome outcome = side.executor->run(value, *side.kernel, contract);
  Judged answer;
  switch (outcome.status) {
    case run::Outcome::Status::Completed:
      answer.verdict.kind = VerdictKind::Pass;
      answer.outputs = std::move(outcome.outputs);
      break;
    case run::Outcome::Status::Failed:
      answer.verdict = {.kind = VerdictKind::Fail, .failure = std::move(outcome.failure), .reason = {}};
      break;
    case run::Outcome::Status::Refused:
      answer.verdict = {.kind = VerdictKind::Refused, .failure = {}, .reason = std::move(outcome.reason)};
      break;
    case run::Outcome::Status::Error:
      answer.verdict = verdict::error_verdict(std::move(outcome.reason));
      break;
  }
  return answer;
}

/// The first element that differs, in which output, and how many of all do; -1 and 0 where none does.
struct Difference {
  std::size_t output = 0;
  std::int64_t first = -1, count = 0, elements = 0;
};

Difference difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  Difference result;
  for (std::size_t o = 0; o < a.size(); ++o) {
    const number::Format& format = a[o].format();
    result.elements += a[o].element_count();
    for (std::int64_t i = 0; i < a[o].element_count(); ++i) {
      if (number::same_result(format, a[o].get(i), b[o].get(i))) continue;
      if (result.count++ > 0) continue;
      result.output = o;
      result.first = i;
    }
  }
  return result;
}

std::string distance_text(const number::Format& format, std::uint64_t a, std::uint64_t b) {
  if (format.is_integer()) return "";
  const number::UlpDistance distance = number::ulp_distance(format, a, b);
  if (distance.kind != number::UlpDistance::Kind::Finite) return "";
  constexpr std::uint64_t kTellable = 1 << 16;  // Beyond it the number says nothing that the values do not.
  if (distance.steps > kTellable) return "";
  return distance.steps == 0 ? ", which differ in the sign of zero alone"
                             : fmt::format(", {} ulp apart", distance.steps);
}

/// "x is right" or what is wrong with x, for a side whose verdict is known.
std::string judgement_text(const Side& side, const Verdict& verdict) {
  const std::string name = to_string(*side.kernel);
  if (verdict.kind == VerdictKind::NotJudged)
    return fmt::format(
        "the values of {} are held to nothing here: its operation has no definition, and references do not take part",
        name);
  if (verdict.kind != VerdictKind::Fail) return fmt::format("{} is as its contract permits", name);
  const Failure& failure = *verdict.failure;
  return fmt::format("{} is not: {} ({})", name, failure.message, failure.rule);
}

}  // namespace

std::string to_string(const kernel::Kernel& kernel) {
  return fmt::format("{}@{}", kernel.name, kernel::name(kernel.where()));
}

Verdict compare(const operation::Case& value, const Side& first, const Side& second, const oracle::Options& options) {
  const Side* const sides[] = {&first, &second};
  Judged answers[2];
  contract::Contract contracts[2];
  for (int i = 0; i < 2; ++i) {
    auto contract = contract_of(value, *sides[i]->kernel);
    if (!contract) return verdict::error_verdict(contract.error().message);
    contracts[i] = *std::move(contract);
    answers[i] = run(value, *sides[i], contracts[i]);
    Verdict& verdict = answers[i].verdict;
    if (verdict.kind == VerdictKind::Refused || verdict.kind == VerdictKind::Error) {
      verdict.reason = fmt::format("{}: {}", to_string(*sides[i]->kernel), verdict.reason);
      return std::move(verdict);
    }
  }
  Difference differs;
  const bool comparable = answers[0].has_output() && answers[1].has_output();
  if (comparable) {
    differs = difference(answers[0].outputs, answers[1].outputs);
    if (differs.elements == 0) {
      return {.kind = VerdictKind::Vacuous, .failure = {}, .reason = std::string(kNoResults)};
    }
    if (differs.count == 0) return {.kind = VerdictKind::Pass, .failure = {}, .reason = {}};
  }
  for (int i = 0; i < 2; ++i) {
    if (!answers[i].has_output()) continue;
    run::Outcome outcome{.status = run::Outcome::Status::Completed, .outputs = std::move(answers[i].outputs)};
    answers[i].verdict = judge(value, contracts[i], outcome, {.exact = options.exact});
    if (answers[i].verdict.kind == VerdictKind::Error) return std::move(answers[i].verdict);
    answers[i].outputs = std::move(outcome.outputs);
  }

  const bool wrong[] = {answers[0].verdict.kind == VerdictKind::Fail, answers[1].verdict.kind == VerdictKind::Fail};
  const bool is_judged = !value.operation.signature().is_declared;
  Failure failure;
  failure.kind = wrong[0]   ? answers[0].verdict.failure->kind
                 : wrong[1] ? answers[1].verdict.failure->kind
                            : FailureClass::NotDeterministic;
  failure.rule = wrong[0] && wrong[1] ? kBothWrong
                 : wrong[0]           ? kFirstWrong
                 : wrong[1]           ? kSecondWrong
                 : is_judged          ? kBothPermitted
                                      : kNotJudged;
  if (comparable) {
    const Tensor &a = answers[0].outputs[differs.output], &b = answers[1].outputs[differs.output];
    const number::Format& format = a.format();
    operation::locate(failure, operation::output_specs(value.operation)[differs.output], differs.first);
    failure.failing_elements = differs.count;
    failure.observed = a.get(differs.first);
    failure.observed_text = number::with_bits(format, failure.observed);
    failure.permitted_text = number::with_bits(format, b.get(differs.first));
    failure.message = fmt::format("{} of {} elements differ, the first in {} against {}{}. ", differs.count,
                                  differs.elements, failure.observed_text, failure.permitted_text,
                                  distance_text(format, failure.observed, b.get(differs.first)));
  }
  failure.message += judgement_text(first, answers[0].verdict) + "; " + judgement_text(second, answers[1].verdict);
  return {.kind = VerdictKind::Fail, .failure = std::move(failure), .reason = {}};
}

}  // namespace negzero::property

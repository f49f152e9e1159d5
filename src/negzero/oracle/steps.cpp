// Applies operations by the ends of their operands.

#include <fmt/format.h>

#include <negzero/contract/words.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/steps.hpp>

namespace negzero::oracle {

namespace {

Set after(const Step& step, const Set& set) {
  switch (step.kind) {
    case StepKind::Round:
      return convert_sum(set, number::format(step.from), step.arithmetic, step.rounding,
                         contract::OverflowPolicy::Ieee);
    case StepKind::Hold:
      return stored(set, step.arithmetic, step.may_overflow);
    case StepKind::Divide:
      return divide(step.arithmetic, set, step.count);
    case StepKind::TimesReciprocal:
      break;
  }
  return multiply(step.arithmetic, set, reciprocal(step.arithmetic.format(), step.count));
}

}  // namespace

std::string to_string(const Step& step) {
  const std::string_view format = step.arithmetic.format().name;
  switch (step.kind) {
    case StepKind::Round:
      return fmt::format("to {} {}", format, contract::word(step.rounding));
    case StepKind::Hold:
      return fmt::format("stored to {}", format);
    case StepKind::Divide:
      return fmt::format("/ {} in {}", step.count, format);
    case StepKind::TimesReciprocal:
      break;
  }
  return fmt::format("* (1 / {}) in {}", step.count, format);
}

Set finish(std::span<const Step> steps, const Set& sum) {
  Set set = sum;
  for (const Step& step : steps) set = after(step, set);
  return set;
}

std::vector<Step> intermediate_steps(const contract::Contract& contract) {
  std::vector<Step> steps;
  number::FormatId from = held_format(contract).id;
  for (const contract::RoundingStep& step : contract.intermediate) {
    steps.push_back({.kind = StepKind::Round,
                     .arithmetic = Arithmetic(step.format, contract),
                     .from = from,
                     .rounding = step.rounding});
    from = step.format;
  }
  return steps;
}

}  // namespace negzero::oracle

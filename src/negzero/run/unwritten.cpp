// Output elements that a kernel never wrote: they hold whichever poison memory held before.

#include <fmt/format.h>

#include <negzero/run/guarded_buffer.hpp>
#include <negzero/run/unwritten.hpp>

namespace negzero::run {

operation::Poison other_poison(operation::Poison poison) noexcept {
  return poison == operation::Poison::Nan ? operation::Poison::Large : operation::Poison::Nan;
}

namespace {

bool holds(const tensor::Tensor& output, std::int64_t i, operation::Poison poison) {
  return output.get(i) == poison_word(poison, output.format());
}

}  // namespace

bool looks_unwritten(const operation::Case& value, const Outcome& outcome) {
  if (outcome.status != Outcome::Status::Completed) return false;
  if (value.operation.signature().is_update) return false;
  const std::uint64_t poison = poison_word(value.poison, outcome.output.format());
  for (std::int64_t i = 0; i < outcome.output.element_count(); ++i) {
    if (outcome.output.get(i) == poison) return true;
  }
  return false;
}

Outcome combine(const operation::Case& value, Outcome outcome, Outcome again) {
  if (again.status != Outcome::Status::Completed) return again;
  const operation::Poison other = other_poison(value.poison);
  const std::int64_t count = outcome.output.element_count();
  std::int64_t unwritten = 0, first = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!holds(outcome.output, i, value.poison) || !holds(again.output, i, other)) continue;
    if (unwritten++ == 0) first = i;
  }
  if (unwritten == 0) return outcome;
  Outcome result;
  result.status = Outcome::Status::Failed;
  result.failure = operation::Failure{
      .kind = operation::FailureClass::UnwrittenOutput,
      .rule = "run.unwritten",
      .message = fmt::format("{} of {} output elements were never written", unwritten, count),
      .element = first,
      .coordinates = tensor::coordinates_of(outcome.output.shape(), first),
      .observed = outcome.output.get(first),
      .observed_text = "what memory held before the launch",
      .failing_elements = unwritten,
  };
  return result;
}

}  // namespace negzero::run

// Output elements that a kernel never wrote: they hold whichever poison memory held before.

#include <utility>

#include <fmt/format.h>

#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/run/unwritten.hpp>

namespace negzero::run {

operation::Poison other_poison(operation::Poison poison) noexcept {
  return poison == operation::Poison::Nan ? operation::Poison::Large : operation::Poison::Nan;
}

namespace {

bool holds(const tensor::Tensor& output, std::int64_t i, operation::Poison poison) {
  return output.get(i) == poison_word(poison, output.format());
}

/// The first output that held poison and no input.
std::size_t first_poisoned(const operation::Case& value) { return value.in_place.empty() ? 0 : 1; }

}  // namespace

bool looks_unwritten(const operation::Case& value, const Outcome& outcome) {
  if (outcome.outputs.empty()) return false;
  if (value.operation.signature().is_update) return false;
  for (std::size_t o = first_poisoned(value); o < outcome.outputs.size(); ++o) {
    const tensor::Tensor& output = outcome.outputs[o];
    const std::uint64_t poison = poison_word(value.poison, output.format());
    for (std::int64_t i = 0; i < output.element_count(); ++i) {
      if (output.get(i) == poison) return true;
    }
  }
  return false;
}

Outcome combine(const operation::Case& value, Outcome outcome, Outcome again) {
  if (again.outputs.size() != outcome.outputs.size()) return again;
  const operation::Poison other = other_poison(value.poison);
  const std::vector<operation::TensorSpec> specs = operation::output_specs(value.operation);
  std::int64_t elements = 0;
  verdict::Failure failure{.kind = verdict::FailureClass::UnwrittenOutput, .rule = "run.unwritten"};
  for (std::size_t o = first_poisoned(value); o < specs.size(); ++o) {
    const tensor::Tensor& output = outcome.outputs[o];
    elements += output.element_count();
    for (std::int64_t i = 0; i < output.element_count(); ++i) {
      if (!holds(output, i, value.poison) || !holds(again.outputs[o], i, other)) continue;
      if (failure.failing_elements++ > 0) continue;
      operation::locate(failure, specs[o], i);
      failure.observed = output.get(i);
    }
  }
  if (failure.failing_elements == 0) return outcome;
  failure.message = fmt::format("{} of {} output elements were never written", failure.failing_elements, elements);
  failure.observed_text = "what memory held before the launch";
  Outcome result;
  result.status = Outcome::Status::Failed;
  result.failure = std::move(failure);
  return result;
}

}  // namespace negzero::run

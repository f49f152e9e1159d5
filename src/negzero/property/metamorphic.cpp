// Claims that need no oracle: the table of properties, and the comparison of two outputs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/property/metamorphic.hpp>
#include <negzero/property/variations.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::property {

namespace {

using verdict::Failure;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

bool same(const number::Format& format, std::uint64_t a, std::uint64_t b, bool zero_signs_exempt) {
  if (number::same_result(format, a, b)) return true;
  return zero_signs_exempt && number::is_zero(format, a) && number::is_zero(format, b);
}

FailureClass class_of(const number::Format& format, std::uint64_t observed, std::uint64_t predicted, bool repeated) {
  if (repeated) return FailureClass::NotDeterministic;
  if (number::is_zero(format, observed) && number::is_zero(format, predicted)) return FailureClass::WrongZeroSign;
  const auto special = [&](std::uint64_t word) { return !number::decode(format, word).is_finite(); };
  return special(observed) || special(predicted) ? FailureClass::WrongSpecialValue : FailureClass::WrongValue;
}

}  // namespace

const std::vector<Metamorphic>& metamorphic_properties() {
  static const std::vector<Metamorphic> all = {
      {"meta.run_twice", run_twice},
      {"meta.scale", scale},
      {"meta.negate", negate},
      {"meta.permute_rows", permute_rows},
      {"meta.permute_columns", permute_columns},
      {"meta.embed", embed},
      {"meta.batch", batch},
      {"meta.pad_rows", pad_rows},
      {"meta.pad_columns", pad_columns},
      {"meta.other_rows", other_rows},
      {"meta.pad_k", pad_k},
      {"meta.transpose", transpose},
      {"meta.nan_row", nan_row},
      {"meta.select_again", select_again},
  };
  return all;
}

std::optional<Verdict> hold(const Metamorphic& property, const operation::Case& value, const kernel::Kernel& kernel,
                            run::Executor& executor, base::Random random) {
  const contract::Contract& contract = kernel.contract;
  const run::Outcome before = executor.run(value, kernel, contract);
  if (before.status != run::Outcome::Status::Completed || before.outputs.size() > 1) return std::nullopt;
  const std::optional<Variation> variation = property.vary(value, kernel, contract, before.outputs.front(), random);
  if (!variation || operation::outside(kernel.limits, variation->value.operation, variation->value.layouts,
                                       variation->value.in_place)) {
    return std::nullopt;
  }
  const run::Outcome after = executor.run(variation->value, kernel, contract);
  if (after.status != run::Outcome::Status::Completed) return std::nullopt;

  Verdict verdict{.kind = VerdictKind::Pass};
  const tensor::Tensor& output = after.outputs.front();
  const number::Format& format = output.format();
  for (std::int64_t i = 0; i < output.element_count(); ++i) {
    if (!variation->exempt.empty() && variation->exempt[static_cast<std::size_t>(i)]) continue;
    const std::uint64_t observed = output.get(i), predicted = variation->predicted.get(i);
    if (same(format, observed, predicted, variation->zero_signs_exempt)) continue;
    if (!verdict.failure) {
      verdict.kind = VerdictKind::Fail;
      Failure failure{.kind = class_of(format, observed, predicted, property.vary == run_twice)};
      failure.rule = property.rule;
      const operation::TensorSpec own = operation::output_specs(value.operation).front();
      operation::locate(failure, own, variation->origins.empty() ? i : variation->origins[static_cast<std::size_t>(i)]);
      failure.message = fmt::format("{}: {}{}[{}] of the changed case is {}, the claim says {}", property.claim(),
                                    variation->drawn.empty() ? "" : variation->drawn + ", ", own.name,
                                    fmt::join(tensor::coordinates_of(output.shape(), i), ", "),
                                    number::with_bits(format, observed), number::with_bits(format, predicted));
      failure.observed = observed;
      failure.observed_text = number::with_bits(format, observed);
      failure.permitted_text = number::with_bits(format, predicted);
      verdict.failure = std::move(failure);
    }
    ++verdict.failure->failing_elements;
  }
  return verdict;
}

}  // namespace negzero::property

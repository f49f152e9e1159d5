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

/// The first element of an output of the changed case that is not as predicted.
std::optional<Failure> first_difference(const Metamorphic& property, const operation::Case& value,
                                        const Variation& variation, std::size_t which, const tensor::Tensor& output) {
  const Prediction& predicted = variation.outputs[which];
  const number::Format& format = output.format();
  std::optional<Failure> failure;
  for (std::int64_t i = 0; i < output.element_count(); ++i) {
    if (!predicted.exempt.empty() && predicted.exempt[static_cast<std::size_t>(i)]) continue;
    const std::uint64_t observed = output.get(i), claimed = predicted.values.get(i);
    if (same(format, observed, claimed, variation.zero_signs_exempt)) continue;
    if (!failure) {
      failure.emplace(Failure{.kind = class_of(format, observed, claimed, property.vary == run_twice)});
      failure->rule = property.rule;
      const operation::TensorSpec own = operation::output_specs(value.operation)[which];
      operation::locate(*failure, own, predicted.origins.empty() ? i : predicted.origins[static_cast<std::size_t>(i)]);
      failure->message = fmt::format("{}: {}{}[{}] of the changed case is {}, the claim says {}", property.claim(),
                                     variation.drawn.empty() ? "" : variation.drawn + ", ", own.name,
                                     fmt::join(tensor::coordinates_of(output.shape(), i), ", "),
                                     number::with_bits(format, observed), number::with_bits(format, claimed));
      failure->observed = observed;
      failure->observed_text = number::with_bits(format, observed);
      failure->permitted_text = number::with_bits(format, claimed);
    }
    ++failure->failing_elements;
  }
  return failure;
}

}  // namespace

const std::vector<Metamorphic>& metamorphic_properties() {
  static const std::vector<Metamorphic> all = {
      {"meta.run_twice", run_twice, true},
      {"meta.scale", scale},
      {"meta.negate", negate},
      {"meta.permute_rows", permute_rows, true},
      {"meta.permute_columns", permute_columns},
      {"meta.embed", embed, true},
      {"meta.batch", batch},
      {"meta.pad_rows", pad_rows},
      {"meta.pad_columns", pad_columns},
      {"meta.other_rows", other_rows, true},
      {"meta.other_columns", other_columns},
      {"meta.pad_k", pad_k},
      {"meta.transpose", transpose},
      {"meta.nan_row", nan_row, true},
      {"meta.select_again", select_again},
  };
  return all;
}

std::optional<Verdict> hold(const Metamorphic& property, const operation::Case& value, const kernel::Kernel& kernel,
                            run::Executor& executor, base::Random random) {
  const contract::Contract& contract = kernel.contract;
  const run::Outcome before = executor.run(value, kernel, contract);
  if (before.status != run::Outcome::Status::Completed) return std::nullopt;
  if (before.outputs.size() > 1 && !property.takes_several) return std::nullopt;
  const std::optional<Variation> variation = property.vary(value, kernel, contract, before.outputs, random);
  if (!variation || !kernel.takes(variation->value)) return std::nullopt;
  const run::Outcome after = executor.run(variation->value, kernel, contract);
  if (after.status != run::Outcome::Status::Completed) return std::nullopt;

  Verdict verdict{.kind = VerdictKind::Pass};
  for (std::size_t o = 0; o < after.outputs.size(); ++o) {
    verdict.failure = first_difference(property, value, *variation, o, after.outputs[o]);
    if (!verdict.failure) continue;
    verdict.kind = VerdictKind::Fail;
    break;
  }
  return verdict;
}

}  // namespace negzero::property

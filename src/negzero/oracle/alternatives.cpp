// What a failing output is right under: contracts beside the declared one.

#include <algorithm>

#include <negzero/operation/workload.hpp>
#include <negzero/oracle/alternatives.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::oracle {
namespace {

using contract::Contract;
using contract::Subnormals;

/// Whether `other` permits the output. `is_wider`: it permits whatever the declared contract does, so that only the
/// failing elements are open.
bool permits(const operation::Case& value, const Contract& other, std::span<const tensor::Tensor> observed,
             std::span<const OutputElement> failing, bool is_wider) {
  const auto oracle = Oracle::make(value, other);
  if (!oracle) return false;
  const auto permitted = [&](const OutputElement& place) {
    return oracle->permitted(place.element, place.output, observed.first(place.output));
  };
  const auto word = [&](const OutputElement& place) { return observed[place.output].get(place.element); };
  for (const OutputElement& place : failing) {
    const Permitted set = permitted(place);
    if (set.vacuous || !set.contains(word(place))) return false;
  }
  for (OutputElement place; !is_wider && place.output < observed.size(); ++place.output) {
    for (place.element = 0; place.element < observed[place.output].element_count(); ++place.element) {
      if (!permitted(place).contains(word(place))) return false;
    }
  }
  return true;
}

}  // namespace

namespace {

using Words = std::vector<std::string>;

/// Whether a factor or the output has that format.
bool has_format(const operation::Case& value, number::FormatId format) {
  const std::vector<std::size_t>& factors = value.operation.signature().factors;
  const auto is_it = [&](std::size_t factor) { return value.operation.format_of(factor) == format; };
  return std::ranges::any_of(factors, is_it) || operation::output_specs(value.operation).front().format == format;
}

constexpr const char* kMeanOverflows = "mean_may_overflow true";

/// A sum held in so few bits permits nearly anything: asked where no rounding of factors explains the result, nor an
/// overflow inside a mean.
bool no_factor_fits(const operation::Case&, const Words& found) {
  return std::ranges::none_of(
      found, [](const std::string& word) { return word.starts_with("multiplicand") || word == kMeanOverflows; });
}

/// Who rounds factors to TF32 does so for tensor cores, which sum the products in their own way.
void to_tf32(Contract& contract, contract::Multiplicand conversion) {
  contract.multiplicand = conversion;
  if (contract.tensor_core == contract::TensorCore::No) contract.tensor_core = contract::TensorCore::May;
}

/// Numerics that libraries choose without saying so, each with the words that declare it.
struct Undeclared {
  std::string_view word;
  std::string_view hint;
  bool is_everywhere;  ///< it shows in many elements, so that a few wrong ones have another cause
  void (*declare)(Contract& contract);
  /// Whether it is worth asking, after what has been found; nothing: always.
  bool (*suits)(const operation::Case& value, const Words& found) = nullptr;
  bool is_wider = false;  ///< it permits all that the declared contract does
};
constexpr Undeclared kUndeclared[] = {
    {"slice_format F16",
     "permitted if slices of k were summed by themselves and their sums stored in F16: then declare slice_format "
     "\"F16\" (docs/numerics.md section 2f)",
     true, [](Contract& contract) { contract.slice_format = number::FormatId::F16; },
     [](const operation::Case& value, const Words&) { return has_format(value, number::FormatId::F16); }, true},
    {"slice_format BF16",
     "permitted if slices of k were summed by themselves and their sums stored in BF16, as cuBLAS does where "
     "allow_bf16_reduced_precision_reduction is on: then declare slice_format \"BF16\" (docs/numerics.md section 2f)",
     true, [](Contract& contract) { contract.slice_format = number::FormatId::BF16; },
     [](const operation::Case& value, const Words&) { return has_format(value, number::FormatId::BF16); }, true},
    {"multiplicand tf32_nearest_even",
     "permitted if factors were rounded to TF32: then declare multiplicand \"tf32_nearest_even\" and tensor_core "
     "\"may\"",
     true, [](Contract& contract) { to_tf32(contract, contract::Multiplicand::Tf32NearestEven); }},
    {"multiplicand tf32_nearest_away",
     "permitted if factors were rounded to TF32, ties away from zero: then declare multiplicand \"tf32_nearest_away\" "
     "and tensor_core \"may\"",
     true, [](Contract& contract) { to_tf32(contract, contract::Multiplicand::Tf32NearestAway); }},
    {"multiplicand tf32_truncate",
     "permitted if factors were cut to TF32: then declare multiplicand \"tf32_truncate\" and tensor_core \"may\"", true,
     [](Contract& contract) { to_tf32(contract, contract::Multiplicand::Tf32Truncate); }},
    {"multiplicand tf32_or_exact",
     "permitted if factors may have been rounded to TF32, here so and there not: then declare multiplicand "
     "\"tf32_or_exact\" and tensor_core \"may\"",
     true, [](Contract& contract) { to_tf32(contract, contract::Multiplicand::Tf32OrExact); },
     [](const operation::Case&, const Words& found) {
       return std::ranges::none_of(found,
                                   [](const std::string& word) { return word.starts_with("multiplicand tf32"); });
     }},
    {kMeanOverflows, "permitted if the sum inside a mean may overflow: then declare mean_may_overflow true", false,
     [](Contract& contract) { contract.mean_may_overflow = true; }},
    {"multiplicand bf16", "permitted if factors were rounded to BF16: then declare multiplicand \"bf16\"", true,
     [](Contract& contract) { contract.multiplicand = contract::Multiplicand::Bf16; }},
    {"accumulate F16", "permitted if the sum was held in F16: then declare accumulate \"F16\"", true,
     [](Contract& contract) { contract.accumulate = number::FormatId::F16; }, no_factor_fits},
    {"accumulate BF16", "permitted if the sum was held in BF16: then declare accumulate \"BF16\"", true,
     [](Contract& contract) { contract.accumulate = number::FormatId::BF16; }, no_factor_fits},
    {"output_rounding toward_zero",
     "permitted if the result was cut to its format: then declare output_rounding \"toward_zero\"", true,
     [](Contract& contract) { contract.output_rounding = number::Rounding::TowardZero; }},
    {"overflow saturate",
     "permitted if what is too large becomes the largest number: then declare overflow \"saturate\"", false,
     [](Contract& contract) { contract.overflow = contract::OverflowPolicy::Saturate; }},
    {"nan ignore", "permitted if NaN is passed over: then declare nan \"ignore\"", false,
     [](Contract& contract) { contract.nan = contract::NanPolicy::Ignore; }},
    {"zero_sign any", "permitted if zeros may have either sign: then declare zero_sign \"any\"", false,
     [](Contract& contract) { contract.zero_sign = contract::ZeroSign::Any; }},
};

}  // namespace

std::vector<std::string> undeclared_that_permit(const operation::Case& value, const Contract& contract,
                                                std::span<const tensor::Tensor> observed,
                                                std::span<const OutputElement> failing) {
  std::vector<std::string> result;
  if (operation::work_of(value.operation, kMostExplained) > kMostExplained) return result;
  std::size_t elements = 0;
  for (const tensor::Tensor& output : observed) elements += static_cast<std::size_t>(output.element_count());
  const bool many_fail = 16 * failing.size() >= elements;
  for (const Undeclared& each : kUndeclared) {
    if (each.is_everywhere && !many_fail) continue;
    if (each.suits != nullptr && !each.suits(value, result)) continue;
    Contract other = contract;
    each.declare(other);
    if (other == contract || !contract::validate(other)) continue;
    if (permits(value, other, observed, failing, each.is_wider)) result.emplace_back(each.word);
  }
  return result;
}

std::vector<std::string> alternatives_that_permit(const operation::Case& value, const Contract& contract,
                                                  std::span<const tensor::Tensor> observed,
                                                  std::span<const OutputElement> failing) {
  std::vector<std::string> result;
  if (operation::work_of(value.operation, kMostExplained) > kMostExplained) return result;
  if (contract.subnormal_inputs == Subnormals::Keep || contract.subnormal_results == Subnormals::Keep) {
    Contract flushed = contract;
    flushed.subnormal_inputs = flushed.subnormal_results = Subnormals::Either;
    if (permits(value, flushed, observed, failing, true)) result.emplace_back(kFlushed);
  }
  if (contract.tensor_core == contract::TensorCore::No) {
    // Where it does not fit the operation or the formats, nothing is permitted.
    Contract on_tensor_cores = contract;
    on_tensor_cores.tensor_core = contract::TensorCore::May;
    if (contract::validate(on_tensor_cores) && permits(value, on_tensor_cores, observed, failing, true)) {
      result.emplace_back(kOnTensorCores);
    }
  }
  if (!contract.compensated) {
    Contract compensated = contract;
    compensated.compensated = true;
    // A compensated sum may be held to less room than a plain one, so the other elements are open too.
    if (permits(value, compensated, observed, failing, false)) result.emplace_back(kCompensated);
  }
  return result;
}

std::string_view hint_of(std::string_view alternative) noexcept {
  if (alternative == kFlushed) {
    return "permitted if subnormals may be flushed, as atomicAdd on F32 in global memory flushes them "
           "(docs/numerics.md "
           "section 6): then declare subnormal_inputs and subnormal_results";
  }
  if (alternative == kOnTensorCores) {
    return "permitted if tensor cores summed the products, in steps that truncate (docs/numerics.md section 2e): then "
           "declare tensor_core \"may\", and the unit where it is known";
  }
  if (alternative == kCompensated) {
    return "permitted under compensated: a Kahan sum, which adds back what each addition loses, gives this; then "
           "declare "
           "compensated";
  }
  for (const Undeclared& each : kUndeclared) {
    if (each.word == alternative) return each.hint;
  }
  return alternative;
}

}  // namespace negzero::oracle

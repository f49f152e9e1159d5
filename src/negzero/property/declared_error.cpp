// Ends of what a declared error permits, exact but for one rounding outward.

#include <algorithm>
#include <cmath>

#include <negzero/notation/signature.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/property/declared_error.hpp>

namespace negzero::property {

__extension__ using Wide = __int128;
using exact::Dyadic;
using number::Format;
using number::FormatId;
using number::Rounding;

namespace {

/// The ends of a format: its infinities, or its largest numbers.
Interval ends_of(const Format& format) {
  return {number::ordinal(format, number::infinity(format, true)), number::ordinal(format, number::infinity(format))};
}

/// The format in which a kernel of the case computes, as far as its tensors say: F32, and F64 where all of them have
/// that. What F16 loses by underflow is no small number; who computes in it puts that into the scale.
const Format& computed_in(const operation::Case& value) {
  const auto is_f64 = [](const operation::TensorSpec& spec) {
    return spec.format == FormatId::F64 || number::format(spec.format).is_integer();
  };
  const bool all = std::ranges::all_of(operation::tensor_specs(value.operation), is_f64);
  return number::format(all ? FormatId::F64 : FormatId::F32);
}

/// The elements of all inputs that one problem reads, as far as the line says what one problem is.
std::int64_t elements_read(const operation::Case& value) {
  const notation::Signature& signature = value.operation.signature();
  std::int64_t sum = 0;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (tensor.role == notation::Role::Output) continue;
    std::int64_t product = 1;
    for (const std::size_t extent : tensor.extents) {
      if (std::ranges::find(signature.each, extent) == signature.each.end())
        product *= value.operation.extents()[extent];
    }
    sum += product;
  }
  return sum;
}

/// By how much later steps may multiply what one lost: by the largest magnitude among inputs and scalars, and by a
/// number of the kernel's own.
double most_amplified(const operation::Case& value) {
  // Norms divide by the root of their epsilon: 1 / sqrt(1e-6) is 1,000.
  constexpr double kOwn = 4096;
  double most = 1;
  const auto look = [&](const Format& format, std::uint64_t word) {
    const double size = std::abs(number::to_double(format, word));
    if (std::isfinite(size)) most = std::max(most, size);
  };
  for (const notation::TensorSignature& tensor : value.operation.signature().tensors) {
    const auto found = value.tensors.find(tensor.name);
    if (tensor.role == notation::Role::Index || found == value.tensors.end()) continue;
    for (std::int64_t i = 0; i < found->second.element_count(); ++i) {
      look(found->second.format(), found->second.get(i));
    }
  }
  for (const operation::Scalar& scalar : value.operation.scalars()) look(number::format(scalar.format), scalar.bits);
  return kOwn * most;
}

}  // namespace

DeclaredError::DeclaredError(const operation::Case& value, const Format& format, const kernel::ErrorBound& bound,
                             const contract::Contract& contract, const operation::Limits& limits)
    : format_(format), bound_(bound), flushes_(contract.subnormal_results != contract::Subnormals::Keep) {
  if (bound.relative == 0 || limits.values.empty()) return;
  // A step errs by u of its result, or by u 2^emin = eta / 2 where that underflows (Higham, "Accuracy and Stability of
  // Numerical Algorithms", 2nd ed. 2002, section 2.1 and equation 2.8): by eta for two steps an element, times what a
  // later step multiplies it by. From a scale S of N M 2^emin / u on that is below 2 u^2 S.
  const Format& held = computed_in(value);
  const Dyadic elements = Dyadic(elements_read(value)) * Dyadic::from_double(most_amplified(value));
  underflow_ = elements * Dyadic::power_of_two(held.eta_exponent());
  underflow_below_ = elements * Dyadic::power_of_two(held.min_normal_exponent() - held.unit_roundoff_exponent());
}

bool DeclaredError::is_blind() const {
  const bool exceeds_number = bound_.ulps >> std::min(63, format_.precision() - 1) != 0;
  return bound_.any || bound_.relative >= 1 || exceeds_number;
}

bool DeclaredError::decides(std::uint64_t scale) const {
  if (is_blind()) return false;
  const Dyadic size = Dyadic::from_encoding(number::format(FormatId::F64), scale);
  return size.sign() == 0 || size > underflow_;
}

Interval DeclaredError::around(const Format& from, std::uint64_t word, std::uint64_t scale) const {
  const Dyadic value = Dyadic::from_encoding(from, word);
  Interval interval;
  const auto end = [&](const Dyadic& at, Rounding rounding) {
    // An integer beyond its format's ends is at the end.
    const number::Overflow overflow = format_.is_integer() ? number::Overflow::Saturate : number::Overflow::Ieee;
    const std::uint64_t rounded = at.round_to(format_, {.rounding = rounding, .overflow = overflow});
    // A format without infinities gives NaN for what is too large: its largest number, which saturation gives, then.
    const bool is_too_large = number::is_nan(format_, rounded);
    interval.nan |= is_too_large;
    return number::ordinal(format_, is_too_large ? number::max_finite(format_, at.sign() < 0) : rounded);
  };
  interval.low = interval.high = end(value, Rounding::NearestEven);
  if (bound_.relative > 0) {
    const Dyadic size = Dyadic::from_encoding(number::format(FormatId::F64), scale);
    Dyadic error = Dyadic::from_double(bound_.relative) * size;
    if (size.sign() > 0 && size < underflow_below_) error += underflow_;
    interval.low = end(value - error, Rounding::Down);
    interval.high = end(value + error, Rounding::Up);
  }
  const Interval ends = ends_of(format_);
  // The ordinals of F64 and I64 fill 64 bits, so that their differences do not fit.
  const Wide low = Wide{interval.low} - bound_.ulps, high = Wide{interval.high} + bound_.ulps;
  const bool may_be_nan = !format_.has_infinity && !format_.is_integer();
  interval.nan |= may_be_nan && (low < ends.low || high > ends.high);
  interval.low = static_cast<std::int64_t>(std::max<Wide>(low, ends.low));
  interval.high = static_cast<std::int64_t>(std::min<Wide>(high, ends.high));
  if (!flushes_ || format_.is_integer()) return interval;
  // What is subnormal before or after an error may be a zero.
  const std::int64_t normal = number::ordinal(format_, number::min_normal(format_));
  if (interval.low > 0 && interval.low < normal) interval.low = 0;
  if (interval.high < 0 && interval.high > -normal) interval.high = 0;
  return interval;
}

}  // namespace negzero::property

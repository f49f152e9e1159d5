// Ends of what a declared error permits, exact but for one rounding outward.

#include <algorithm>

#include <negzero/number/encoding.hpp>
#include <negzero/property/declared_error.hpp>

namespace negzero::property {

__extension__ using Wide = __int128;
using exact::Dyadic;
using number::Format;
using number::Rounding;

namespace {

/// The ends of a format: its infinities, or its largest numbers.
Interval ends_of(const Format& format) {
  return {number::ordinal(format, number::infinity(format, true)), number::ordinal(format, number::infinity(format))};
}

}  // namespace

bool DeclaredError::is_blind() const {
  const bool exceeds_number = bound_.ulps >> std::min(63, format_.precision() - 1) != 0;
  return bound_.any || bound_.relative >= 1 || exceeds_number;
}

std::int64_t DeclaredError::ordinal_of(const Dyadic& value, Rounding rounding) const {
  // An integer beyond its format's ends is at the end.
  const number::Overflow overflow = format_.is_integer() ? number::Overflow::Saturate : number::Overflow::Ieee;
  const std::uint64_t word = value.round_to(format_, {.rounding = rounding, .overflow = overflow});
  // A format without infinities gives NaN for what is too large: its largest number then.
  const bool is_too_large = number::is_nan(format_, word);
  return number::ordinal(format_, is_too_large ? number::max_finite(format_, value.sign() < 0) : word);
}

Interval DeclaredError::around(const Format& from, std::uint64_t word, std::uint64_t scale) const {
  const Dyadic value = Dyadic::from_encoding(from, word);
  Interval interval;
  interval.low = interval.high = ordinal_of(value, Rounding::NearestEven);
  if (bound_.relative > 0) {
    const Format& f64 = number::format(number::FormatId::F64);
    const Dyadic relative = Dyadic::from_encoding(f64, number::from_double(f64, bound_.relative));
    const Dyadic error = relative * Dyadic::from_encoding(f64, scale);
    interval.low = ordinal_of(value - error, Rounding::Down);
    interval.high = ordinal_of(value + error, Rounding::Up);
  }
  const Interval ends = ends_of(format_);
  // The ordinals of F64 and I64 fill 64 bits, so that their differences do not fit.
  const Wide ulps = bound_.ulps;
  interval.low = static_cast<std::int64_t>(std::max<Wide>(interval.low - ulps, ends.low));
  interval.high = static_cast<std::int64_t>(std::min<Wide>(interval.high + ulps, ends.high));
  if (!flushes_ || format_.is_integer()) return interval;
  // What is subnormal before or after an error may be a zero.
  const std::int64_t normal = number::ordinal(format_, number::min_normal(format_));
  if (interval.low > 0 && interval.low < normal) interval.low = 0;
  if (interval.high < 0 && interval.high > -normal) interval.high = 0;
  return interval;
}

}  // namespace negzero::property

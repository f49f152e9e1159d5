// Ends of what a declared error permits, exact but for one rounding outward.

#include <algorithm>

#include <negzero/number/encoding.hpp>
#include <negzero/property/declared_error.hpp>

namespace negzero::property {

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

Interval DeclaredError::around(const Format& from, std::uint64_t word, std::uint64_t scale) const {
  const Dyadic value = Dyadic::from_encoding(from, word);
  Interval interval;
  interval.low = interval.high = ordinal_of(value.round_to(format_), value);
  if (bound_.relative > 0) {
    const Format& f64 = number::format(number::FormatId::F64);
    const Dyadic relative = Dyadic::from_encoding(f64, number::from_double(f64, bound_.relative));
    const Dyadic error = relative * Dyadic::from_encoding(f64, scale);
    const Dyadic least = value - error, greatest = value + error;
    interval.low = ordinal_of(least.round_to(format_, {.rounding = Rounding::Down}), least);
    interval.high = ordinal_of(greatest.round_to(format_, {.rounding = Rounding::Up}), greatest);
  }
  const Interval ends = ends_of(format_);
  const std::int64_t ulps = static_cast<std::int64_t>(std::min<std::uint64_t>(bound_.ulps, std::uint64_t{1} << 62));
  interval.low = interval.low - ends.low > ulps ? interval.low - ulps : ends.low;
  interval.high = ends.high - interval.high > ulps ? interval.high + ulps : ends.high;
  if (!flushes_ || format_.is_integer()) return interval;
  // What is subnormal before or after an error may be a zero.
  const std::int64_t normal = number::ordinal(format_, number::min_normal(format_));
  if (interval.low > 0 && interval.low < normal) interval.low = 0;
  if (interval.high < 0 && interval.high > -normal) interval.high = 0;
  return interval;
}

/// A format without infinities gives NaN for what is too large: its largest number then.
std::int64_t DeclaredError::ordinal_of(std::uint64_t word, const Dyadic& value) const {
  const bool is_too_large = number::is_nan(format_, word);
  return number::ordinal(format_, is_too_large ? number::max_finite(format_, value.sign() < 0) : word);
}

}  // namespace negzero::property

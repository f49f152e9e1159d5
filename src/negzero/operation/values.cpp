// Ranges of values in one format, by the ordinals of their ends.

#include <algorithm>
#include <cmath>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/values.hpp>

namespace negzero::operation {
namespace {

using number::Rounding;
using Wide = __int128;

/// The ordinal of an end, rounded inward; one beyond the last number of the format where it has none there.
Wide inward(const number::Format& format, double end, bool is_low) {
  // Powers of two are all above 0.
  if (format.is_power() && !(end > 0)) return is_low ? 0 : -1;
  const number::EncodeOptions options{.rounding = is_low ? Rounding::Up : Rounding::Down,
                                      .overflow = number::Overflow::Saturate};
  const std::uint64_t word = number::from_double(format, end, options);
  const double reached = number::to_double(format, word);
  const Wide ordinal = number::ordinal(format, word);
  // An end that is infinite bounds nothing.
  if (std::isinf(end) && std::signbit(end) == is_low) return ordinal;
  return is_low ? ordinal + (reached < end ? 1 : 0) : ordinal - (reached > end ? 1 : 0);
}

}  // namespace

ValueRange intersection(const ValueRange& a, const ValueRange& b) noexcept {
  // Yes is Positive and Negative, bit by bit.
  const auto infinities = static_cast<unsigned>(a.infinities) & static_cast<unsigned>(b.infinities);
  return {.least = std::max(a.least, b.least),
          .greatest = std::min(a.greatest, b.greatest),
          .infinities = static_cast<Infinities>(infinities),
          .nan = a.nan && b.nan};
}

FormatRange::FormatRange(const ValueRange& range, number::FormatId format)
    : format_(number::format(format)), infinities_(range.infinities), nan_(range.nan) {
  const Wide low = inward(format_, range.least, true), high = inward(format_, range.greatest, false);
  if (low > high) return;
  low_ = static_cast<std::int64_t>(low);
  high_ = static_cast<std::int64_t>(high);
}

bool FormatRange::accepts(std::uint64_t word) const noexcept {
  switch (number::classify(format_, word)) {
    case number::Class::Nan:
      return nan_;
    case number::Class::Infinity:
      return infinities_ == Infinities::Yes ||
             infinities_ == (number::is_negative(format_, word) ? Infinities::Negative : Infinities::Positive);
    default:
      break;
  }
  const std::int64_t ordinal = number::ordinal(format_, word);
  return low_ <= ordinal && ordinal <= high_;
}

std::uint64_t FormatRange::least() const noexcept { return number::from_ordinal(format_, low_); }
std::uint64_t FormatRange::greatest() const noexcept { return number::from_ordinal(format_, high_); }

std::uint64_t FormatRange::nearest(std::uint64_t word) const noexcept {
  if (accepts(word)) return word;
  if (number::classify(format_, word) >= number::Class::Infinity) {
    return number::is_negative(format_, word) ? least() : greatest();
  }
  return number::from_ordinal(format_, std::clamp(number::ordinal(format_, word), low_, high_));
}

std::uint64_t FormatRange::folded(std::uint64_t word) const noexcept {
  if (accepts(word)) return word;
  const bool is_number = number::classify(format_, word) < number::Class::Infinity;
  if (!is_number) return nearest(word);
  const bool negative = number::is_negative(format_, word);
  if (word == number::max_finite(format_, negative)) {
    const std::int64_t step = low_ < high_ ? 1 : 0;
    return number::from_ordinal(format_, negative ? low_ + step : high_ - step);
  }
  std::int64_t ordinal = number::ordinal(format_, word);
  const auto is_inside = [&](std::int64_t at) { return low_ <= at && at <= high_; };
  // Ordinals of a format other than the least integer have a negative.
  const bool flips = (ordinal < 0 ? low_ >= 0 : high_ <= 0) || is_inside(-ordinal);
  if (flips) ordinal = -ordinal;
  if (is_inside(ordinal)) return number::from_ordinal(format_, ordinal);
  if (!format_.is_integer()) {
    const std::int64_t sign = ordinal < 0 ? -1 : 1, end = sign < 0 ? -low_ : high_, size = sign * ordinal;
    const int bits = format_.fraction_bits;
    const std::int64_t top = end >> bits, fraction = size & ((std::int64_t{1} << bits) - 1);
    std::int64_t exponent = 2 * top + 1 - (size >> bits);
    if (exponent == top && (top << bits | fraction) > end) --exponent;
    // Below the normal numbers a significand would lose its leading bit.
    const std::int64_t reflected = exponent > 0 ? sign * (exponent << bits | fraction) : ordinal;
    if (size > end && is_inside(reflected)) return number::from_ordinal(format_, reflected);
  }
  const Wide count = Wide{high_} - low_ + 1;
  const Wide beyond = ((Wide{ordinal} - low_) % count + count) % count;
  return number::from_ordinal(format_, static_cast<std::int64_t>(low_ + beyond));
}

}  // namespace negzero::operation

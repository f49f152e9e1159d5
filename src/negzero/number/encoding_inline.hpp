// Bodies of the functions of encoding.hpp that run once per element. Include encoding.hpp instead.

#pragma once

#include <bit>
#include <cstdint>

#include <negzero/number/encoding.hpp>

namespace negzero::number {

namespace detail {

/// An encoding without sign bit and unused bits. Magnitudes of the finite numbers of a format count its encodings from
/// zero upwards, which is what ordinals, neighbours and rounding carries rely on.
constexpr std::uint64_t magnitude(const Format& format, std::uint64_t word) noexcept {
  return (word & (format.sign_mask() - 1) & format.word_mask()) >> format.unused_bits;
}

constexpr std::uint64_t with_sign(const Format& format, bool negative, std::uint64_t magnitude) noexcept {
  return (magnitude << format.unused_bits) | (negative ? format.sign_mask() : 0);
}

/// The magnitude of the smallest positive number; where there is no zero, that is the lowest encoding.
constexpr std::uint64_t least_magnitude(const Format& format) noexcept { return format.is_power() ? 0 : 1; }

/// Magnitude of Inf where the format has one, else of the NaN that follows the largest finite number.
constexpr std::uint64_t end_of_finite(const Format& format) noexcept {
  const std::uint64_t codes = std::uint64_t{1} << (format.exponent_bits + format.fraction_bits);
  if (format.nan_codes == NanCodes::Ieee) return codes - (std::uint64_t{1} << format.fraction_bits);
  return format.nan_codes == NanCodes::AllOnes ? codes - 1 : codes;
}

/// Two's complement in `format.bits` bits, of BOOL whether it is not 0.
constexpr std::uint64_t integer_word(const Format& format, bool negative, std::uint64_t value) noexcept {
  if (format.precision() == 1) return value != 0 ? 1 : 0;
  return (negative ? std::uint64_t{0} - value : value) & format.word_mask();
}

constexpr std::int64_t integer_value(const Format& format, std::uint64_t word) noexcept {
  if (!format.is_signed()) return static_cast<std::int64_t>(word & format.word_mask());
  const int spare = 64 - format.bits;
  return static_cast<std::int64_t>(word << spare) >> spare;
}

/// +-1; 0 where an unsigned format has no -1.
constexpr std::uint64_t unit(const Format& format, bool negative) noexcept {
  return negative && !format.is_signed() ? 0 : integer_word(format, negative, 1);
}

/// Rounds (significand + sticky * epsilon) / 2^drop to an integer, modulo 2^64. `negative` only directs Down and Up.
constexpr std::uint64_t round_shift(std::uint64_t significand, std::int64_t drop, bool sticky, bool negative,
                                    Rounding rounding) noexcept {
  std::uint64_t kept = 0;
  bool half = false;
  bool rest = sticky;
  if (drop <= 0) {
    kept = drop > -64 ? significand << -drop : 0;
  } else if (drop <= 64) {
    kept = drop < 64 ? significand >> drop : 0;
    half = ((significand >> (drop - 1)) & 1) != 0;
    rest = rest || (significand & ((std::uint64_t{1} << (drop - 1)) - 1)) != 0;
  } else {
    rest = rest || significand != 0;
  }
  switch (rounding) {
    case Rounding::NearestEven:
      return kept + (half && (rest || (kept & 1) != 0) ? 1 : 0);
    case Rounding::NearestAway:
      return kept + (half ? 1 : 0);
    case Rounding::TowardZero:
      return kept;
    case Rounding::Down:
      return kept + (negative && (half || rest) ? 1 : 0);
    case Rounding::Up:
      return kept + (!negative && (half || rest) ? 1 : 0);
  }
  return kept;
}

/// What a number above the largest finite one becomes.
constexpr std::uint64_t overflowed(const Format& format, bool negative, const EncodeOptions& options) noexcept {
  const bool away =
      options.rounding != Rounding::TowardZero && options.rounding != (negative ? Rounding::Up : Rounding::Down);
  const bool saturates = options.overflow == Overflow::Saturate || (options.overflow == Overflow::Ieee && !away);
  if (saturates || format.nan_codes == NanCodes::None) return max_finite(format, negative);
  if (options.overflow == Overflow::Nan || !format.has_infinity) return canonical_nan(format);
  return infinity(format, negative);
}

/// Whether a number whose leading bit weighs 2^top is below the smallest normal one after rounding with an unbounded
/// exponent: next to it the grid is twice as fine as the subnormals'.
constexpr bool is_tiny(const Format& format, bool negative, std::uint64_t significand, int exponent, bool sticky,
                       std::int64_t top, Rounding rounding) noexcept {
  const std::int64_t below = format.eta_exponent() + format.fraction_bits - 1;
  if (top != below) return top < below;
  const std::uint64_t kept =
      round_shift(significand, top - format.fraction_bits - exponent, sticky, negative, rounding);
  return kept < std::uint64_t{2} << format.fraction_bits;
}

constexpr std::uint64_t encode_integer(const Format& format, bool negative, std::uint64_t significand, int exponent,
                                       bool sticky, const EncodeOptions& options) noexcept {
  const std::int64_t top = std::int64_t{exponent} + 63 - std::countl_zero(significand);
  const std::uint64_t value = round_shift(significand, -std::int64_t{exponent}, sticky, negative, options.rounding);
  const bool is_large = significand != 0 && top >= 63;
  const bool is_beyond =
      is_large || value >> format.precision() != 0 || (negative && !format.is_signed() && value != 0);
  if (options.overflow == Overflow::Saturate && is_beyond) return max_finite(format, negative);
  if (is_large && format.precision() == 1) return 1;
  return integer_word(format, negative, value);
}

}  // namespace detail

constexpr Decoded decode(const Format& format, std::uint64_t word) noexcept {
  const bool negative = (word & format.sign_mask()) != 0;
  if (format.is_integer()) {
    const auto value = static_cast<std::uint64_t>(detail::integer_value(format, word));
    return {value == 0 ? Class::Zero : Class::Normal, negative, negative ? std::uint64_t{0} - value : value, 0};
  }
  const std::uint64_t magnitude = detail::magnitude(format, word);
  if (format.is_power()) {
    if (magnitude == detail::end_of_finite(format)) return {Class::Nan, false, 0, 0};
    return {Class::Normal, false, 1, static_cast<int>(magnitude) - format.bias};
  }
  const std::uint64_t unit = std::uint64_t{1} << format.fraction_bits;
  if (magnitude < unit) {
    if (magnitude == 0) return {Class::Zero, negative, 0, 0};
    return {Class::Subnormal, negative, magnitude, format.eta_exponent()};
  }
  const std::uint64_t end = detail::end_of_finite(format);
  if (magnitude < end) {
    const int biased = static_cast<int>(magnitude >> format.fraction_bits);
    return {Class::Normal, negative, (magnitude & (unit - 1)) | unit, format.eta_exponent() + biased - 1};
  }
  return {magnitude == end && format.has_infinity ? Class::Infinity : Class::Nan, negative, 0, 0};
}

constexpr std::uint64_t encode(const Format& format, bool negative, std::uint64_t significand, int exponent,
                               bool sticky, const EncodeOptions& options) noexcept {
  if (significand == 0) {
    if (!sticky) return zero(format, negative);
    exponent = format.eta_exponent() - 2;
  }
  if (format.is_integer()) {
    return detail::encode_integer(format, negative, significand, exponent, sticky, options);
  }
  if (format.is_power() && negative) return canonical_nan(format);
  const int eta = format.eta_exponent();
  const std::int64_t top = std::int64_t{exponent} + 63 - std::countl_zero(significand);
  if (top > format.max_exponent()) return detail::overflowed(format, negative, options);
  // The weight of the last bit that the result keeps, as if the exponent had no upper end.
  const std::int64_t last = top - format.fraction_bits > eta ? top - format.fraction_bits : eta;
  const std::uint64_t kept = detail::round_shift(significand, last - exponent, sticky, negative, options.rounding);
  // Below the powers of two there is no zero: the smallest one is the nearest.
  if (format.is_power()) {
    const std::uint64_t code = static_cast<std::uint64_t>(last - eta) + (kept > 1 ? 1 : 0);
    return code >= detail::end_of_finite(format) ? detail::overflowed(format, false, options) : code;
  }
  // The leading bit of `kept` adds one to the exponent field, and a carry out of the fraction adds one more.
  const std::uint64_t magnitude = kept + (static_cast<std::uint64_t>(last - eta) << format.fraction_bits);
  if (magnitude >= detail::end_of_finite(format)) return detail::overflowed(format, negative, options);
  if (options.flush_subnormals &&
      detail::is_tiny(format, negative, significand, exponent, sticky, top, options.rounding)) {
    return zero(format, negative);
  }
  return detail::with_sign(format, negative, magnitude);
}

constexpr std::uint64_t convert(const Format& from, std::uint64_t word, const Format& to,
                                const EncodeOptions& options) noexcept {
  const Decoded number = decode(from, word);
  if (number.is_finite()) {
    return encode(to, number.negative, number.significand, number.exponent, false, options);
  }
  if (number.kind == Class::Nan || (to.is_power() && number.negative)) return canonical_nan(to);
  if (options.overflow == Overflow::Saturate || to.nan_codes == NanCodes::None) return max_finite(to, number.negative);
  return to.has_infinity ? infinity(to, number.negative) : canonical_nan(to);
}

constexpr Class classify(const Format& format, std::uint64_t word) noexcept { return decode(format, word).kind; }

constexpr bool is_nan(const Format& format, std::uint64_t word) noexcept {
  return !format.is_integer() &&
         detail::magnitude(format, word) >= detail::end_of_finite(format) + (format.has_infinity ? 1 : 0);
}

constexpr bool is_infinity(const Format& format, std::uint64_t word) noexcept {
  return format.has_infinity && detail::magnitude(format, word) == detail::end_of_finite(format);
}

constexpr bool is_zero(const Format& format, std::uint64_t word) noexcept {
  if (format.is_power()) return false;
  return format.is_integer() ? (word & format.word_mask()) == 0 : detail::magnitude(format, word) == 0;
}

constexpr bool is_negative(const Format& format, std::uint64_t word) noexcept {
  return (word & format.sign_mask()) != 0;
}

constexpr std::uint64_t zero(const Format& format, bool negative) noexcept {
  return negative && !format.is_integer() ? format.sign_mask() : 0;
}

constexpr std::uint64_t one(const Format& format, bool negative) noexcept {
  if (format.is_integer()) return detail::unit(format, negative);
  return detail::with_sign(format, negative, static_cast<std::uint64_t>(format.bias) << format.fraction_bits);
}

constexpr std::uint64_t infinity(const Format& format, bool negative) noexcept {
  if (!format.has_infinity) return max_finite(format, negative);
  return detail::with_sign(format, negative, detail::end_of_finite(format));
}

constexpr std::uint64_t max_finite(const Format& format, bool negative) noexcept {
  if (format.is_integer()) {
    return negative ? format.sign_mask() : (~std::uint64_t{0} >> (64 - format.precision())) & format.word_mask();
  }
  if (format.is_power() && negative) return 0;
  return detail::with_sign(format, negative, detail::end_of_finite(format) - 1);
}

constexpr std::uint64_t min_normal(const Format& format, bool negative) noexcept {
  if (format.is_integer()) return detail::unit(format, negative);
  if (format.is_power()) return 0;
  return detail::with_sign(format, negative, std::uint64_t{1} << format.fraction_bits);
}

constexpr std::uint64_t max_subnormal(const Format& format, bool negative) noexcept {
  if (format.is_integer()) return 0;
  return detail::with_sign(format, negative, (std::uint64_t{1} << format.fraction_bits) - 1);
}

constexpr std::uint64_t min_subnormal(const Format& format, bool negative) noexcept {
  if (format.is_integer()) return detail::unit(format, negative);
  return detail::with_sign(format, negative, detail::least_magnitude(format));
}

constexpr std::uint64_t canonical_nan(const Format& format) noexcept {
  if (format.nan_codes == NanCodes::None) return format.is_integer() ? 0 : max_finite(format);
  // PTX gives the all-ones NaN for every format but F64, whose quiet NaN has an empty payload.
  if (format.fraction_bits == 52) return std::uint64_t{0x7ff8} << 48;
  const std::uint64_t codes = std::uint64_t{1} << (format.exponent_bits + format.fraction_bits);
  return detail::with_sign(format, false, codes - 1);
}

constexpr std::int64_t ordinal(const Format& format, std::uint64_t word) noexcept {
  if (format.is_integer()) return detail::integer_value(format, word);
  const auto magnitude = static_cast<std::int64_t>(detail::magnitude(format, word));
  // Negated without a branch: the signs of random operands cannot be predicted.
  const std::int64_t minus = -static_cast<std::int64_t>(is_negative(format, word));
  return (magnitude ^ minus) - minus;
}

constexpr std::uint64_t from_ordinal(const Format& format, std::int64_t ordinal) noexcept {
  const bool negative = ordinal < 0;
  const auto bits = static_cast<std::uint64_t>(ordinal);
  if (format.is_integer()) return bits & format.word_mask();
  return detail::with_sign(format, negative, negative ? std::uint64_t{0} - bits : bits);
}

constexpr std::uint64_t next_up(const Format& format, std::uint64_t word) noexcept {
  if (format.is_integer()) {
    const std::uint64_t value = word & format.word_mask();
    return value == max_finite(format) ? value : (value + 1) & format.word_mask();
  }
  const std::uint64_t magnitude = detail::magnitude(format, word);
  const bool negative = is_negative(format, word);
  const std::uint64_t last = detail::end_of_finite(format) - (format.has_infinity ? 0 : 1);
  if (magnitude > last || (magnitude == last && !negative)) return detail::with_sign(format, negative, magnitude);
  if (negative && magnitude != 0) return detail::with_sign(format, true, magnitude - 1);
  return detail::with_sign(format, false, magnitude + 1);
}

constexpr std::uint64_t next_down(const Format& format, std::uint64_t word) noexcept {
  if (format.is_integer()) {
    const std::uint64_t value = word & format.word_mask();
    return value == max_finite(format, true) ? value : (value - 1) & format.word_mask();
  }
  if (is_nan(format, word)) return next_up(format, word);
  if (format.is_power()) {
    const std::uint64_t magnitude = detail::magnitude(format, word);
    return magnitude == 0 ? 0 : magnitude - 1;
  }
  return next_up(format, word ^ format.sign_mask()) ^ format.sign_mask();
}

constexpr double to_double(const Format& format, std::uint64_t word) noexcept {
  if (format.is_integer()) return static_cast<double>(detail::integer_value(format, word));
  const std::uint64_t sign = is_negative(format, word) ? std::uint64_t{1} << 63 : 0;
  const std::uint64_t magnitude = detail::magnitude(format, word);
  const std::uint64_t unit = std::uint64_t{1} << format.fraction_bits;
  const int widen = 52 - format.fraction_bits;
  if (magnitude - unit < detail::end_of_finite(format) - unit) {
    const auto rebias = static_cast<std::uint64_t>(1023 - format.bias) << 52;
    return std::bit_cast<double>(sign | ((magnitude << widen) + rebias));
  }
  if (magnitude < unit) {
    if (format.is_power()) return std::bit_cast<double>(static_cast<std::uint64_t>(1023 - format.bias) << 52);
    if (magnitude == 0 || widen == 0) return std::bit_cast<double>(sign | magnitude);
    // A subnormal of a narrower format is a normal double: its leading bit goes to bit 52, which adds one to the field.
    const int shift = std::countl_zero(magnitude) - 11;
    const auto field = static_cast<std::uint64_t>(format.eta_exponent() + 1023 + 51 - shift);
    return std::bit_cast<double>(sign | ((magnitude << shift) + (field << 52)));
  }
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  return std::bit_cast<double>(is_infinity(format, word) ? sign | kInfinity : kInfinity | (kInfinity >> 1));
}

constexpr std::uint64_t from_double(const Format& format, double value, const EncodeOptions& options) noexcept {
  return convert(kFormats[static_cast<std::size_t>(FormatId::F64)], std::bit_cast<std::uint64_t>(value), format,
                 options);
}

}  // namespace negzero::number

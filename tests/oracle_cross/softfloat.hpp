// Exact small numbers and their rounding to any binary format: the arithmetic under the brute-force enumerator.

#pragma once

#include <cstdint>
#include <vector>

namespace negzero::oracle_cross {

__extension__ using Wide = unsigned __int128;

/// An unrounded result: (-1)^negative * significand * 2^exponent when finite.
///
/// Sums whose parts lie more than 100 binades apart hold a last bit that stands for everything below it ("jammed"): no
/// rounding to 53 bits or fewer can tell the difference.
struct Number {
  enum class Kind : std::uint8_t { Finite, Infinity, Nan };
  Kind kind = Kind::Finite;
  bool negative = false;
  bool free_sign = false;  ///< an exact zero made of parts of both signs: the rounding mode decides its sign
  Wide significand = 0;
  int exponent = 0;

  [[nodiscard]] bool is_zero() const { return kind == Kind::Finite && significand == 0; }
};

[[nodiscard]] Number make_number(std::int64_t significand, int exponent = 0);
/// Exact product. Requires significands below 2^64 on both sides, as every encoding has.
[[nodiscard]] Number multiply(const Number& a, const Number& b);
/// Exact (or jammed) sum. Requires significands below 2^107: two significands of F64 multiplied fit.
[[nodiscard]] Number add(const Number& a, const Number& b);

/// A value of a SmallFormat: sign in bit 63, below it the magnitude, which counts the finite numbers from zero upwards.
/// One past the largest finite magnitude is Inf. There is one NaN.
using Code = std::uint64_t;
inline constexpr Code kSignBit = Code{1} << 63;
inline constexpr Code kNan = kSignBit - 1;

/// A binary format with gradual underflow.
struct SmallFormat {
  int precision = 3;     ///< p, the leading bit included
  int min_exponent = 0;  ///< 2^min_exponent is the smallest normal number
  Code max_magnitude = 0;
  bool has_infinity = true;

  [[nodiscard]] int eta_exponent() const { return min_exponent - precision + 1; }
  [[nodiscard]] Code infinity() const { return max_magnitude + 1; }
  [[nodiscard]] Code min_normal() const { return Code{1} << (precision - 1); }
  [[nodiscard]] Number decode(Code code) const;
  [[nodiscard]] bool is_subnormal(Code code) const;
  /// The same with 64 more binades above, where sums of its numbers do not overflow. F64 has no room for them.
  [[nodiscard]] SmallFormat raised() const;
  /// An IEEE-like format with normal exponents min_exponent to max_exponent.
  [[nodiscard]] static SmallFormat ieee(int precision, int min_exponent, int max_exponent);
  friend bool operator==(const SmallFormat&, const SmallFormat&) = default;
};

[[nodiscard]] inline bool is_finite(const SmallFormat& format, Code code) {
  return (code & ~kSignBit) <= format.max_magnitude;
}
/// Signed count of steps from zero; both zeros are 0. Requires a code that is not NaN.
[[nodiscard]] inline std::int64_t steps(Code code) {
  const auto magnitude = static_cast<std::int64_t>(code & ~kSignBit);
  return (code & kSignBit) != 0 ? -magnitude : magnitude;
}

/// How one operation rounds. Faithful gives both neighbours of an inexact result.
enum class Mode : std::uint8_t { NearestEven, NearestAway, TowardZero, Down, Up, Faithful };
enum class Flush : std::uint8_t { Keep, Flush, Either };
enum class OnOverflow : std::uint8_t {
  Ieee,  ///< Inf or the largest number as the mode directs; NaN in place of Inf where the format has none
  Saturate,
  Nan,
  Either,  ///< all three
};

using Codes = std::vector<Code>;

/// Sorts and removes duplicates.
void tidy(Codes& codes);

/// The rounding at the end of every operation; appends every result that the settings allow.
///
/// Overflow and flushing are decided after rounding with an unbounded exponent (IEEE 754-2019 7.4; 7.5 "after
/// rounding"). A flushed result keeps its sign.
struct Rounder {
  SmallFormat format{};
  Mode mode = Mode::NearestEven;
  Flush flush = Flush::Keep;
  OnOverflow on_overflow = OnOverflow::Ieee;

  void round(const Number& exact, Codes& out) const;
  /// The only result. Requires settings without a choice (not Faithful, not Either).
  [[nodiscard]] Code round(const Number& exact) const;

 private:
  void round_magnitude(const Number& exact, bool gradual, Codes& out) const;
  void overflow(bool negative, bool away, Codes& out) const;
};

}  // namespace negzero::oracle_cross

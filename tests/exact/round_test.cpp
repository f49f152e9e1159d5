// Rounding of dyadic rationals to formats, held against neighbours found by comparing rationals.

#include <array>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/exact/dyadic.hpp>

#include "rational.hpp"

namespace negzero::exact {
namespace {

using number::Format;
using number::Overflow;
using number::Rounding;

constexpr std::array<Rounding, 5> kRoundings = {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero,
                                                Rounding::Down, Rounding::Up};

// |value| of the encoding with ordinal `steps` >= 0; one past the largest finite number counts as 2^(max_exponent + 1).
Rational magnitude_at(const Format& format, std::int64_t steps) {
  if (steps > number::ordinal(format, number::max_finite(format))) {
    const number::Decoded top = number::decode(format, number::max_finite(format));
    return Rational(top.significand + 1) * power(top.exponent);
  }
  const number::Decoded value = number::decode(format, number::from_ordinal(format, steps));
  return Rational(value.significand) * power(value.exponent);
}

// Whether a magnitude strictly between two neighbours goes to the upper one.
bool goes_up(Rounding rounding, bool negative, bool lower_is_odd, const Rational& from_lower,
             const Rational& to_upper) {
  switch (rounding) {
    case Rounding::NearestEven:
      return from_lower > to_upper || (from_lower == to_upper && lower_is_odd);
    case Rounding::NearestAway:
      return from_lower >= to_upper;
    case Rounding::TowardZero:
      return false;
    case Rounding::Down:
      return negative;
    case Rounding::Up:
      return !negative;
  }
  return false;
}

std::uint64_t reference_round(const Format& format, const Rational& value, Rounding rounding, Overflow overflow) {
  const bool negative = value < 0;
  const Rational magnitude = abs(value);
  const std::int64_t largest = number::ordinal(format, number::max_finite(format));
  std::int64_t low = 0, high = largest + 1;
  if (magnitude < magnitude_at(format, high)) {
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (magnitude_at(format, middle) <= magnitude ? low : high) = middle;
    }
    const Rational below = magnitude_at(format, low);
    if (magnitude != below &&
        goes_up(rounding, negative, low % 2 != 0, magnitude - below, magnitude_at(format, high) - magnitude)) {
      low = high;
    }
  } else {
    low = largest + 1;
  }
  if (low > largest) {
    const bool away = rounding == Rounding::NearestEven || rounding == Rounding::NearestAway ||
                      rounding == (negative ? Rounding::Down : Rounding::Up);
    const bool has_none = format.nan_codes == number::NanCodes::None;
    if (has_none || overflow == Overflow::Saturate || (overflow == Overflow::Ieee && !away)) {
      return number::max_finite(format, negative);
    }
    if (!format.has_infinity || overflow == Overflow::Nan) return number::canonical_nan(format);
    return number::infinity(format, negative);
  }
  if (low == 0) return number::zero(format, negative);
  return number::from_ordinal(format, negative ? -low : low);
}

std::uint64_t reference_round_integer(const Format& format, const Rational& value, Rounding rounding, bool saturate) {
  const bool negative = value < 0;
  const Rational magnitude = abs(value);
  Integer whole = numerator(magnitude) / denominator(magnitude);
  const Rational rest = magnitude - Rational(whole);
  if (rest != 0 && goes_up(rounding, negative, whole % 2 != 0, rest, 1 - rest)) ++whole;
  if (negative) whole = -whole;
  if (saturate) {
    const Integer end = Integer(1) << static_cast<unsigned>(format.bits - 1);
    if (whole >= end) whole = end - 1;
    if (whole < -end) whole = -end;
  }
  const Integer modulus = Integer(1) << static_cast<unsigned>(format.bits);
  return static_cast<std::uint64_t>(Integer(((whole % modulus) + modulus) % modulus));
}

// Finite encodings and what lies next to them: half-way points, and half-way points off by something far below.
Dyadic draw(const Format& format, base::Random& random) {
  std::uint64_t word = random.next() & format.word_mask();
  if (random.one_in(4)) word = number::max_finite(format, random.one_in(2));
  if (random.one_in(4)) word = (random.next() & 7) | (random.one_in(2) ? format.sign_mask() : 0);
  if (!number::decode(format, word).is_finite()) return Dyadic(random.between(-1, 1), 2000);
  const Dyadic value = Dyadic::from_encoding(format, word);
  const int last = number::decode(format, word).exponent;
  const Dyadic half = Dyadic(random.between(-1, 1), last - 1 - static_cast<int>(random.below(2)));
  const Dyadic far =
      Dyadic(random.between(-1, 1), last - 2 - static_cast<int>(random.below(random.one_in(2) ? 8 : 900)));
  return value + half + far;
}

TEST(RoundTo, AgreesWithNeighboursInEveryFormatAndMode) {
  base::Random random(11);
  for (const Format& format : number::all_formats()) {
    if (format.is_integer() || format.is_power()) continue;  // below the least power of two there is no neighbour
    const int draws = format.bits > 16 ? 150 : 400;
    for (int i = 0; i < draws; ++i) {
      const Dyadic value = draw(format, random);
      if (value.is_zero()) continue;
      for (const Rounding rounding : kRoundings) {
        for (const Overflow overflow : {Overflow::Ieee, Overflow::Saturate, Overflow::Nan}) {
          ASSERT_EQ(value.round_to(format, {rounding, overflow, false}),
                    reference_round(format, rational(value), rounding, overflow))
              << format.name << ' ' << rational(value) << " rounding " << static_cast<int>(rounding);
        }
      }
    }
  }
}

TEST(RoundTo, IntegersWrapAndSaturate) {
  for (const number::FormatId id : {number::FormatId::I32, number::FormatId::I64}) {
    const Format& format = number::format(id);
    base::Random random(12);
    for (int i = 0; i < 8000; ++i) {
      Integer bits = 0;
      for (int j = 0; j < 3; ++j) bits = (bits << 64) | random.next();
      bits >>= static_cast<unsigned>(random.below(192));
      // Near the ends of the format, and half way between integers there.
      if (random.one_in(4)) bits = (Integer(1) << static_cast<unsigned>(format.bits)) + random.between(-9, 9);
      if (random.one_in(2)) bits = -bits;
      const int exponent = static_cast<int>(random.one_in(4) ? random.between(-2, 1) : random.between(-150, 45));
      const Dyadic value = make_dyadic(bits, exponent);
      for (const Rounding rounding : kRoundings) {
        for (const bool saturate : {false, true}) {
          const number::EncodeOptions options{rounding, saturate ? Overflow::Saturate : Overflow::Ieee, false};
          ASSERT_EQ(value.round_to(format, options),
                    reference_round_integer(format, rational(value), rounding, saturate))
              << format.name << ' ' << bits << " * 2^" << exponent << " rounding " << static_cast<int>(rounding)
              << " saturate " << saturate;
        }
      }
    }
  }
}

TEST(RoundTo, ZerosKeepTheSignOfTheValue) {
  for (const Format& format : number::all_formats()) {
    EXPECT_EQ(Dyadic().round_to(format), number::zero(format));
    EXPECT_EQ((Dyadic(1) - Dyadic(1)).round_to(format), number::zero(format));
    EXPECT_EQ(Dyadic(1, -5000).round_to(format), number::zero(format));
    EXPECT_EQ(Dyadic(-1, -5000).round_to(format),
              format.is_power() ? number::canonical_nan(format) : number::zero(format, !format.is_integer()));
  }
}

TEST(RoundTo, FlushesSubnormalResults) {
  for (const Format& format : number::all_formats()) {
    if (format.is_integer() || format.is_power()) continue;
    const Dyadic smallest = Dyadic::power_of_two(format.min_normal_exponent());
    const number::EncodeOptions flush{Rounding::NearestEven, Overflow::Ieee, true};
    EXPECT_EQ(smallest.round_to(format, flush), number::min_normal(format));
    EXPECT_EQ((-smallest).scaled(-1).round_to(format, flush), number::zero(format, true));
  }
}

// 1 + half an ulp goes down to 1 (even), and anything above it up, wherever that bit stands.
TEST(RoundTo, OneBitBelowDecidesATie) {
  for (const Format& format : number::all_formats()) {
    if (format.is_integer() || format.is_power()) continue;
    const std::uint64_t one = number::one(format), next = number::next_up(format, one);
    const Dyadic tie = Dyadic(1) + Dyadic(1, -format.precision());
    EXPECT_EQ(tie.round_to(format), one) << format.name;
    for (int bit = format.precision() + 1; bit < 300; ++bit) {
      ASSERT_EQ((tie + Dyadic(1, -bit)).round_to(format), next) << format.name << ", bit 2^-" << bit;
      ASSERT_EQ((tie - Dyadic(1, -bit)).round_to(format), one) << format.name << ", bit 2^-" << bit;
    }
  }
}

}  // namespace
}  // namespace negzero::exact

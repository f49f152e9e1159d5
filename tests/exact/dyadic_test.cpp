// Dyadic rationals held against Boost's rationals.

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/exact/dyadic.hpp>

#include "rational.hpp"

namespace negzero::exact {
namespace {

/// The same number twice: as built by the code under test, and as a rational that it never touched.
struct Pair {
  Dyadic dyadic;
  Rational rational;
};

// Widths around every size at which the representation changes.
constexpr std::array<int, 20> kWidths = {0,   1,   2,   24,  53,  62,  63,  64,  65,  96,
                                         125, 126, 127, 128, 129, 191, 192, 256, 555, 700};

// Random bits, all ones, a lone top bit, or few bits with long runs of zeros, of one of kWidths.
Integer draw_integer(base::Random& random) {
  const int width = kWidths[random.below(kWidths.size())];
  Integer value = 0;
  if (width == 0) return value;
  switch (random.below(4)) {
    case 0:
      for (int i = 0; i < width; i += 64) value = (value << 64) | random.next();
      value &= (Integer(1) << width) - 1;
      break;
    case 1:
      value = (Integer(1) << width) - 1;
      break;
    case 2:
      break;
    default:
      for (int i = 0; i < 3; ++i) boost::multiprecision::bit_set(value, static_cast<unsigned>(random.below(width)));
  }
  boost::multiprecision::bit_set(value, static_cast<unsigned>(width - 1));
  return random.one_in(2) ? Integer(-value) : value;
}

Pair draw(base::Random& random) {
  const Integer value = draw_integer(random);
  const int span = random.one_in(4) ? 1200 : 70;
  const int exponent = static_cast<int>(random.between(-span, span));
  return {make_dyadic(value, exponent), Rational(value) * power(exponent)};
}

// A number close to `near`, so that differences cancel and comparisons are decided by the last bits.
Pair neighbour(const Pair& near, base::Random& random) {
  if (random.one_in(3)) return draw(random);
  if (random.one_in(4)) return {-near.dyadic, -near.rational};
  const int exponent = static_cast<int>(random.between(-300, 60));
  const std::int64_t step = random.between(-1, 1);
  return {near.dyadic + Dyadic(step, exponent), near.rational + Rational(step) * power(exponent)};
}

TEST(Dyadic, ArithmeticAndComparisonAgreeWithRationals) {
  base::Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Pair a = draw(random), b = neighbour(a, random);
    SCOPED_TRACE(i);
    ASSERT_EQ(rational(a.dyadic), a.rational);
    ASSERT_EQ(rational(b.dyadic), b.rational);
    ASSERT_EQ(rational(a.dyadic + b.dyadic), a.rational + b.rational);
    ASSERT_EQ(rational(a.dyadic - b.dyadic), a.rational - b.rational);
    ASSERT_EQ(rational(a.dyadic * b.dyadic), a.rational * b.rational);
    ASSERT_EQ(rational(-a.dyadic), -a.rational);
    ASSERT_EQ(rational(a.dyadic.abs()), abs(a.rational));
    ASSERT_EQ(rational(a.dyadic.scaled(-77)), a.rational * power(-77));
    ASSERT_EQ(a.dyadic.sign(), a.rational.sign());
    ASSERT_EQ(a.dyadic.is_zero(), a.rational.is_zero());
    ASSERT_EQ((a.dyadic <=> b.dyadic) < 0, a.rational < b.rational);
    ASSERT_EQ((a.dyadic <=> b.dyadic) > 0, a.rational > b.rational);
    ASSERT_EQ(a.dyadic == b.dyadic, a.rational == b.rational);
  }
}

TEST(Dyadic, PlaceOfTheHighestAndOfTheLowestBit) {
  base::Random random(2);
  for (int i = 0; i < 5000; ++i) {
    const Pair a = draw(random);
    if (a.rational.is_zero()) continue;
    const int high = a.dyadic.floor_log2(), low = a.dyadic.lowest_bit();
    ASSERT_LE(power(high), abs(a.rational));
    ASSERT_GT(power(high + 1), abs(a.rational));
    const Rational units = a.rational * power(-low);
    ASSERT_EQ(denominator(units), 1);
    ASSERT_EQ(Integer(numerator(units)) % 2 == 0, false);
  }
}

TEST(Dyadic, EqualValuesOfDifferentRepresentationAreEqual) {
  EXPECT_EQ(Dyadic(1, 200), Dyadic(std::int64_t{1} << 40, 160));
  EXPECT_EQ(Dyadic(0, 5), Dyadic(0, -900));
  EXPECT_EQ(make_dyadic(Integer(3) << 400, -400), Dyadic(3));
  EXPECT_EQ(Dyadic(std::numeric_limits<std::int64_t>::min()), -Dyadic::power_of_two(63));
  EXPECT_LT(Dyadic(-1, 500), Dyadic(1, -500));
}

TEST(Dyadic, AccumulatesOverLimbsAndBack) {
  // 2^700 + 1 - 2^700 - 1 crosses from the inline mantissa to the heap and back to nothing.
  Dyadic value = Dyadic::power_of_two(700);
  value += Dyadic(1);
  EXPECT_EQ(value.floor_log2(), 700);
  EXPECT_EQ(value.lowest_bit(), 0);
  value -= Dyadic::power_of_two(700);
  EXPECT_EQ(value, Dyadic(1));
  value -= Dyadic(1);
  EXPECT_TRUE(value.is_zero());
}

TEST(Dyadic, CopiesAreIndependentAndMovedFromIsZero) {
  for (const Dyadic& original : {Dyadic(-7, 3), Dyadic(1, 300) + Dyadic(1)}) {
    Dyadic copy = original;
    const Dyadic& alias = copy;
    copy = alias;
    EXPECT_EQ(copy, original);
    copy += Dyadic(1, -5);
    EXPECT_EQ(copy - original, Dyadic(1, -5));
    Dyadic moved = std::move(copy);
    EXPECT_EQ(moved, original + Dyadic(1, -5));
    EXPECT_TRUE(copy.is_zero());  // NOLINT(bugprone-use-after-move): the state after a move is part of the contract
    copy = original;
    moved = Dyadic(5);
    EXPECT_EQ(moved, Dyadic(5));
    moved = copy;
    EXPECT_EQ(moved, original);
  }
}

TEST(Dyadic, FromWordsAndLimbs) {
  EXPECT_EQ(mantissa(Dyadic::from_words(true, ~0ull, ~0ull, 0)), -((Integer(1) << 128) - 1));
  EXPECT_EQ(Dyadic::from_words(false, 0, 0, 9), Dyadic());
  EXPECT_TRUE(Dyadic::from_limbs(true, {}, 4).is_zero());
  const std::array<std::uint64_t, 5> padded = {0, 0, 6, 0, 0};
  EXPECT_EQ(Dyadic::from_limbs(true, padded, 4), Dyadic(-6, 132));
  const std::array<std::uint64_t, 4> wide = {1, 0, 0, 1};
  EXPECT_EQ(Dyadic::from_limbs(false, wide, 0), Dyadic(1, 192) + Dyadic(1));
}

TEST(Dyadic, DoublesThereAndBack) {
  base::Random random(3);
  for (int i = 0; i < 5000; ++i) {
    const double value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    const Dyadic exact = Dyadic::from_double(value);
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    ASSERT_EQ(rational(exact), Rational(static_cast<std::int64_t>(std::ldexp(fraction, 53))) * power(exponent - 53));
    ASSERT_EQ(exact.approximate(), value);
  }
  EXPECT_EQ(Dyadic(1, 1024).approximate(), std::numeric_limits<double>::infinity());
  EXPECT_EQ((Dyadic(1, 53) + Dyadic(1) + Dyadic(1, -900)).approximate(), 0x1p53 + 2);
}

TEST(Dyadic, Text) {
  EXPECT_EQ(Dyadic().to_string(), "0");
  EXPECT_EQ(Dyadic(-3, -1).to_string(), "-1.5");
  EXPECT_EQ(Dyadic(3, 2).to_string(), "12");
  EXPECT_EQ(Dyadic(1, -4).to_string(), "0.0625");
  EXPECT_EQ(Dyadic(1, -30).to_string(), "9.3132257461547852e-10");
  EXPECT_EQ(Dyadic(-1, 300).to_string(), "-2.0370359763344861e+90");
  EXPECT_EQ(Dyadic(1, 2047).to_string().substr(0, 4), "1.61");
  // 10^17 - 1/2 rounds up through seventeen nines.
  EXPECT_EQ((Dyadic(100'000'000'000'000'000) - Dyadic(1, -10)).to_string(), "1e+17");
  EXPECT_EQ(Dyadic(100'000'000'000'000'000).to_string(), "1e+17");
  EXPECT_EQ(Dyadic(10'000'000'000'000'000).to_string(), "10000000000000000");
  base::Random random(4);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    // Seventeen digits identify a double.
    const std::string text = Dyadic::from_double(value).to_string();
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
}

}  // namespace
}  // namespace negzero::exact

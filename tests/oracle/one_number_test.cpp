// Chains of single numbers in words of 64 bits, held against roundings of exact values.

#include <bit>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/one_number.hpp>

namespace negzero::oracle {
namespace {

using exact::Dyadic;
using number::FormatId;

std::int64_t draw_significand(int width, base::Random& random) {
  const std::int64_t top = std::int64_t{1} << (width - 1);
  std::int64_t value = top | (static_cast<std::int64_t>(random.next() >> 2) & (top - 1));
  // Ties, and what lies next to them.
  if (random.one_in(2)) value = (value & ~((top >> random.below(8)) - 1)) | 1;
  if (random.one_in(3)) value = top;
  return random.one_in(2) ? -value : value;
}

OneNumber draw(int width, int exponent, base::Random& random) {
  const std::int64_t significand = draw_significand(width, random);
  return {significand, exponent, exponent + std::countr_zero(static_cast<std::uint64_t>(significand))};
}

class RoundedSum : public ::testing::TestWithParam<FormatId> {};

TEST_P(RoundedSum, IsThatOfExactValues) {
  const number::Format& format = number::format(GetParam());
  contract::Contract contract;
  contract.accumulate = GetParam();
  const Arithmetic arithmetic(GetParam(), declared(contract));
  ASSERT_TRUE(rounds_plainly(arithmetic));
  base::Random random(61);
  const auto digits = static_cast<std::uint64_t>(format.precision());
  int given = 0, beyond = 0, far = 0, cancelled = 0;
  constexpr int kDraws = 60000;
  for (int i = 0; i < kDraws; ++i) {
    const int x_width = 1 + static_cast<int>(random.below(digits)), y_width = 1 + static_cast<int>(random.below(62));
    const int lowest = format.eta_exponent(), highest = format.max_exponent() - format.precision();
    const int x_exponent = static_cast<int>(random.between(lowest, highest));
    // Near the other, where the rounding of one is decided by the last bit of the other; or anywhere.
    const int gap = static_cast<int>(random.between(-70, 70));
    const int y_exponent =
        random.one_in(3) ? static_cast<int>(random.between(2 * lowest, highest)) : x_exponent + x_width - y_width + gap;
    const OneNumber x = draw(x_width, x_exponent, random);
    OneNumber y = draw(y_width, y_exponent, random);
    if (random.one_in(50)) y = {};
    if (random.one_in(50)) y = {x.significand, x.exponent - static_cast<int>(random.below(3)), x.grid};
    const bool turned = random.one_in(2);
    const auto sum = turned ? rounded_sum(format, y, x) : rounded_sum(format, x, y);
    const Dyadic exact = Dyadic(x.significand, x.exponent) + Dyadic(y.significand, y.exponent);
    const Set expected = arithmetic.round(exact, exact, true, false, std::min(x.grid, y.grid));
    if (!sum) {
      // What is left to sets: zeros, and the highest exponent.
      const bool is_high = !expected.finite || expected.low.is_zero() ||
                           expected.low.floor_log2() >= format.max_exponent() || expected.any_infinity();
      const bool is_small = expected.finite && exact.floor_log2() <= format.eta_exponent();
      ASSERT_TRUE(is_high || is_small) << exact.to_string();
      ++beyond;
      continue;
    }
    ++given;
    const Set set = sum->set();
    ASSERT_TRUE(expected.finite && expected.single()) << exact.to_string();
    ASSERT_EQ(set.low, expected.low) << Dyadic(x.significand, x.exponent).to_string() << " + "
                                     << Dyadic(y.significand, y.exponent).to_string();
    ASSERT_EQ(set.high, expected.high);
    ASSERT_EQ(set.grid, expected.grid);
    far += set.low != exact ? 1 : 0;
    cancelled += exact.floor_log2() < std::max(x.exponent + x_width, y.exponent + y_width) - 4 ? 1 : 0;
  }
  EXPECT_GT(given, kDraws / 3);
  EXPECT_GT(far, kDraws / 20);
  EXPECT_GT(cancelled, 20);
  EXPECT_GT(beyond, 0);
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundedSum,
                         ::testing::Values(FormatId::F64, FormatId::F32, FormatId::F16, FormatId::BF16,
                                           FormatId::F8_E4M3, FormatId::F8_E5M2));

TEST(OneNumber, OfASetThatIsOne) {
  const auto seven = OneNumber::of(Set::value(Dyadic(-7, 3)));
  ASSERT_TRUE(seven);
  EXPECT_EQ(*seven, (OneNumber{-7, 3, 3}));
  EXPECT_EQ(seven->set().low, Dyadic(-7, 3));
  EXPECT_FALSE(OneNumber::of(Set::value({})));
  EXPECT_FALSE(OneNumber::of(Set::only_nan()));
  EXPECT_FALSE(OneNumber::of(Set::infinity(true)));
  EXPECT_FALSE(OneNumber::of(Set::interval(1, 2, 0)));
  EXPECT_FALSE(OneNumber::of(Set::value(Dyadic::power_of_two(200) + Dyadic(1))));
  Set overflows = Set::value(1);
  overflows.plus_infinity = true;
  EXPECT_FALSE(OneNumber::of(overflows));
}

TEST(OneNumber, ProductsThatFit) {
  EXPECT_EQ(OneNumber::product(-6, 2, 4, -9), (OneNumber{-24, -7, -4}));
  EXPECT_EQ(OneNumber::product(0, 99, 5, -1), OneNumber{});
  constexpr std::int64_t kOnes = (std::int64_t{1} << 31) - 1;
  EXPECT_TRUE(OneNumber::product(kOnes, 0, kOnes, 0));
  EXPECT_FALSE(OneNumber::product(kOnes, 0, kOnes + 1, 0));
}

}  // namespace
}  // namespace negzero::oracle

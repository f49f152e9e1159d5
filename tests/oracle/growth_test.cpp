// What many roundings can add up to, against the exact power.

#include <cstdint>

#include <gtest/gtest.h>

#include <negzero/oracle/sum_bound.hpp>

namespace negzero::oracle {
namespace {

using exact::Dyadic;

TEST(CompoundGrowth, IsAtLeastThePowerAndHardlyAbove) {
  for (const int exponent : {0, -1, -3, -10, -23, -52, -63}) {
    Dyadic power(1);
    for (std::uint64_t k = 0; k <= 200; ++k, power = power + power.scaled(exponent)) {
      const Dyadic growth = compound_growth(exponent, k);
      ASSERT_GE(growth, power - Dyadic(1)) << k << " roundings of 2^" << exponent;
      const Dyadic above = Dyadic(static_cast<std::int64_t>(k)).scaled(-62) * power;
      ASSERT_LE(growth, power - Dyadic(1) + above) << k << " roundings of 2^" << exponent;
    }
  }
}

TEST(CompoundGrowth, IsExactWhereThePowerHasFewBits) {
  EXPECT_EQ(compound_growth(-10, 1), Dyadic::power_of_two(-10));
  EXPECT_EQ(compound_growth(-10, 2), Dyadic::power_of_two(-9) + Dyadic::power_of_two(-20));
  EXPECT_EQ(compound_growth(-23, 0), Dyadic());
  EXPECT_EQ(compound_growth(0, 5), Dyadic(31));
}

}  // namespace
}  // namespace negzero::oracle

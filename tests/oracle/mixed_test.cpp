// Features together: folding under other roundings, promotion, flushing, C and alpha inside the sum, each where the
// rule for one of them alone would say too little or too much.

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::AccumulateRounding;
using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::Start;
using contract::Subnormals;
using operation::ReduceKind;
using ::testing::ElementsAre;

Dot f16_dot(const std::vector<double>& a, const std::vector<double>& b, double alpha) {
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16, .alpha = f32(alpha)};
  dot.a = words(FormatId::F16, a);
  dot.b = words(FormatId::F16, b);
  return dot;
}

Permitted row_of(FormatId x, FormatId y, const std::vector<double>& row, const Contract& contract) {
  return permitted(row_case(ReduceKind::Sum, x, y, words(x, row)), contract);
}

TEST(Folding, RoundsToNearestOrAsATruncatingAccumulatorDoes) {
  // 3 (1 + 2^-10) is half way between two numbers of F16: nearest gives the even one, truncation the other.
  const Dot dot = f16_dot({1 + 0x1p-10}, {1}, 3);
  Contract contract = accumulating(FormatId::F16);
  contract.alpha = AlphaPlace::Operand;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(3.00390625));
  contract.accumulate_rounding = AccumulateRounding::TowardZero;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(3.001953125, 3.00390625));
}

TEST(Folding, MaySaturateOrOverflow) {
  const Dot dot = f16_dot({65504}, {0.5}, 2);
  Contract contract = accumulating(FormatId::F16);
  contract.alpha = AlphaPlace::Operand;
  // 65504 * 2 overflows; 0.5 * 2 does not.
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "65504 (0x7bff) or +inf");
  contract.accumulate_rounding = AccumulateRounding::Faithful;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "32752 (0x77ff) or 65504 (0x7bff) or +inf");
}

TEST(Folding, FlushesWhatItsPartnerWouldHaveRaised) {
  // 2^-14 / 16 is subnormal: flushed it takes 2^10 along, though the product is far from the subnormal numbers.
  const Dot dot = f16_dot({0x1p-14}, {0x1p10}, 0.0625);
  Contract contract = accumulating(FormatId::F16);
  contract.alpha = AlphaPlace::Operand;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(0x1p-8));
  contract.subnormal_results = Subnormals::Flush;
  for (const double folded : {0.0, 0x1p-8}) {  // into a, into b
    EXPECT_TRUE(permitted(dot_case(dot), contract).contains(word(FormatId::F16, folded)));
  }
}

TEST(Partial, ScalesSlicesBeforeTheySaturate) {
  // 65504 + 65504 stays at 65504 under truncation, and half of it is 32752; halves add up to 65504.
  const Dot dot = f16_dot({65504, 65504}, {1, 1}, 0.5);
  Contract contract = accumulating(FormatId::F16);
  contract.accumulate_rounding = AccumulateRounding::TowardZero;
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(32752));
  contract.alpha = AlphaPlace::Partial;
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(word(FormatId::F16, 32752)));
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(word(FormatId::F16, 65504)));
}

TEST(Partial, OneProductIsScaledBeforeWhatStandsBetweenTheSumAndTheEpilogue) {
  // fl(a b) = 1.0546875 is 1.0546875 in BF16 too, three times that 3.1640625; 3 fl(a b) is rounded to 3.15625. A folded
  // alpha gives 3.171875.
  const Dot dot = f16_dot({1 + 10 * 0x1p-10}, {1 + 46 * 0x1p-10}, 3);
  Contract contract = accumulating(FormatId::F16);
  contract.intermediate = {{FormatId::BF16, number::Rounding::NearestEven}};
  contract.intermediate_at = contract::IntermediateAt::Sum;
  const auto permits = [&](AlphaPlace place, double value) {
    contract.alpha = place;
    return permitted(dot_case(dot), contract).contains(word(FormatId::F16, value));
  };
  EXPECT_TRUE(permits(AlphaPlace::Epilogue, 3.1640625));
  EXPECT_FALSE(permits(AlphaPlace::Any, 3.15625));
  EXPECT_TRUE(permits(AlphaPlace::Partial, 3.15625));
  EXPECT_FALSE(permits(AlphaPlace::Partial, 3.140625));
}

TEST(Partial, CMayStandAmongSlicesThatAreScaledExactly) {
  // Half of each product is q = 2^-11 (1 + 2^-9): 1 + 2 q is 1 + 2^-10, and (1 + q) + q is 1 + 2^-9. Half of either
  // operand would underflow in one of the products, so folding says nothing.
  const double large = 0x1p14 + 0x1p5;
  Dot dot = f16_dot({0x1p-24, large}, {large, 0x1p-24}, 0.5);
  dot.beta = f32(1);
  dot.c = word(FormatId::F16, 1);
  Contract contract = accumulating(FormatId::F16);
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(1 + 0x1p-10));
  contract.alpha = AlphaPlace::Partial;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(1 + 0x1p-10, 1 + 0x1p-9));
}

TEST(Promote, TruncatedBlocksSaturateOneByOne) {
  Contract contract = accumulating(FormatId::F16);
  contract.accumulate_rounding = AccumulateRounding::TowardZero;
  contract.promote = contract::Promote{2, FormatId::F32};
  const Permitted set = row_of(FormatId::F16, FormatId::F32, {65504, 65504, -65504, 0}, contract);
  EXPECT_THAT(finite_values(set), ElementsAre(0));
  EXPECT_FALSE(set.plus_infinity || set.nan);
}

TEST(Promote, AWiderAccumulatorIsNeverEmptiedIntoANarrowerOne) {
  Contract contract = accumulating(FormatId::F16);
  contract.promote = contract::Promote{2, FormatId::F16};
  const std::vector<double> row{60000, 60000, -60000, -60000};
  EXPECT_EQ(row_of(FormatId::F16, FormatId::F16, row, contract).to_string(), "nan");
  contract.wider = true;
  const Permitted set = row_of(FormatId::F16, FormatId::F16, row, contract);
  EXPECT_THAT(finite_values(set), ElementsAre(0));
  EXPECT_TRUE(set.nan);
}

TEST(Flush, ALoadedValueJoinsASumThatHasBegunWithoutAZero) {
  // (0 + 2^-126) + 2^-130 is normal; a slice that starts 0 + 2^-130 is flushed.
  Contract contract = accumulating(FormatId::F32);
  contract.subnormal_results = Subnormals::Flush;
  contract.start = Start::PlusZero;
  const Permitted set = row_of(FormatId::F32, FormatId::F32, {0x1p-126, 0x1p-130}, contract);
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0x1p-126)));
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0x1p-126 + 0x1p-130)));
  EXPECT_FALSE(set.contains(word(FormatId::F32, 0x1p-126 + 0x1p-129)));
}

TEST(Flush, CompensatedSumsLoseTenSmallestNormalNumbersATerm) {
  Contract contract = accumulating(FormatId::F16);
  contract.compensated = true;
  const std::vector<double> row{0x1p-14, 0x1p-14 + 0x1p-23};
  EXPECT_THAT(finite_values(row_of(FormatId::F16, FormatId::F16, row, contract)), ElementsAre(0x1p-13 + 0x1p-23));
  contract.subnormal_results = Subnormals::Flush;
  const Permitted set = row_of(FormatId::F16, FormatId::F16, row, contract);
  const auto end = [&](std::int64_t at) {
    return number::to_double(number::format(FormatId::F16), number::from_ordinal(number::format(FormatId::F16), at));
  };
  // s and B exceed 2 and 20 of them by 2^-23 each: inward, the upper end is 22, and the lower one -18.
  EXPECT_EQ(set.high.approximate(), 22 * 0x1p-14);
  EXPECT_EQ(end(set.hull().low), -18 * 0x1p-14);
}

TEST(Intermediate, OfTheSumMayComeAfterAStoreToTheDeclaredAccumulator) {
  // The sum lies 2^-13 below the tie 1 + 3 2^-8 of BF16, which F16 rounds it to first. F16's own chain stays lower: it
  // loses the two small terms.
  Dot dot = f16_dot({1 + 0x3p-8 - 0x1p-10, 0x7p-14, 0x7p-14}, {1, 1, 1}, 1);
  dot.d = FormatId::BF16;
  Contract contract = accumulating(FormatId::F16);
  contract.wider = true;
  contract.order = contract::Order::Ascending;
  contract.start = Start::FirstTerm;
  contract.intermediate = {{FormatId::BF16, number::Rounding::NearestEven}};
  contract.intermediate_at = contract::IntermediateAt::Sum;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(1 + 0x1p-7, 1 + 0x1p-6));
}

TEST(Intermediate, OfAnExactSumMayOverflowTheDeclaredAccumulatorOnly) {
  // 65504 is 65536 in BF16: Inf in F16, where the epilogue turns it around, but not in a wider accumulator.
  Dot dot = f16_dot({65504}, {1}, -1);
  dot.d = FormatId::F32;
  Contract contract = accumulating(FormatId::F16);
  contract.intermediate = {{FormatId::BF16, number::Rounding::NearestEven}};
  contract.intermediate_at = contract::IntermediateAt::Sum;
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "-inf");
  contract.wider = true;
  const Permitted set = permitted(dot_case(dot), contract);
  EXPECT_TRUE(set.minus_infinity && set.contains(word(FormatId::F32, -65536)));
}

TEST(Intermediate, OfTheSumComesAfterCAtTheEndOfAChain) {
  Dot dot{.factors = FormatId::F32, .d = FormatId::F32};
  dot.a = words(FormatId::F32, {2048});
  dot.b = words(FormatId::F32, {1});
  dot.beta = f32(1);
  dot.c = word(FormatId::F32, 1);
  Contract contract = accumulating(FormatId::F32);
  contract.order = contract::Order::Ascending;
  contract.start = Start::PlusZero;
  contract.intermediate = {{FormatId::F16, number::Rounding::NearestEven}};
  contract.intermediate_at = contract::IntermediateAt::Sum;
  contract.beta = BetaPlace::Epilogue;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2049));
  contract.beta = BetaPlace::Leaf;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2048));
}

}  // namespace
}  // namespace negzero::oracle

// Overflow, infinities, NaN and the sign of zero in sums (numerics.md sections 3 and 4).

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::AccumulateRounding;
using contract::Contract;
using contract::Order;
using contract::OverflowPolicy;
using contract::Start;
using contract::ZeroSign;
using operation::ReduceKind;
using ::testing::ElementsAre;

TEST(Overflow, BeginsAtHalfAnUlpAboveTheLargestNumber) {
  EXPECT_EQ(f16_sum({65504, 15.9921875}).to_string(), "65504 (0x7bff)");
  EXPECT_EQ(f16_sum({65504, 16}).to_string(), "+inf");
  EXPECT_EQ(f16_sum({-65504, -16}).to_string(), "-inf");
}

TEST(Overflow, OfOneSignPermitsThatInfinityAndNoNan) {
  const Permitted set = f16_sum({65504, 65504, -65504});
  EXPECT_TRUE(set.plus_infinity);
  EXPECT_FALSE(set.minus_infinity);
  EXPECT_FALSE(set.nan);
  EXPECT_TRUE(set.contains(word(FormatId::F16, 65504)));
}

TEST(Overflow, OfBothSignsPermitsNan) {
  const Permitted set = f16_sum({65504, 65504, -65504, -65504});
  EXPECT_TRUE(set.plus_infinity && set.minus_infinity && set.nan);
  EXPECT_TRUE(set.contains(0));
  EXPECT_EQ(set.rule, verdict::Rule("sum.overflow"));
}

TEST(Overflow, CountsTheRoundingOfPartialSums) {
  // P = 65519 < T, but 40000 + 25519 rounds to 65536: of many small terms the rounding may carry partial sums over.
  std::vector<double> row{65472};
  for (int i = 0; i < 46; ++i) row.push_back(1);
  EXPECT_FALSE(f16_sum({65472, 46}).plus_infinity);  // 65518 rounds to 65504 in one step
  EXPECT_TRUE(f16_sum(row).plus_infinity);           // P' = P + B
}

TEST(Overflow, OfAChainIsFollowedNotBounded) {
  Contract contract = accumulating(FormatId::F16);
  contract.order = Order::Ascending;
  EXPECT_EQ(f16_sum({65504, -65504, 65504}, contract).to_string(), "65504 (0x7bff)");
  EXPECT_EQ(f16_sum({65504, 65504, -65504}, contract).to_string(), "+inf");
}

TEST(Overflow, SaturatesUnderTruncation) {
  Contract contract = accumulating(FormatId::F16);
  contract.accumulate_rounding = AccumulateRounding::TowardZero;
  const Permitted set = f16_sum({65504, 65504, -65504}, contract);
  EXPECT_FALSE(set.plus_infinity);
  EXPECT_THAT(set.low.approximate(), 0);
  EXPECT_TRUE(set.contains(word(FormatId::F16, 65504)));
  // Ten terms, so a bound: P - max = 65504 + 8 below, nothing above.
  const Permitted many = f16_sum({65504, 65504, -65504, 1, 1, 1, 1, 1, 1, 1, 1}, contract);
  EXPECT_EQ(many.rule, verdict::Rule("sum.any_order"));
  EXPECT_TRUE(many.contains(word(FormatId::F16, 0)));
  contract.overflow = OverflowPolicy::Either;  // hardware that gives Inf although it truncates
  EXPECT_TRUE(f16_sum({65504, 65504, -65504}, contract).plus_infinity);
}

TEST(Overflow, OfFaithfulRoundingGivesTheLargestNumberOrInf) {
  Contract contract = accumulating(FormatId::F16);
  contract.accumulate_rounding = AccumulateRounding::Faithful;
  EXPECT_EQ(f16_sum({65504, 1}, contract).to_string(), "65504 (0x7bff) or +inf");
}

TEST(Overflow, WithinAProductCountsToo) {
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = words(FormatId::F16, {256, 1});
  dot.b = words(FormatId::F16, {256, -32768});  // 65536 - 32768: fused 32768, separate Inf
  Contract contract = accumulating(FormatId::F16);
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(word(FormatId::F16, 32768)));
  EXPECT_TRUE(permitted(dot_case(dot), contract).plus_infinity);
  contract.contraction = contract::Contraction::Separate;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "+inf");
}

TEST(Overflow, OfTheOutputHasItsOwnThresholdAndPolicy) {
  Contract contract = accumulating(FormatId::F32);
  const auto cast = [&](double value, FormatId to, OverflowPolicy policy) {
    contract.overflow = policy;
    return permitted(row_case(ReduceKind::Sum, FormatId::F32, to, words(FormatId::F32, {value})), contract).to_string();
  };
  EXPECT_EQ(cast(464, FormatId::F8_E4M3, OverflowPolicy::Ieee), "448 (0x7e)");  // the tie goes to even: no overflow
  EXPECT_EQ(cast(464.5, FormatId::F8_E4M3, OverflowPolicy::Ieee), "nan");
  EXPECT_EQ(cast(464.5, FormatId::F8_E4M3, OverflowPolicy::Saturate), "448 (0x7e)");
  EXPECT_EQ(cast(464.5, FormatId::F8_E4M3, OverflowPolicy::Either), "448 (0x7e) or nan");
  EXPECT_EQ(cast(65519, FormatId::F16, OverflowPolicy::Ieee), "65504 (0x7bff)");
  EXPECT_EQ(cast(65520, FormatId::F16, OverflowPolicy::Ieee), "+inf");
  EXPECT_EQ(cast(65520, FormatId::F16, OverflowPolicy::Nan), "nan");
}

TEST(Overflow, OfACompensatedSumMayGiveNan) {
  Contract contract = accumulating(FormatId::F16);
  contract.compensated = true;
  EXPECT_TRUE(f16_sum({65504, 65504, 1}, contract).nan);
  EXPECT_TRUE(f16_sum({kInfinity, 1, 2}, contract).nan);
  EXPECT_FALSE(f16_sum({1, 2, 3}, contract).nan);
}

TEST(Specials, AmongTheTermsDecide) {
  EXPECT_EQ(f16_sum({1, kNotANumber, kInfinity}).to_string(), "nan");
  EXPECT_EQ(f16_sum({1, kInfinity, -kInfinity}).to_string(), "nan");
  EXPECT_EQ(f16_sum({1, kInfinity, -65504}).to_string(), "+inf");
  EXPECT_EQ(f16_sum({kInfinity, -65504, -65504}).to_string(), "+inf or nan");  // the finite ones may reach -Inf first
  EXPECT_EQ(f16_sum({kInfinity, -65504, -65504}).rule, verdict::Rule("sum.special"));
  EXPECT_EQ(f16_sum({kInfinity, -65504, 5}).to_string(), "+inf");  // no order takes -65504 + 5 below -65504
}

TEST(Specials, InfTimesZeroIsNan) {
  Dot dot;
  dot.a = words(FormatId::F32, {kInfinity, 1});
  dot.b = words(FormatId::F32, {-0.0, 1});
  EXPECT_EQ(permitted(dot_case(dot), {}).to_string(), "nan");
}

TEST(Specials, InfTimesWhatMayBeFlushedIsEither) {
  Dot dot;
  dot.a = words(FormatId::F32, {kInfinity});
  dot.b = {1};
  Contract contract = accumulating(FormatId::F32);
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "+inf");
  contract.subnormal_inputs = contract::Subnormals::Either;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "+inf or nan");
  contract.subnormal_inputs = contract::Subnormals::Flush;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "nan");
}

TEST(ZeroSign, OfFloatSumsIsFreeUnlessDeclared) {
  EXPECT_EQ(f16_sum({1, -1}).to_string(), "0 (0x0000) or -0 (0x8000)");
}

TEST(ZeroSign, IsMinusOnlyIfEveryLeafAndTheStartAre) {
  Contract contract = accumulating(FormatId::F16);
  contract.zero_sign = ZeroSign::Ieee;
  const auto set = [&](const std::vector<double>& row, Start start) {
    contract.start = start;
    return f16_sum(row, contract).to_string();
  };
  EXPECT_EQ(set({1, -1}, Start::Any), "0 (0x0000)");  // exact cancellation
  EXPECT_EQ(set({-0.0, -0.0}, Start::FirstTerm), "-0 (0x8000)");
  EXPECT_EQ(set({-0.0, -0.0}, Start::PlusZero), "0 (0x0000)");
  EXPECT_EQ(set({-0.0, -0.0}, Start::Any), "0 (0x0000) or -0 (0x8000)");
  EXPECT_EQ(set({-0.0, 0.0}, Start::FirstTerm), "0 (0x0000)");
  EXPECT_EQ(set({-0.0, 1, -1}, Start::FirstTerm), "0 (0x0000)");
}

TEST(ZeroSign, IsOpenWhereAProductUnderflows) {
  // fma of a tiny negative product onto +0 gives -0.
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = words(FormatId::F16, {0x1p-14, 0});
  dot.b = words(FormatId::F16, {-0x1p-14, 1});
  Contract contract = accumulating(FormatId::F16);
  contract.zero_sign = ZeroSign::Ieee;
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(0x8000));
  contract.order = Order::Ascending;
  contract.start = Start::PlusZero;
  contract.contraction = contract::Contraction::Fused;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "0 (0x0000)");  // -0 + (+0 * 1) = +0
  std::swap(dot.a[0], dot.a[1]);
  std::swap(dot.b[0], dot.b[1]);
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "-0 (0x8000)");
}

TEST(ZeroSign, OfANarrowerOutputFollowsTheValueThatVanishes) {
  Contract contract = accumulating(FormatId::F32);
  contract.zero_sign = ZeroSign::Ieee;
  const auto cast = [&](double value) {
    return permitted(row_case(ReduceKind::Sum, FormatId::F32, FormatId::F16, words(FormatId::F32, {value})), contract)
        .to_string();
  };
  EXPECT_EQ(cast(-1e-30), "-0 (0x8000)");
  EXPECT_EQ(cast(1e-30), "0 (0x0000)");
}

TEST(EmptySums, GiveWhatIsDeclared) {
  const auto empty = row_case(ReduceKind::Sum, FormatId::F32, FormatId::F32, {});
  Contract contract = accumulating(FormatId::F32);
  EXPECT_EQ(permitted(empty, contract).to_string(), "0 (0x00000000) or -0 (0x80000000)");
  contract.zero_sign = ZeroSign::Ieee;
  EXPECT_EQ(permitted(empty, contract).to_string(), "0 (0x00000000)");
  contract.empty = 0x80000000;
  EXPECT_EQ(permitted(empty, contract).to_string(), "-0 (0x80000000)");
  EXPECT_EQ(permitted(empty, contract).rule, verdict::Rule("sum.empty"));
}

}  // namespace
}  // namespace negzero::oracle

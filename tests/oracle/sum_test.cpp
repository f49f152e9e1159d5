// Sums of floats: exactness, the hull, the bounds of many terms; each at its boundary, where one step more or less
// shows.

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/oracle/answer.hpp>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::AccumulateRounding;
using contract::Contract;
using contract::Contraction;
using contract::Order;
using operation::ReduceKind;
using ::testing::ElementsAre;

std::vector<double> with_ones(double first, int ones) {
  std::vector<double> row(static_cast<std::size_t>(ones) + 1, 1.0);
  row[0] = first;
  return row;
}

double low(const Permitted& set) { return set.low.approximate(); }
double high(const Permitted& set) { return set.high.approximate(); }

TEST(RuleA, HoldsUpToSequalToTwoToThePTimesG) {
  const Permitted at = f16_sum(with_ones(2040, 8));  // S = 2^11 g, nine terms: no hull
  EXPECT_EQ(at.rule, verdict::Rule("sum.exact"));
  EXPECT_THAT(finite_values(at), ElementsAre(2048));
  const Permitted beyond = f16_sum(with_ones(2041, 8));  // S = 2^11 g + 1: 2048 + 1 rounds
  EXPECT_EQ(beyond.rule, verdict::Rule("sum.any_order"));
  EXPECT_LT(beyond.low, beyond.high);
}

TEST(RuleA, NeedsEveryTermToBeAMultipleOfEta) {
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = words(FormatId::F16, {0x1p-12, 0x1p-12, 0x1p-12});
  dot.b = words(FormatId::F16, {0x1p-12, 0x1p-12, 0x1p-12});  // products of 2^-24 = eta
  EXPECT_EQ(permitted(dot_case(dot), accumulating(FormatId::F16)).rule, verdict::Rule("sum.exact"));
  dot.b = words(FormatId::F16, {0x1p-13, 0x1p-12, 0x1p-12});  // one of eta / 2, which rounds to zero alone
  const Permitted set = permitted(dot_case(dot), accumulating(FormatId::F16));
  EXPECT_EQ(set.rule, verdict::Rule("sum.hull"));
  EXPECT_THAT(finite_values(set), ElementsAre(0x1p-23, 3 * 0x1p-24));
}

TEST(RuleA, IsNotAppliedWhereAPartialSumCanOverflow) {
  // numerics.md 2a: without max(P, N) <= the largest number this would be the single value 32768.
  const Permitted set = f16_sum({32768, 32768, -32768});
  EXPECT_TRUE(set.plus_infinity);
  EXPECT_TRUE(set.contains(word(FormatId::F16, 32768)));
  const Permitted fits = f16_sum({32768, 32736});  // P = 65504
  EXPECT_EQ(fits.rule, verdict::Rule("sum.exact"));
  EXPECT_FALSE(fits.plus_infinity);
}

TEST(RuleA, MakesOneHotAndIntegerInputsZeroToleranceAtAnyLength) {
  std::vector<double> row(5000, 0.0);
  row[4321] = 0.1;
  EXPECT_EQ(f16_sum(row).low, f16_sum(row).high);
  Dot dot;
  dot.a = words(FormatId::F32, std::vector<double>(4096, 3));
  dot.b = words(FormatId::F32, std::vector<double>(4096, -7));
  const Permitted set = permitted(dot_case(dot), {});
  EXPECT_EQ(set.rule, verdict::Rule("sum.exact"));
  EXPECT_THAT(finite_values(set), ElementsAre(-3 * 7 * 4096));
}

TEST(RuleB, IsTheHullOfAllTreesAndNoMore) {
  // (2048 + 1) + 1 = 2048 and 2048 + (1 + 1) = 2050.
  const Permitted set = f16_sum({2048, 1, 1});
  EXPECT_EQ(set.rule, verdict::Rule("sum.hull"));
  EXPECT_THAT(finite_values(set), ElementsAre(2048, 2050));
}

TEST(RuleB, LeavesOneValueToTwoTerms) {
  const Permitted set = f16_sum({2049.0 - 1, 1});  // a bound accepts the neighbours too
  EXPECT_EQ(set.low, set.high);
  EXPECT_EQ(set.rule, verdict::Rule("sum.hull"));
}

TEST(RuleB, LetsAProductJoinUnroundedOnlyWhereFused) {
  // p = (1 + 2^-10)(1 - 2^-10) = 1 - 2^-20 rounds to 1: 2050 + 1 is a tie and goes to 2052, 2050 + p does not.
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = words(FormatId::F16, {2050, 1 + 0x1p-10});
  dot.b = words(FormatId::F16, {1, 1 - 0x1p-10});
  Contract contract = accumulating(FormatId::F16);
  contract.contraction = Contraction::Separate;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2052));
  contract.contraction = Contraction::Either;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2050, 2052));
  contract.order = Order::Ascending;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2050, 2052));
  contract.contraction = Contraction::Fused;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2050));
  contract.contraction = Contraction::Separate;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2052));
}

TEST(RuleB, IsUsedToEightTermsForFewOutputsAndToFourForMany) {
  EXPECT_EQ(hull_terms(1), 8);
  EXPECT_EQ(hull_terms(16), 8);
  EXPECT_EQ(hull_terms(17), 4);
  std::vector<double> eight = with_ones(2045, 7);
  EXPECT_EQ(f16_sum(eight).rule, verdict::Rule("sum.hull"));
  eight.push_back(1);
  EXPECT_EQ(f16_sum(eight).rule, verdict::Rule("sum.any_order"));
}

TEST(RuleC, NearestTakesTheSmallerOfBothForms) {
  // m = 10, S = 2055: relative 9 u S = 9.03, stepwise 9 ulp(S') / 2 = 9, so s -+ 9 on the grid.
  const Permitted set = f16_sum(with_ones(2046, 9));
  EXPECT_EQ(set.rule, verdict::Rule("sum.any_order"));
  EXPECT_EQ(low(set), 2046);
  EXPECT_EQ(high(set), 2064);
  // m = 9, S = 1033 just above a power of two: relative 8 u S = 4.03 against 8 * 1 / 2 = 4.
  const Permitted below = f16_sum({1024.0 + 0.0, 1, 1, 1, 1, 1, 1, 1, 2.0 - 0x1p-10});
  EXPECT_EQ(low(below), 1029);
  EXPECT_EQ(high(below), 1036);
}

TEST(RuleC, CountsHalfAnUlpOfEachProductThatRounds) {
  // Nine times p = (1 + 2^-10)^2: stepwise 9 * 2^-10 / 2 + 8 * 2^-7 / 2 = 0.0356 is below 9 u S = 0.0396.
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = dot.b = words(FormatId::F16, std::vector<double>(9, 1 + 0x1p-10));
  const Permitted set = permitted(dot_case(dot), accumulating(FormatId::F16));
  EXPECT_EQ(set.rule, verdict::Rule("sum.any_order"));
  EXPECT_EQ(low(set), 1150 * 0x1p-7);
  EXPECT_EQ(high(set), 1158 * 0x1p-7);
}

TEST(RuleC, TruncationErrsByAWholeUlpEachTime) {
  Contract contract = accumulating(FormatId::F16);
  contract.accumulate_rounding = AccumulateRounding::TowardZero;
  const Permitted set = f16_sum(with_ones(2046, 9), contract);  // (m-1) ulp(S) = 18 against 2 u 9 S = 18.06
  EXPECT_EQ(low(set), 2037);
  EXPECT_EQ(high(set), 2072);
}

TEST(RuleC, TruncationHasABoundFrom1025TermsOn) {
  // gamma_n is undefined there; 2 u k S is not.
  Contract contract = accumulating(FormatId::F16);
  contract.accumulate_rounding = AccumulateRounding::TowardZero;
  const Permitted set = f16_sum(std::vector<double>(3000, 1 + 0x1p-10), contract);
  EXPECT_TRUE(set.finite);
  EXPECT_TRUE(set.contains(word(FormatId::F16, 2048)));  // a chain stays there
  EXPECT_TRUE(set.vacuous);
}

TEST(RuleC, FaithfulRoundingCompounds) {
  Contract contract = accumulating(FormatId::F16);
  contract.accumulate_rounding = AccumulateRounding::Faithful;
  const Permitted set = f16_sum(with_ones(2046, 9), contract);  // ((1 + 2u)^9 - 1) S = 18.13
  EXPECT_EQ(low(set), 2037);
  EXPECT_EQ(high(set), 2072);
}

TEST(RuleC, CompensatedSumsHaveTheRelativeFormOnly) {
  Contract contract = accumulating(FormatId::F16);
  contract.compensated = true;
  const Permitted set = f16_sum(with_ones(2046, 9), contract);  // 10 u S = 10.03
  EXPECT_EQ(low(set), 2045);
  EXPECT_EQ(high(set), 2064);
  std::vector<double> with_zero = with_ones(2046, 9);
  with_zero.push_back(0);
  EXPECT_EQ(low(f16_sum(with_zero, contract)), 2045) << "a zero term adds the last compensation, as s - c does";
}

TEST(RuleC, CompensatedSumsAllowForProductErrorsThatUnderflow) {
  // a b = P + 65/128 eta, P an odd multiple of its step 2 eta. Its error is rounded to eta, and P + eta to P + 2 eta,
  // 1.49 eta away: u S is 1.03 eta, and the error's own rounding may add half of one.
  const double p = 0x1p-13 * (1 + 33 * 0x1p-10), eta = 0x1p-24;
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = words(FormatId::F16, {0x1p-6 * (1 + 13 * 0x1p-10)});
  dot.b = words(FormatId::F16, {0x1p-7 * (1 + 20 * 0x1p-10)});
  contract::Contract contract = accumulating(FormatId::F16);
  contract.compensated = true;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(p, p + 2 * eta));
  // 2^10 as large the error is exact.
  dot.a = words(FormatId::F16, {0x1p4 * (1 + 13 * 0x1p-10)});
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(0x1p10 * p));
}

TEST(RuleC, PromotedBlocksErrOnlyWithinThemselves) {
  Contract contract = accumulating(FormatId::F16);
  const auto set = [&](int every) {
    contract.promote = contract::Promote{.every = every, .format = FormatId::F32};
    std::vector<double> row = with_ones(2048, every - 1);  // one block that rounds
    for (int i = 0; i < 64; ++i) row.push_back(1);         // blocks that do not
    return permitted(row_case(ReduceKind::Sum, FormatId::F16, FormatId::F32, words(FormatId::F16, row)), contract);
  };
  // B: 15 ulp(2078) / 2 = 15 of the first block, and nothing in F32.
  EXPECT_EQ(set(16).rule, verdict::Rule("sum.any_order"));
  EXPECT_EQ(low(set(16)), 2063 - 15 + 64);
  EXPECT_EQ(high(set(16)), 2063 + 15 + 64);
  // A block of few terms is decided by its hull: 2048 + 1 + ... = 2048, and 2048 + 7 is a tie that goes to 2056.
  EXPECT_EQ(low(set(8)), 2048 + 64);
  EXPECT_EQ(high(set(8)), 2056 + 64);
}

TEST(RuleD, RoundsTheEndsInwardToTheAccumulatorsGrid) {
  // F32 accumulator, F16 output: the ends are F32 numbers first, so the set cannot reach the F16 number beyond them.
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = dot.b = words(FormatId::F16, std::vector<double>(9, 1 + 0x1p-10));
  const Permitted set = permitted(dot_case(dot), accumulating(FormatId::F32));
  EXPECT_EQ(set.rule, verdict::Rule("sum.exact"));
  EXPECT_THAT(finite_values(set), ElementsAre(9.015625));
}

TEST(RuleD, GoesThroughDeclaredIntermediateRoundings) {
  const Words row = words(FormatId::F32, {2048, 1.5});
  Contract contract = accumulating(FormatId::F32);
  EXPECT_THAT(finite_values(permitted(row_case(ReduceKind::Sum, FormatId::F32, FormatId::F32, row), contract)),
              ElementsAre(2049.5));
  contract.intermediate = {{FormatId::F16, number::Rounding::NearestEven}};
  EXPECT_THAT(finite_values(permitted(row_case(ReduceKind::Sum, FormatId::F32, FormatId::F32, row), contract)),
              ElementsAre(2050));
  contract.intermediate = {{FormatId::F16, number::Rounding::TowardZero}};
  EXPECT_THAT(finite_values(permitted(row_case(ReduceKind::Sum, FormatId::F32, FormatId::F32, row), contract)),
              ElementsAre(2048));
}

TEST(Wider, HoldsTheFormatsBetweenDeclaredAndF64Too) {
  // s = 1 + 2^-11 + 2^-30: one fused step of F16 gives 1 + 2^-10, and so does F64. F32 loses 2^-30, which leaves a tie
  // that goes to 1. The hull of F16 and F64 alone (numerics.md 2d) would fail a kernel that accumulates in F32.
  Dot dot{.factors = FormatId::F32, .d = FormatId::F16};
  dot.a = words(FormatId::F32, {1, 0x1p-11 + 0x1p-30});
  dot.b = words(FormatId::F32, {1, 1});
  Contract contract = accumulating(FormatId::F16);
  contract.order = Order::Ascending;
  contract.contraction = Contraction::Fused;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(1 + 0x1p-10));
  contract.wider = true;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(1, 1 + 0x1p-10));
}

TEST(Wider, PermitsTheCorrectlyRoundedSum) {
  std::vector<double> row(4096, 1 + 0x1p-10);
  Contract contract = accumulating(FormatId::F16);
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  contract.order = Order::Ascending;
  EXPECT_THAT(finite_values(f16_sum(row, contract)), ElementsAre(4096));  // one more is lost there
  contract.wider = true;
  EXPECT_TRUE(f16_sum(row, contract).contains(word(FormatId::F16, sum)));
}

TEST(Mean, DividesByTheCountOrByWhatItsFormatHoldsOfIt) {
  // BF16 rounds 257 to 256. 512 / 257 is rounded to 1.9921875, 512 times fl(1 / 257) as well.
  std::vector<double> row(257);
  row[0] = 512;
  const operation::Case value =
      row_case(operation::ReduceKind::Mean, FormatId::BF16, FormatId::BF16, words(FormatId::BF16, row));
  contract::Contract contract = accumulating(FormatId::BF16);
  for (const auto form : {contract::MeanForm::Divide, contract::MeanForm::Reciprocal, contract::MeanForm::Any}) {
    contract.mean = form;
    EXPECT_THAT(finite_values(permitted(value, contract)), ElementsAre(1.9921875, 2));
  }
}

TEST(Vacuous, SaysWhenNothingCanBeRejected) {
  EXPECT_FALSE(f16_sum(std::vector<double>(900, 1 + 0x1p-10)).vacuous);  // 899 u S < S / 2
  EXPECT_TRUE(f16_sum(std::vector<double>(3000, 1 + 0x1p-10)).vacuous);  // 2999 u S > S / 2
  EXPECT_FALSE(f16_sum(std::vector<double>(2000, 1)).vacuous);           // exact
}

TEST(Multiplicand, RoundsBeforeTheProductAndMayOverflow) {
  Dot dot;
  dot.a = words(FormatId::F32, {1 + 0x1p-11});
  dot.b = words(FormatId::F32, {1});
  Contract contract = accumulating(FormatId::F32);
  const auto value = [&](contract::Multiplicand multiplicand) {
    contract.multiplicand = multiplicand;
    return finite_values(permitted(dot_case(dot), contract));
  };
  EXPECT_THAT(value(contract::Multiplicand::Exact), ElementsAre(1 + 0x1p-11));
  EXPECT_THAT(value(contract::Multiplicand::Tf32NearestAway), ElementsAre(1 + 0x1p-10));
  EXPECT_THAT(value(contract::Multiplicand::Tf32NearestEven), ElementsAre(1));
  EXPECT_THAT(value(contract::Multiplicand::Tf32Truncate), ElementsAre(1));
  EXPECT_THAT(value(contract::Multiplicand::Bf16), ElementsAre(1));
  dot.a = {0x7f7fffff};  // the largest F32 becomes a TF32 Inf
  contract.multiplicand = contract::Multiplicand::Tf32NearestEven;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "+inf");
  dot.a = {0x7f800001};  // a NaN stays one: conversion comes before anything is dropped
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "nan");
}

TEST(Flush, TakesInputsForZeroOrMayTake) {
  const Words row{1, word(FormatId::F32, 1)};  // eta and 1
  Contract contract = accumulating(FormatId::F32);
  const auto set = [&](contract::Subnormals policy, const Words& values) {
    contract.subnormal_inputs = policy;
    return permitted(row_case(ReduceKind::Sum, FormatId::F32, FormatId::F32, values), contract);
  };
  EXPECT_EQ(set(contract::Subnormals::Keep, {1, 2}).to_string(), "4e-45 (0x00000003)");
  EXPECT_TRUE(set(contract::Subnormals::Flush, {1, 2}).contains(0));
  EXPECT_FALSE(set(contract::Subnormals::Flush, {1, 2}).contains(3));
  const Permitted either = set(contract::Subnormals::Either, {1, 2});  // each operand chooses for itself
  EXPECT_EQ(either.hull(), (Interval{0, 3}));
  EXPECT_TRUE(set(contract::Subnormals::Flush, row).contains(word(FormatId::F32, 1)));
}

TEST(Flush, OfResultsIsDecidedAfterRounding) {
  // Half of 0x00ffffff lies below the smallest normal number, to which gradual underflow rounds it; with 24 bits and no
  // lower end to the exponent it is exact, so it is tiny (IEEE 754-2019 7.5).
  Dot dot;
  dot.a = {0x00ffffff};
  dot.b = words(FormatId::F32, {0.5});
  Contract contract = accumulating(FormatId::F32);
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(0x1p-126));
  contract.subnormal_results = contract::Subnormals::Flush;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(0));
  // 2^-126 (1 + 2^-23)(1 - 2^-23) rounds to 2^-126 either way: not tiny.
  dot.a = {0x00800001};
  dot.b = words(FormatId::F32, {1 - 0x1p-23});
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(0x1p-126));
}

}  // namespace
}  // namespace negzero::oracle

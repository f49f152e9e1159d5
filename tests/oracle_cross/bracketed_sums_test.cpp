// The bracketed counterexamples of numerics.md section 2: the nearby rule is wrong, and the oracle does not use it.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "bound.hpp"
#include "drawing.hpp"
#include "enumerator.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using number::FormatId;

Rational value_in(FormatId id, double x) { return to_rational(small_format(id).decode(code_of(id, x))); }

std::vector<Term> leaves(FormatId id, std::initializer_list<double> values) {
  std::vector<Term> terms;
  for (const double x : values) terms.push_back({{small_format(id).decode(code_of(id, x))}, false});
  return terms;
}

/// (m - 1) half-ulps of `x`.
Rational half_ulps(FormatId id, int count, const Rational& x) { return count * ulp(small_format(id), x) / 2; }

// 2a: "[Without the last clause: F16 {32768, 32768, -32768} can overflow.]"
TEST(Bracketed, ExactnessNeedsTheLargestNumber) {
  const Scenario scenario = plain_sum(FormatId::F16);
  const OperandSet set{codes_of(FormatId::F16, {32768, 32768, -32768}), {}, 0};
  expect_legal(scenario, set, 32768);
  expect_legal(scenario, set, kInfinity);
  expect_illegal(scenario, set, kNanValue);
  EXPECT_NE(permitted_set(scenario, set).rule, verdict::Rule("sum.exact"));

  const OperandSet smaller{codes_of(FormatId::F16, {32768, 16384, -32768}), {}, 0};
  EXPECT_EQ(permitted_set(scenario, smaller).rule, verdict::Rule("sum.exact"));
  expect_agreement(scenario, smaller);
}

// 2a: with alpha and beta the unscaled sum is tested: 3 * 2049 rounds, although every partial sum was exact.
TEST(Bracketed, ExactnessIsThatOfTheUnscaledSum) {
  Scenario scenario = plain_gemm(FormatId::F16);
  scenario.alpha = scalar_of(3);
  scenario.contract.alpha = contract::AlphaPlace::Epilogue;
  const OperandSet set{codes_of(FormatId::F16, {1024, 1, 1}), codes_of(FormatId::F16, {1, 1, 1}), 0};
  expect_legal(scenario, set, 3078);
  expect_agreement(scenario, set);
  const OperandSet large{codes_of(FormatId::F16, {2040, 1, 2}), codes_of(FormatId::F16, {1, 1, 1}), 0};
  expect_legal(scenario, large, 6128);  // 6129 is no F16 number
  expect_agreement(scenario, large);
}

// 2b: "with m = 2 it accepts one value where a bound accepts five".
TEST(Bracketed, TheHullOfTwoTermsIsOneValueWhereTheBoundHoldsFive) {
  Scenario scenario = plain_gemm(FormatId::F32);
  scenario.contract.contraction = contract::Contraction::Separate;
  const SmallFormat f32 = small_format(FormatId::F32);
  base::Random random(17);
  bool found = false;
  for (int i = 0; i < 20'000 && !found; ++i) {
    Draw draw;
    draw.style = Style::Near;
    const OperandSet set{draw_values(random, FormatId::F32, 2, draw), draw_values(random, FormatId::F32, 2, draw), 0};
    const Machine machine = declared_machine(scenario.contract);
    const std::vector<Term> terms = terms_of(scenario, set, machine);
    const SumFacts known = facts(terms);
    const Rational bound = sum_bound(machine, terms);
    const auto low = steps(Rounder{f32, Mode::Up}.round(to_number(known.sum - bound)));
    const auto high = steps(Rounder{f32, Mode::Down}.round(to_number(known.sum + bound)));
    if (high - low != 4 || reach(scenario, set).size() != 1) continue;
    found = true;
    const oracle::Permitted permitted = permitted_set(scenario, set);
    EXPECT_EQ(permitted.low, permitted.high) << describe(scenario, set);
    expect_agreement(scenario, set);
  }
  EXPECT_TRUE(found);
}

// 2c, representable terms: "S' = S (1 + (m-1) u) [with ulp(S) it is false]"
TEST(Bracketed, TheUlpOfTheSumOfMagnitudesIsNotEnough) {
  const Scenario scenario = plain_sum(FormatId::F8_E5M2);
  const OperandSet set{codes_of(FormatId::F8_E5M2, {7, 1, 2.5, 4, 1.25}), {}, 0};
  const Rational s = 7 + 1 + Rational(5) / 2 + 4 + Rational(5) / 4;
  EXPECT_GT(20 - s, half_ulps(FormatId::F8_E5M2, 4, s));
  EXPECT_LE(20 - s, half_ulps(FormatId::F8_E5M2, 4, s * (1 + Rational(4) / 8)));
  expect_legal(scenario, set, 20);
  expect_agreement(scenario, set);
}

// 2c, rounded products: "[(m-1) ulp(S')/2 and m ulp(S')/2 are false: p = 3, {9, 9/8}.]"
TEST(Bracketed, RoundedProductsNeedTheirOwnHalfUlps) {
  Scenario scenario = plain_gemm(FormatId::F8_E5M2);
  scenario.contract.contraction = contract::Contraction::Separate;
  const OperandSet set{codes_of(FormatId::F8_E5M2, {3, 1.5}), codes_of(FormatId::F8_E5M2, {3, 0.75}), 0};
  const Rational s = 9 + Rational(9) / 8;
  const Rational grown = s * (1 + Rational(2) / 8);
  EXPECT_GT(s - 8, half_ulps(FormatId::F8_E5M2, 2, grown));
  expect_legal(scenario, set, 8);
  expect_illegal(scenario, set, 10);
  // Fused in any order a slice of one product rounds it as well, so 8 stays legal beside 10.
  scenario.contract.contraction = contract::Contraction::Fused;
  expect_legal(scenario, set, 8);
  expect_legal(scenario, set, 10);
  expect_agreement(scenario, set);
  // A single fused chain rounds 9 first and joins 9/8 unrounded.
  scenario.contract.order = contract::Order::Ascending;
  expect_legal(scenario, set, 10);
  expect_illegal(scenario, set, 8);
}

// 2c: "additions never err by underflowing (Hauser 1996), so there is no eta for them"
TEST(Bracketed, AdditionsOfSubnormalsAreExact) {
  const double eta = std::ldexp(1.0, -24);
  const Scenario scenario = plain_sum(FormatId::F16);
  const OperandSet set{codes_of(FormatId::F16, {5 * eta, -3 * eta, 1000 * eta, -7 * eta}), {}, 0};
  EXPECT_EQ(permitted_set(scenario, set).rule, verdict::Rule("sum.exact"));
  expect_legal(scenario, set, 995 * eta);
  expect_agreement(scenario, set);
}

// 2c, toward zero: "[gamma_n is undefined from m = 1025 in F16]": gamma_1024 = 1024 * 2u / (1 - 1024 * 2u) divides by
// 0.
TEST(Bracketed, TruncationOf1025TermsStaysBounded) {
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.contract.accumulate_rounding = contract::AccumulateRounding::TowardZero;
  OperandSet set{codes_of(FormatId::F16, {1}), {}, 0};
  const double almost_an_ulp = std::ldexp(2047.0, -21);  // just below ulp(1) = 2^-10
  for (int i = 0; i < 1024; ++i) set.a.push_back(code_of(FormatId::F16, almost_an_ulp));
  // A chain from 1 loses every term; 1024 terms summed first are 1023.5 * 2^-10 or a little less.
  Machine machine = declared_machine(scenario.contract);
  const Codes chain = ascending(machine, terms_of(scenario, set, machine), {true, true}, std::nullopt);
  ASSERT_EQ(chain, Codes{code_of(FormatId::F16, 1)});
  const oracle::Permitted permitted = permitted_set(scenario, set);
  EXPECT_TRUE(permits(permitted, 1)) << permitted.to_string();
  EXPECT_TRUE(permits(permitted, 1.9990234375)) << permitted.to_string();
  EXPECT_FALSE(permits(permitted, 0.99)) << permitted.to_string();  // (m - 1) ulp(S) = 1
  EXPECT_FALSE(permitted.plus_infinity || permitted.minus_infinity || permitted.nan);
}

// 2c, compensated: "the plain (m-1) u S with rounded products as above [Kahan can exceed the ulp form]"
TEST(Bracketed, KahanExceedsTheUlpForm) {
  Scenario scenario = plain_sum(FormatId::F8_E5M2);
  scenario.contract.compensated = true;
  const OperandSet set{codes_of(FormatId::F8_E5M2, {5, 0.5, -0.4375}), {}, 0};
  const Rational s = 5 + Rational(1) / 2 - Rational(7) / 16;
  const Rational magnitude = 5 + Rational(1) / 2 + Rational(7) / 16;
  const Machine machine = declared_machine(scenario.contract);
  const Codes reached = compensated(machine, terms_of(scenario, set, machine));
  EXPECT_EQ(reached.front(), code_of(FormatId::F8_E5M2, 4));
  EXPECT_GT(s - 4, half_ulps(FormatId::F8_E5M2, 2, magnitude * (1 + Rational(2) / 8)));
  EXPECT_LE(s - 4, 2 * magnitude / 8);
  expect_legal(scenario, set, 4);
}

// Found by the enumerator: with a zero among the terms Kahan exceeds (m-1) u S too, m counting nonzero terms.
TEST(Bracketed, KahanWithAZeroTermExceedsTheRelativeForm) {
  Scenario scenario = plain_sum(FormatId::F8_E4M3);
  scenario.contract.compensated = true;
  const OperandSet set{codes_of(FormatId::F8_E4M3, {1.875, 2.75, 0}), {}, 0};
  const Rational s = Rational(37) / 8;
  EXPECT_GT(5 - s, s / 16);
  expect_legal(scenario, set, 5);
}

// 2c: compensated sums give NaN "wherever anything overflows or is infinite": Inf - Inf in the compensation.
TEST(Bracketed, Dot2RoundsTheErrorsOfProductsThatUnderflow) {
  // See CompensatedSumsAllowForProductErrorsThatUnderflow in tests/oracle.
  const double p = 0x1p-13 * (1 + 33 * 0x1p-10), eta = 0x1p-24;
  Scenario scenario = plain_gemm(FormatId::F16);
  scenario.contract.compensated = true;
  const OperandSet set{codes_of(FormatId::F16, {0x1p-6 * (1 + 13 * 0x1p-10)}),
                       codes_of(FormatId::F16, {0x1p-7 * (1 + 20 * 0x1p-10)}), 0};
  expect_legal(scenario, set, p);
  expect_legal(scenario, set, p + 2 * eta);
  expect_illegal(scenario, set, p - 2 * eta);
}

TEST(Bracketed, CompensationTurnsOverflowIntoNan) {
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.contract.compensated = true;
  const OperandSet overflowing{codes_of(FormatId::F16, {65504, 65504, 1}), {}, 0};
  expect_legal(scenario, overflowing, kNanValue);
  const OperandSet infinite{codes_of(FormatId::F16, {kInfinity, 1, 2}), {}, 0};
  expect_legal(scenario, infinite, kNanValue);
  scenario.contract.compensated = false;
  expect_illegal(scenario, overflowing, kNanValue);
  expect_illegal(scenario, infinite, kNanValue);
}

// 2c, flush: "`either`: the hull over independent choices for each operand, not of two whole evaluations"
TEST(Bracketed, EachOperandChoosesWhetherItIsFlushed) {
  const double eta = std::ldexp(1.0, -16);
  Scenario scenario = plain_sum(FormatId::F8_E5M2);
  scenario.contract.subnormal_inputs = contract::Subnormals::Either;
  const OperandSet set{codes_of(FormatId::F8_E5M2, {3 * eta, -2 * eta}), {}, 0};
  // All kept: eta. All flushed: 0. One of the two: 3 eta or -2 eta.
  for (const double x : {1.0, 0.0, 3.0, -2.0}) expect_legal(scenario, set, x * eta);
  expect_agreement(scenario, set);
}

// 2c, flush: "a flushed a_i changes the term by |a_i b_i|"
TEST(Bracketed, AFlushedFactorTakesItsWholeProductAway) {
  const double eta = std::ldexp(1.0, -16);
  Scenario scenario = plain_gemm(FormatId::F8_E5M2);
  scenario.contract.subnormal_inputs = contract::Subnormals::Either;
  const OperandSet set{codes_of(FormatId::F8_E5M2, {3 * eta, 1}), codes_of(FormatId::F8_E5M2, {32768, 1}), 0};
  expect_legal(scenario, set, 1);
  expect_legal(scenario, set, 2.5);
  scenario.contract.subnormal_inputs = contract::Subnormals::Flush;
  expect_legal(scenario, set, 1);
  expect_illegal(scenario, set, 2.5);
}

// 2c, leaf: "[F16: c = 2048 and five ones, started at c, legally gives 2048]"
TEST(Bracketed, ALeafOfCSwallowsFiveOnes) {
  Scenario scenario = plain_gemm(FormatId::F16);
  scenario.beta = scalar_of(1);
  scenario.contract.beta = contract::BetaPlace::Leaf;
  const Codes ones(5, code_of(FormatId::F16, 1));
  const OperandSet set{ones, ones, code_of(FormatId::F16, 2048)};
  expect_legal(scenario, set, 2048);
  expect_legal(scenario, set, 2052);
  scenario.contract.order = contract::Order::Ascending;
  scenario.contract.start = contract::Start::C;
  expect_legal(scenario, set, 2048);
  expect_illegal(scenario, set, 2052);
  scenario.contract.start = contract::Start::Any;
  scenario.contract.beta = contract::BetaPlace::Epilogue;
  expect_illegal(scenario, set, 2048);
  expect_legal(scenario, set, 2052);
}

// 2c, promote: four times 2049 in F16 with every block promoted is exact in F32, and 8192 + 0 or so without.
TEST(Bracketed, PromotedBlocksKeepWhatOneChainLoses) {
  Scenario scenario = plain_gemm(FormatId::F16);
  scenario.d = FormatId::F32;
  scenario.contract.order = contract::Order::Ascending;
  const Codes ones(4, code_of(FormatId::F16, 1));
  const OperandSet set{codes_of(FormatId::F16, {2048, 1, 1, 1}), ones, 0};
  expect_legal(scenario, set, 2048);
  expect_illegal(scenario, set, 2050);
  scenario.contract.promote = contract::Promote{2, FormatId::F32};
  expect_legal(scenario, set, 2050);  // (2048 + 1 -> 2048) + (1 + 1)
  expect_illegal(scenario, set, 2052);
}

// 2d: "An output that turns NaN on overflow puts NaN above the largest number."
TEST(Bracketed, AnOutputWithoutInfinityOverflowsByPolicy) {
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.d = FormatId::F8_E4M3;
  const OperandSet set{codes_of(FormatId::F16, {400, 100}), {}, 0};
  for (const auto policy : {contract::OverflowPolicy::Ieee, contract::OverflowPolicy::Nan}) {
    scenario.contract.overflow = policy;
    expect_legal(scenario, set, kNanValue);
    expect_illegal(scenario, set, 448);
  }
  scenario.contract.overflow = contract::OverflowPolicy::Saturate;
  expect_legal(scenario, set, 448);
  expect_illegal(scenario, set, kNanValue);
  scenario.contract.overflow = contract::OverflowPolicy::Either;
  expect_legal(scenario, set, 448);
  expect_legal(scenario, set, kNanValue);
}

// 2d: double rounding costs nothing extra: F32 -> F16 -> F32 may be declared, and then only its results are permitted.
// 2d: "An output that turns NaN on overflow puts NaN above the largest number"
TEST(Bracketed, ANanThatStandsForAnOverflowLiesBeyondTheNumbers) {
  // Beside 2^41, 70000 is lost; alone it is Inf in F16: NaN in F8_E4M3, Inf in F8_E5M2. Between zero and that lie all
  // positive numbers, and where overflow is NaN, the NaN that numbers of F16 above 57344 become.
  Scenario scenario = plain_sum(FormatId::F32);
  scenario.contract.accumulate_rounding = contract::AccumulateRounding::TowardZero;
  scenario.contract.intermediate = {{FormatId::F16, number::Rounding::NearestEven}};
  const OperandSet set{codes_of(FormatId::F32, {0x1p41, -0x1p41, 69998, 1, 1}), {}, 0};
  for (const auto& [output, largest] : {std::pair(FormatId::F8_E4M3, 448.0), std::pair(FormatId::F8_E5M2, 57344.0)}) {
    scenario.d = output;
    scenario.contract.overflow =
        output == FormatId::F8_E5M2 ? contract::OverflowPolicy::Nan : contract::OverflowPolicy::Ieee;
    expect_agreement(scenario, set);
    const oracle::Permitted permitted = permitted_set(scenario, set);
    EXPECT_TRUE(permits(permitted, 0) && permits(permitted, largest) && permits(permitted, kNanValue));
    EXPECT_FALSE(permits(permitted, -0x1p-6) || permitted.minus_infinity);
  }
}

TEST(Bracketed, AStoreToTheDeclaredAccumulatorMayOverflowWhereItsOwnChainDoesNot) {
  // F16: (65504 + 10) + 10 stays at 65504; F32 gives 65524, which F16 holds as Inf.
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.d = FormatId::F32;
  scenario.contract.order = contract::Order::Ascending;
  const OperandSet set{codes_of(FormatId::F16, {65504, 10, 10}), {}, 0};
  expect_legal(scenario, set, 65504);
  expect_illegal(scenario, set, kInfinity);
  scenario.contract.wider = true;
  expect_legal(scenario, set, 65524);
  expect_legal(scenario, set, kInfinity);
}

TEST(Bracketed, IntermediateRoundingsAreFollowed) {
  Scenario scenario = plain_sum(FormatId::F32);
  const OperandSet set{codes_of(FormatId::F32, {2048, 1}), {}, 0};
  expect_legal(scenario, set, 2049);
  scenario.contract.intermediate = {{FormatId::F16, number::Rounding::NearestEven}};
  expect_legal(scenario, set, 2048);
  expect_illegal(scenario, set, 2049);
}

// Wider accumulators: "round_out applied to the real ends s -+ B_w"; the narrow accumulator's own results stay legal.
TEST(Bracketed, AWiderAccumulatorFindsWhatTheDeclaredOneLoses) {
  Scenario scenario = plain_sum(FormatId::F16);
  const OperandSet set{codes_of(FormatId::F16, {2048, 1, 2048, -2048}), {}, 0};
  scenario.contract.order = contract::Order::Ascending;
  expect_legal(scenario, set, 2048);
  expect_agreement(scenario, set);
  EXPECT_EQ(value_in(FormatId::F16, 2048), 2048);
  const OperandSet cancelling{codes_of(FormatId::F16, {2048, 1, -2048}), {}, 0};
  expect_illegal(scenario, cancelling, 1);
  scenario.contract.wider = true;
  expect_legal(scenario, cancelling, 1);
  expect_legal(scenario, cancelling, 0);
  EXPECT_EQ(any_order(declared_machine(scenario.contract), leaves(FormatId::F16, {2048, 1}), {true, true}),
            Codes{code_of(FormatId::F16, 2048)});
}

}  // namespace
}  // namespace negzero::oracle_cross

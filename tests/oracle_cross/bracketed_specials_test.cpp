// numerics.md sections 3, 4 and 8, sentence by sentence: overflow, infinities, NaN and signs of zero in sums.

#include <cmath>

#include <gtest/gtest.h>

#include "enumerator.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using number::FormatId;

constexpr double kMax = 65504;  // the largest F16 number

OperandSet sum_of(std::initializer_list<double> values) { return {codes_of(FormatId::F16, values), {}, 0}; }
OperandSet dot_of(std::initializer_list<double> a, std::initializer_list<double> b, double c = 0) {
  return {codes_of(FormatId::F16, a), codes_of(FormatId::F16, b), code_of(FormatId::F16, c)};
}

// 3: "(F16: 65504 + 65504 overflows although alpha = 2^-4 would bring it back)"
TEST(Bracketed, OverflowComesBeforeTheScaling) {
  Scenario scenario = plain_gemm(FormatId::F16);
  scenario.alpha = scalar_of(0.0625);
  scenario.contract.alpha = contract::AlphaPlace::Epilogue;
  const OperandSet set = dot_of({kMax, kMax}, {1, 1});
  expect_legal(scenario, set, kInfinity);
  expect_illegal(scenario, set, 8188);
  scenario.contract.alpha = contract::AlphaPlace::Any;
  expect_legal(scenario, set, kInfinity);
  expect_legal(scenario, set, 8188);  // folded into a or b
  scenario.contract.alpha = contract::AlphaPlace::Epilogue;
  scenario.contract.wider = true;
  expect_legal(scenario, set, kInfinity);
  expect_legal(scenario, set, 8188);
}

// 3: "after multiplicand rounding (F32 max becomes TF32 Inf)"
TEST(Bracketed, MultiplicandRoundingCanOverflow) {
  Scenario scenario = plain_gemm(FormatId::F32);
  const double largest = std::ldexp(16777215.0, 104);
  const OperandSet set{codes_of(FormatId::F32, {largest}), codes_of(FormatId::F32, {1}), 0};
  expect_legal(scenario, set, largest);
  for (const auto rounding : {contract::Multiplicand::Tf32NearestAway, contract::Multiplicand::Tf32NearestEven}) {
    scenario.contract.multiplicand = rounding;
    expect_legal(scenario, set, kInfinity);
    expect_illegal(scenario, set, largest);
  }
  scenario.contract.multiplicand = contract::Multiplicand::Tf32Truncate;
  expect_legal(scenario, set, std::ldexp(2047.0, 117));
  expect_illegal(scenario, set, kInfinity);
}

// 3: "P' >= T permits +Inf too; N' >= T permits -Inf too; NaN only if P' >= T and N' >= T"
TEST(Bracketed, NanNeedsOverflowOnBothSides) {
  const Scenario scenario = plain_sum(FormatId::F16);
  const OperandSet up = sum_of({kMax, kMax, -1});
  expect_legal(scenario, up, kInfinity);
  expect_illegal(scenario, up, -kInfinity);
  expect_illegal(scenario, up, kNanValue);
  const OperandSet down = sum_of({-kMax, -kMax, 1});
  expect_legal(scenario, down, -kInfinity);
  expect_illegal(scenario, down, kInfinity);
  expect_illegal(scenario, down, kNanValue);
  const OperandSet both = sum_of({kMax, kMax, -kMax, -kMax});
  for (const double x : {kInfinity, -kInfinity, kNanValue, 0.0}) expect_legal(scenario, both, x);
}

// 3: "Computed partial sums can exceed P by their own rounding": P = 65512 < T = 65520, and yet an order overflows.
TEST(Bracketed, RoundingCarriesAPartialSumOverTheThreshold) {
  const Scenario scenario = plain_sum(FormatId::F16);
  // 32736 + 24 = 32760 ties to 32768, and 32768 + 32752 = 65520 ties to Inf.
  const OperandSet set = sum_of({32736, 24, 32752});
  expect_legal(scenario, set, kInfinity);
  expect_legal(scenario, set, kMax);
  expect_illegal(scenario, set, kNanValue);
}

// 3: "With order = ascending, follow the chain instead"
TEST(Bracketed, AnAscendingChainIsDecidedExactly) {
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.contract.order = contract::Order::Ascending;
  expect_legal(scenario, sum_of({kMax, -kMax, kMax}), kMax);
  expect_illegal(scenario, sum_of({kMax, -kMax, kMax}), kInfinity);
  expect_legal(scenario, sum_of({kMax, kMax, -kMax}), kInfinity);
  expect_illegal(scenario, sum_of({kMax, kMax, -kMax}), kMax);
  expect_illegal(scenario, sum_of({kMax, kMax, -kMax, -kMax}), kNanValue);
}

// 3: "IEEE toward-zero saturates instead: widen the ends by max(P - max, 0) below and max(N - max, 0) above."
TEST(Bracketed, TruncationSaturates) {
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.contract.accumulate_rounding = contract::AccumulateRounding::TowardZero;
  const OperandSet set = sum_of({kMax, kMax, -kMax});
  expect_legal(scenario, set, kMax);
  expect_legal(scenario, set, 0);
  expect_illegal(scenario, set, kInfinity);
  expect_illegal(scenario, set, -1024);
}

// 3: "Faithful: the largest number or Inf."
TEST(Bracketed, FaithfulOverflowIsTheLargestNumberOrInfinity) {
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.contract.accumulate_rounding = contract::AccumulateRounding::Faithful;
  const OperandSet set = sum_of({kMax, kMax});
  expect_legal(scenario, set, kMax);
  expect_legal(scenario, set, kInfinity);
  expect_legal(scenario, sum_of({kMax, kMax, -kMax}), 0);
}

// 3: "A NaN among the terms that the contract says are read, or Inf * 0: NaN is the only answer."
TEST(Bracketed, NanAndInfinityTimesZeroAreNan) {
  const Scenario scenario = plain_gemm(FormatId::F16);
  for (const OperandSet& set : {dot_of({kNanValue, 1}, {1, 1}), dot_of({1, kInfinity}, {1, 0})}) {
    expect_legal(scenario, set, kNanValue);
    for (const double x : {0.0, 1.0, kInfinity, -kInfinity}) expect_illegal(scenario, set, x);
  }
}

// 3: "`reads` decides what is read"; "beta or alpha = -0 counts as 0."
TEST(Bracketed, WhatIsNotReadDoesNotCount) {
  Scenario scenario = plain_gemm(FormatId::F16);
  for (const double zero : {0.0, -0.0}) {
    scenario.alpha = scalar_of(1);
    scenario.beta = scalar_of(zero);
    const OperandSet nan_in_c = dot_of({2}, {3}, kNanValue);
    expect_legal(scenario, nan_in_c, 6);
    expect_illegal(scenario, nan_in_c, kNanValue);
    scenario.alpha = scalar_of(zero);
    scenario.beta = scalar_of(2);
    const OperandSet nan_in_a = dot_of({kNanValue}, {3}, 5);
    expect_legal(scenario, nan_in_a, 10);
    expect_illegal(scenario, nan_in_a, kNanValue);
  }
  scenario.alpha = scalar_of(1);
  scenario.beta = scalar_of(0);
  scenario.contract.reads_c_at_beta_zero = true;
  expect_legal(scenario, dot_of({2}, {3}, kNanValue), kNanValue);
  expect_illegal(scenario, dot_of({2}, {3}, kNanValue), 6);
}

// 3: "+Inf and -Inf both among the terms: NaN. One sign only: that Inf, plus NaN if the finite terms of the other sign
// can overflow against it."
TEST(Bracketed, InfinitiesAmongTheTerms) {
  const Scenario scenario = plain_sum(FormatId::F16);
  const OperandSet both = sum_of({kInfinity, -kInfinity, 1});
  expect_legal(scenario, both, kNanValue);
  for (const double x : {kInfinity, -kInfinity, 1.0}) expect_illegal(scenario, both, x);
  const OperandSet one = sum_of({kInfinity, -60000, 5});
  expect_legal(scenario, one, kInfinity);
  for (const double x : {kNanValue, -kInfinity, 5.0}) expect_illegal(scenario, one, x);
  const OperandSet against = sum_of({kInfinity, -kMax, -kMax});
  expect_legal(scenario, against, kInfinity);
  expect_legal(scenario, against, kNanValue);
  expect_illegal(scenario, against, -kInfinity);
}

// 3: "alpha = +-Inf with 0 inside [s - B, s + B]: +Inf, -Inf and NaN."
TEST(Bracketed, InfiniteAlphaOverASumAroundZero) {
  Scenario scenario = plain_gemm(FormatId::F8_E5M2);
  scenario.contract.alpha = contract::AlphaPlace::Epilogue;
  const Codes ones = codes_of(FormatId::F8_E5M2, {1, 1, 1, 1, 1});
  const OperandSet around{codes_of(FormatId::F8_E5M2, {8, 1, 1, 1, -10}), ones, 0};
  for (const double alpha : {kInfinity, -kInfinity}) {
    scenario.alpha = scalar_of(alpha);
    for (const double x : {kInfinity, -kInfinity, kNanValue}) expect_legal(scenario, around, x);
    const OperandSet positive{codes_of(FormatId::F8_E5M2, {1, 2, 3, 1, 0}), ones, 0};
    expect_legal(scenario, positive, alpha);
    expect_illegal(scenario, positive, -alpha);
    expect_illegal(scenario, positive, 7);
  }
}

// 3: "K = 0: alpha is not used, even if NaN; beta = 1 gives C's bits (a NaN may be quieted)."
TEST(Bracketed, NothingToMultiply) {
  Scenario scenario = plain_gemm(FormatId::F16);
  scenario.alpha = scalar_of(kNanValue);
  scenario.beta = scalar_of(1);
  for (const double c : {3.0, -0.0, std::ldexp(1.0, -24), kMax, kInfinity}) {
    const OperandSet set = dot_of({}, {}, c);
    expect_legal(scenario, set, c);
    expect_illegal(scenario, set, 17);
  }
  expect_illegal(scenario, dot_of({}, {}, -0.0), 0.0);
  expect_legal(scenario, dot_of({}, {}, kNanValue), kNanValue);
  scenario.beta = scalar_of(0);
  expect_legal(scenario, dot_of({}, {}, kNanValue), 0);
  expect_illegal(scenario, dot_of({}, {}, kNanValue), kNanValue);
  scenario.beta = scalar_of(3);
  expect_legal(scenario, dot_of({}, {}, 2), 6);
}

// 4: "-0 only if every leaf, the starting value included, is -0; exact cancellation gives +0"
TEST(Bracketed, SignsOfZeroSums) {
  Scenario scenario = plain_sum(FormatId::F16);
  expect_legal(scenario, sum_of({5, -5}), 0.0);
  expect_illegal(scenario, sum_of({5, -5}), -0.0);
  expect_illegal(scenario, sum_of({-0.0, 0.0}), -0.0);
  scenario.contract.start = contract::Start::FirstTerm;
  expect_legal(scenario, sum_of({-0.0, -0.0}), -0.0);
  expect_illegal(scenario, sum_of({-0.0, -0.0}), 0.0);
  scenario.contract.start = contract::Start::PlusZero;
  expect_legal(scenario, sum_of({-0.0, -0.0}), 0.0);
  expect_illegal(scenario, sum_of({-0.0, -0.0}), -0.0);
  scenario.contract.zero_sign = contract::ZeroSign::Any;
  EXPECT_TRUE(permits(permitted_set(scenario, sum_of({5, -5})), -0.0));
  EXPECT_TRUE(permits(permitted_set(scenario, sum_of({5, -5})), 0.0));
}

// 4: "(an fma of a tiny negative product onto +0 gives -0): then both zeros are permitted"
TEST(Bracketed, ATinyNegativeProductOntoPlusZero) {
  Scenario scenario = plain_gemm(FormatId::F16);
  scenario.contract.start = contract::Start::PlusZero;
  const double eta = std::ldexp(1.0, -24);
  const OperandSet set = dot_of({-eta}, {eta});
  expect_legal(scenario, set, -0.0);
  expect_legal(scenario, set, 0.0);  // rounded to -0 first, then added to +0
}

// 4: "as under `faithful`": rounding down, an exact cancellation is -0.
TEST(Bracketed, FaithfulZerosHaveEitherSign) {
  Scenario scenario = plain_sum(FormatId::F16);
  scenario.contract.accumulate_rounding = contract::AccumulateRounding::Faithful;
  expect_legal(scenario, sum_of({5, -5}), 0.0);
  expect_legal(scenario, sum_of({5, -5}), -0.0);
}

// 5: "n = 0 leaves init's bits untouched, subnormals and -0 included"; else section 2, Flushing: a location of F32
// flushes them, and one of F16 may keep them (`red.f16` is `.noftz`).
TEST(Bracketed, AnAtomicThatNothingAddsToKeepsItsBits) {
  Scenario scenario = plain_scenario(FormatId::F16, Scenario::Shape::Scatter);
  scenario.contract.subnormal_inputs = scenario.contract.subnormal_results = contract::Subnormals::Flush;
  const double eta = std::ldexp(1.0, -24);
  for (const double init : {-0.0, 3 * eta, 7.0}) {
    const OperandSet untouched{{}, {}, code_of(FormatId::F16, init)};
    expect_legal(scenario, untouched, init);
    expect_illegal(scenario, untouched, 1);
  }
  expect_illegal(scenario, {{}, {}, code_of(FormatId::F16, -0.0)}, 0.0);
  expect_illegal(scenario, {{}, {}, code_of(FormatId::F16, 3 * eta)}, 0.0);
  const OperandSet touched{codes_of(FormatId::F16, {5 * eta}), {}, code_of(FormatId::F16, 3 * eta)};
  expect_legal(scenario, touched, 0.0);
  expect_legal(scenario, touched, 8 * eta);
  expect_illegal(scenario, touched, 9 * eta);
  Scenario wide = plain_scenario(FormatId::F32, Scenario::Shape::Scatter);
  wide.contract.subnormal_inputs = wide.contract.subnormal_results = contract::Subnormals::Flush;
  const double tiny = std::ldexp(1.0, -149);
  const OperandSet flushed{codes_of(FormatId::F32, {5 * tiny}), {}, code_of(FormatId::F32, 3 * tiny)};
  expect_legal(wide, flushed, 0.0);
  expect_illegal(wide, flushed, 8 * tiny);
}

// 8: "{1, 2^-24, 2^-24, 2^-24} in slices of two gives another result when padded to eight"
TEST(Bracketed, PaddingMovesTheBoundaryOfASplit) {
  const double tiny = std::ldexp(1.0, -24);
  const SmallFormat f32 = small_format(FormatId::F32);
  Machine machine;
  machine.rounder.format = f32;
  const auto slices = [&](std::initializer_list<double> values, std::size_t slice) {
    std::vector<Term> terms;
    for (const double x : values) terms.push_back({{f32.decode(code_of(FormatId::F32, x))}, false});
    std::vector<Term> sums;
    for (std::size_t first = 0; first < terms.size(); first += slice) {
      sums.push_back(
          leaf_of(ascending(machine, std::span(terms).subspan(first, slice), {true, false}, std::nullopt), f32));
    }
    return ascending(machine, sums, {true, false}, std::nullopt);
  };
  const Codes short_sum = slices({1, tiny, tiny, tiny}, 2);
  const Codes padded = slices({1, tiny, tiny, tiny, 0, 0, 0, 0}, 4);
  EXPECT_EQ(short_sum, Codes{code_of(FormatId::F32, 1 + std::ldexp(1.0, -23))});
  EXPECT_EQ(padded, Codes{code_of(FormatId::F32, 1)});
  const Scenario scenario = plain_sum(FormatId::F32);
  const OperandSet set{codes_of(FormatId::F32, {1, tiny, tiny, tiny}), {}, 0};
  expect_legal(scenario, set, 1);
  expect_legal(scenario, set, 1 + std::ldexp(1.0, -23));
}

}  // namespace
}  // namespace negzero::oracle_cross

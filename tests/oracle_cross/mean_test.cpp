// Means at the boundaries of their forms, in both eyes: the oracle's and the enumerator's.

#include <gtest/gtest.h>

#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using contract::MeanForm;
using number::FormatId;

Scenario plain_mean(FormatId id, MeanForm form = MeanForm::Any) {
  Scenario scenario = plain_sum(id);
  scenario.mean = true;
  scenario.contract.mean = form;
  return scenario;
}

// numerics.md section 1: "the intermediate sum may not overflow unless declared".
TEST(Mean, TheSumMayOverflowOnlyWhereDeclared) {
  Scenario scenario = plain_mean(FormatId::F16);
  const OperandSet set{codes_of(FormatId::F16, {60000, 60000, 60000}), {}, 0};
  for (const bool declared : {false, true}) {
    scenario.contract.mean_may_overflow = declared;
    const oracle::Permitted permitted = permitted_set(scenario, set);
    EXPECT_EQ(permits(permitted, kInfinity), declared) << permitted.to_string();
    EXPECT_TRUE(declared || permits(permitted, 60000)) << permitted.to_string();
  }
}

// p = 11: fl(5/3) is 1.6669921875, and 5 fl(1/3) is rounded to 1.666015625.
TEST(Mean, DivisionAndReciprocalDiffer) {
  const OperandSet set{codes_of(FormatId::F16, {1, 2, 2}), {}, 0};
  const double divided = 1.6669921875, multiplied = 1.666015625;
  expect_legal(plain_mean(FormatId::F16, MeanForm::Divide), set, divided);
  expect_illegal(plain_mean(FormatId::F16, MeanForm::Divide), set, multiplied);
  expect_legal(plain_mean(FormatId::F16, MeanForm::Reciprocal), set, multiplied);
  expect_illegal(plain_mean(FormatId::F16, MeanForm::Reciprocal), set, divided);
  expect_legal(plain_mean(FormatId::F16), set, divided);
  expect_legal(plain_mean(FormatId::F16), set, multiplied);
}

// A chain of thirds does not overflow on its way to -Inf, and neither does a sum that may not.
TEST(Mean, OfLargeNumbersAndAnInfinityIsThatInfinity) {
  const OperandSet set{codes_of(FormatId::F16, {65504, 65504, -kInfinity}), {}, 0};
  for (const MeanForm form : {MeanForm::Terms, MeanForm::Divide, MeanForm::Reciprocal}) {
    Scenario scenario = plain_mean(FormatId::F16, form);
    scenario.contract.order = contract::Order::Ascending;
    expect_legal(scenario, set, -kInfinity);
    expect_illegal(scenario, set, kNanValue);
    scenario.contract.mean_may_overflow = true;
    if (form != MeanForm::Terms) expect_legal(scenario, set, kNanValue);
  }
}

TEST(Mean, OfOneTermMultipliesItToo) {
  Scenario scenario = plain_mean(FormatId::F32, MeanForm::Terms);
  scenario.contract.subnormal_results = contract::Subnormals::Flush;
  const OperandSet set{codes_of(FormatId::F32, {0x1p-130}), {}, 0};
  expect_legal(scenario, set, 0);
  expect_illegal(scenario, set, 0x1p-130);
}

// fl(1/3) and fl(2/3) are both too small: their sum ends below what the sum divided or stored afterwards gives.
TEST(Mean, OfTermsMayBeStoredFromAWiderAccumulator) {
  const OperandSet set{codes_of(FormatId::F16, {1, 2, 2}), {}, 0};
  Scenario scenario = plain_mean(FormatId::F16, MeanForm::Terms);
  expect_illegal(scenario, set, 1.6669921875);
  scenario.contract.wider = true;
  expect_legal(scenario, set, 1.6669921875);
  scenario.d = FormatId::F32;  // no other rounding to F16 comes after the store
  expect_legal(scenario, set, 1.6669921875);
}

// Faithful rounding leaves two quotients to choose from.
TEST(Mean, OfTermsDividesAsTheAccumulatorRounds) {
  const OperandSet set{codes_of(FormatId::F16, {1, 0, 0}), {}, 0};
  Scenario scenario = plain_mean(FormatId::F16, MeanForm::Terms);
  scenario.contract.accumulate_rounding = contract::AccumulateRounding::Faithful;
  expect_legal(scenario, set, 0x1.554p-2);
  expect_legal(scenario, set, 0x1.558p-2);
}

}  // namespace
}  // namespace negzero::oracle_cross

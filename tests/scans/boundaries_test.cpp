// Scans whose answers are written out: what changes from one element to the next, and what comes and goes.

#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lines.hpp"

namespace negzero::scans {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

contract::Contract in_f16(contract::Order order) {
  contract::Contract contract;
  contract.accumulate = FormatId::F16;
  contract.wider = false;
  contract.order = order;
  return contract;
}

operation::Case line_of(const char* name, const std::vector<double>& values) {
  operation::Case value = scan_case(*operation::find_signature(name), FormatId::F16, FormatId::F16,
                                    {1, static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    value.tensors.at("x").set(static_cast<std::int64_t>(i),
                              number::from_double(number::format(FormatId::F16), values[i]));
  }
  return value;
}

/// The sets of all elements, one text each.
std::vector<std::string> sets(const char* name, const std::vector<double>& values, const contract::Contract& contract) {
  const operation::Case value = line_of(name, values);
  const auto oracle = oracle::Oracle::make(value, contract);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    texts.push_back(oracle->permitted(static_cast<std::int64_t>(i)).to_string());
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ScanBoundaries, AnEmptyLineHasNoElementAndPasses) {
  for (const char* const name : {"scan.inclusive", "scan.exclusive"}) {
    const operation::Case value = line_of(name, {});
    const contract::Contract contract = in_f16(contract::Order::Any);
    const auto oracle = oracle::Oracle::make(value, contract);
    ASSERT_TRUE(oracle);
    EXPECT_EQ(oracle->judge(tensor::Tensor(FormatId::F16, {1, 0})).kind, verdict::VerdictKind::Pass);
  }
}

TEST(ScanBoundaries, AnExclusiveScanBeginsWithWhatTheContractSaysOfNothing) {
  contract::Contract contract = in_f16(contract::Order::Any);
  contract.zero_sign = contract::ZeroSign::Ieee;
  EXPECT_EQ(sets("scan.exclusive", {1, 2, 4}, contract), (Texts{"0 (0x0000)", "1 (0x3c00)", "3 (0x4200)"}));
  contract.empty = 0x4700;
  EXPECT_EQ(sets("scan.exclusive", {1, 2, 4}, contract), (Texts{"7 (0x4700)", "1 (0x3c00)", "3 (0x4200)"}));
  const operation::Case value = line_of("scan.exclusive", {1, 2, 4});
  const auto oracle = oracle::Oracle::make(value, contract);
  tensor::Tensor zero(FormatId::F16, {1, 3});
  zero.set(1, 0x3c00);
  zero.set(2, 0x4200);
  EXPECT_EQ(oracle->judge(zero).kind, verdict::VerdictKind::Fail) << "+0 where 7 is declared, screened or not";
  zero.set(0, 0x4700);
  EXPECT_EQ(oracle->judge(zero).kind, verdict::VerdictKind::Pass);
}

TEST(ScanBoundaries, SpecialValuesHoldFromWhereTheyAre) {
  for (const auto order : {contract::Order::Any, contract::Order::Ascending}) {
    EXPECT_EQ(sets("scan.inclusive", {1, kInf, 2, -kInf, 3}, in_f16(order)),
              (Texts{"1 (0x3c00)", "+inf", "+inf", "nan", "nan"}));
    EXPECT_EQ(sets("scan.inclusive", {1, kNan, 2}, in_f16(order)), (Texts{"1 (0x3c00)", "nan", "nan"}));
    EXPECT_EQ(sets("scan.exclusive", {1, kNan, 2}, in_f16(order)),
              (Texts{"0 (0x0000) or -0 (0x8000)", "1 (0x3c00)", "nan"}));
  }
  contract::Contract saturates = in_f16(contract::Order::Any);
  saturates.overflow = contract::OverflowPolicy::Saturate;
  EXPECT_EQ(sets("scan.inclusive", {kInf, -kInf}, saturates).back(), "nan")
      << "no NaN among the terms is one that a truncation makes an infinity";
}

TEST(ScanBoundaries, AnOverflowOfTheWayComesAndStays) {
  // Every order of {60000, 60000, -60000} may overflow; a chain in ascending order has.
  EXPECT_EQ(sets("scan.inclusive", {60000, 60000, -60000}, in_f16(contract::Order::Ascending)),
            (Texts{"60000 (0x7b53)", "+inf", "+inf"}));
  const Texts any = sets("scan.inclusive", {60000, 60000, -60000}, in_f16(contract::Order::Any));
  EXPECT_EQ(any[1], "+inf");
  EXPECT_EQ(any[2], "60000 (0x7b53) or +inf");
  contract::Contract wide = in_f16(contract::Order::Any);
  wide.accumulate = FormatId::F32;
  EXPECT_EQ(sets("scan.inclusive", {60000, 60000, -60000}, wide), (Texts{"60000 (0x7b53)", "+inf", "60000 (0x7b53)"}))
      << "the store alone overflows, and that of the next element does not";
}

TEST(ScanBoundaries, SignsOfZero) {
  contract::Contract contract = in_f16(contract::Order::Ascending);
  contract.zero_sign = contract::ZeroSign::Ieee;
  contract.start = contract::Start::FirstTerm;
  EXPECT_EQ(sets("scan.inclusive", {-0.0, -0.0, 1, -1, -0.0}, contract),
            (Texts{"-0 (0x8000)", "-0 (0x8000)", "1 (0x3c00)", "0 (0x0000)", "0 (0x0000)"}));
  contract.start = contract::Start::PlusZero;
  EXPECT_EQ(sets("scan.inclusive", {-0.0, -0.0}, contract), (Texts{"0 (0x0000)", "0 (0x0000)"}));
}

TEST(ScanBoundaries, SubnormalsThatAreFlushedWhereTheyStand) {
  const double tiny = 0x1p-20, least = 0x1p-14;
  contract::Contract contract = in_f16(contract::Order::Ascending);
  contract.start = contract::Start::PlusZero;
  contract.subnormal_inputs = contract.subnormal_results = contract::Subnormals::Flush;
  contract.zero_sign = contract::ZeroSign::Ieee;
  // An addition in F16 flushes, or does not.
  EXPECT_EQ(sets("scan.inclusive", {tiny, least, tiny, -least}, contract),
            (Texts{"0 (0x0000) or 9.5e-07 (0x0010)", "6.104e-05 (0x0400) or 6.2e-05 (0x0410)",
                   "6.104e-05 (0x0400) or 6.2e-05 (0x0410) or 6.294e-05 (0x0420)",
                   "0 (0x0000) or 9.5e-07 (0x0010) or 1.9e-06 (0x0020)"}));
  // In F32 these are normal numbers.
  contract.accumulate = FormatId::F32;
  EXPECT_EQ(sets("scan.inclusive", {tiny, least, tiny, -least}, contract),
            (Texts{"9.5e-07 (0x0010)", "6.2e-05 (0x0410)", "6.294e-05 (0x0420)", "1.9e-06 (0x0020)"}));
}

/// A line of zeros behind two numbers: the hull that is kept must not be that of a line without zeros.
TEST(ScanBoundaries, ZerosBehindFewNumbers) {
  contract::Contract contract = in_f16(contract::Order::Any);
  contract.subnormal_inputs = contract::Subnormals::Flush;
  const Texts texts = sets("scan.inclusive", {0x1p-14, -0x1.004p-14, 0, 0}, contract);
  EXPECT_EQ(texts[1], texts[2]) << "an idle lane adds a zero in any case, which flushes x";
  EXPECT_EQ(texts[2], texts[3]);
  contract.start = contract::Start::FirstTerm;
  const Texts alone = sets("scan.inclusive", {0x1p-14, -0x1.004p-14, 0, 0}, contract);
  EXPECT_NE(alone[1], alone[2]) << "x + 0 flushes x";
}

}  // namespace
}  // namespace negzero::scans

// Verdicts over whole outputs, their texts, and the table of rules.

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/oracle/judge.hpp>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::Contract;
using operation::ReduceKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using verdict::Direction;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// A 2 x 3 Gemm of ones with K = 4: every element is 4.
operation::Case fours() {
  operation::Case value;
  value.operation = operation::Gemm{.m = 2, .n = 3, .k = 4};
  value.tensors.emplace("a", tensor_of(FormatId::F32, {1, 2, 4}, Words(8, 0x3f800000)));
  value.tensors.emplace("b", tensor_of(FormatId::F32, {1, 4, 3}, Words(12, 0x3f800000)));
  value.tensors.emplace("c", tensor_of(FormatId::F32, {1, 2, 3}, Words(6)));
  return value;
}

Verdict judge(const operation::Case& value, const Contract& contract, FormatId format, std::vector<std::int64_t> shape,
              const Words& observed) {
  const auto oracle = Oracle::make(value, contract);
  return oracle->judge(tensor_of(format, std::move(shape), observed));
}

TEST(Judge, PassesWhatIsPermitted) {
  const Verdict verdict = judge(fours(), {}, FormatId::F32, {1, 2, 3}, Words(6, word(FormatId::F32, 4)));
  EXPECT_EQ(verdict.kind, VerdictKind::Pass);
  EXPECT_EQ(verdict.margin, 0);
}

TEST(Judge, DescribesTheFirstFailureAndCountsAll) {
  Words observed(6, word(FormatId::F32, 4));
  observed[2] = word(FormatId::F32, 3);
  observed[5] = word(FormatId::F32, 5);
  const Verdict verdict = judge(fours(), {}, FormatId::F32, {1, 2, 3}, observed);
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongValue);
  EXPECT_EQ(verdict.failure->direction, Direction::TooLow);
  EXPECT_EQ(verdict.failure->element, 2);
  EXPECT_THAT(verdict.failure->coordinates, ElementsAre(0, 0, 2));
  EXPECT_EQ(verdict.failure->failing_elements, 2);
  EXPECT_EQ(verdict.failure->rule, verdict::Rule("sum.exact"));
  EXPECT_EQ(verdict.failure->observed, word(FormatId::F32, 3));
  EXPECT_EQ(verdict.failure->observed_text, "3 (0x40400000)");
  EXPECT_EQ(verdict.failure->permitted_text, "4 (0x40800000)");
  EXPECT_THAT(verdict.failure->message, HasSubstr("only the exact sum is right"));
}

TEST(Judge, DescribesSpecialValuesBeforeValuesBeforeSigns) {
  operation::Case value = fours();
  value.tensors.at("a") = tensor_of(FormatId::F32, {1, 2, 4}, Words(8));
  Contract contract;
  contract.zero_sign = contract::ZeroSign::Ieee;
  Words observed{0, 0x80000000, 0, 1, 0, 0};
  Verdict verdict = judge(value, contract, FormatId::F32, {1, 2, 3}, observed);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongValue);
  EXPECT_EQ(verdict.failure->element, 3);
  observed[4] = 0xff800000;
  verdict = judge(value, contract, FormatId::F32, {1, 2, 3}, observed);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongSpecialValue);
  EXPECT_EQ(verdict.failure->direction, Direction::TooLow);
  EXPECT_EQ(verdict.failure->failing_elements, 3);
  observed[3] = observed[4] = 0;
  verdict = judge(value, contract, FormatId::F32, {1, 2, 3}, observed);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongZeroSign);
  EXPECT_EQ(verdict.failure->rule, verdict::Rule("zero.sign"));
}

TEST(Judge, CallsAMissingNanASpecialValue) {
  operation::Case value = fours();
  value.tensors.at("a").set(0, 0x7fc00000);
  const Verdict verdict = judge(value, {}, FormatId::F32, {1, 2, 3}, Words(6, word(FormatId::F32, 4)));
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongSpecialValue);
  EXPECT_EQ(verdict.failure->failing_elements, 3);
}

TEST(Judge, PassesAnEmptyOutput) {
  operation::Case value = fours();
  value.operation.extent("m") = 0;
  value.tensors.at("a") = tensor::Tensor(FormatId::F32, {1, 0, 4});
  value.tensors.at("c") = tensor::Tensor(FormatId::F32, {1, 0, 3});
  EXPECT_EQ(judge(value, {}, FormatId::F32, {1, 0, 3}, {}).kind, VerdictKind::Pass);
}

TEST(Judge, RefusesAnOutputOfAnotherShape) {
  EXPECT_EQ(judge(fours(), {}, FormatId::F32, {6}, Words(6)).kind, VerdictKind::Error);
  EXPECT_EQ(judge(fours(), {}, FormatId::F16, {1, 2, 3}, Words(6)).kind, VerdictKind::Error);
}

TEST(Judge, IsVacuousOnlyIfEveryElementIs) {
  operation::Case value = row_case(ReduceKind::Sum, FormatId::F16, FormatId::F16,
                                   words(FormatId::F16, std::vector<double>(3000, 1 + 0x1p-10)));
  Contract contract = accumulating(FormatId::F16);
  const auto oracle = Oracle::make(value, contract);
  const std::uint64_t chain = word(FormatId::F16, 2048 + 1000);
  EXPECT_EQ(oracle->judge(tensor_of(FormatId::F16, {1}, {chain})).kind, VerdictKind::Vacuous);
  // A second row that is exact decides the case.
  operation::Case two = value;
  two.operation.extent("rows") = 2;
  Words both = words(FormatId::F16, std::vector<double>(3000, 1 + 0x1p-10));
  both.resize(6000, 0);
  two.tensors.at("x") = tensor_of(FormatId::F16, {2, 3000}, both);
  EXPECT_EQ(judge(two, contract, FormatId::F16, {2}, {chain, 0}).kind, VerdictKind::Pass);
}

TEST(Margin, IsTheShareOfTheDistanceThatIsPermitted) {
  // {2046, nine ones} in F16: s = 2055, permitted [2046, 2064].
  std::vector<double> row(10, 1.0);
  row[0] = 2046;
  const operation::Case value = row_case(ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, row));
  const Contract contract = accumulating(FormatId::F16);
  const auto oracle = Oracle::make(value, contract, {.screen = false});
  const auto margin_of = [&](double y) {
    return oracle->judge(tensor_of(FormatId::F16, {1}, {word(FormatId::F16, y)})).margin;
  };
  EXPECT_DOUBLE_EQ(margin_of(2064), 1);
  EXPECT_DOUBLE_EQ(margin_of(2046), 1);
  EXPECT_DOUBLE_EQ(margin_of(2052), 3.0 / 9);
  EXPECT_DOUBLE_EQ(margin_of(2058), 3.0 / 9);
}

TEST(Explain, NamesNumbersRuleAndSource) {
  std::vector<double> row(10, 1.0);
  row[0] = 2046;
  const operation::Case value = row_case(ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, row));
  const Contract contract = accumulating(FormatId::F16);
  EXPECT_EQ(Oracle::make(value, contract)->explain(0),
            "exact 2055, P = 2055, N = 0, m = 10, B = 9: permitted [2046 (0x67fe), 2064 (0x6808)]\n"
            "sum.any_order: No order of this sum strays further than B from the exact sum. (Rump, BIT 52, 2012; "
            "Jeannerod & Rump, SIAM J. Matrix Anal. Appl. 34, 2013 (docs/explanation/numerics.md section 2c))");
  const operation::Case select = row_case(ReduceKind::Max, FormatId::F32, FormatId::F32, {0x3f800000});
  EXPECT_THAT(Oracle::make(select, {})->explain(0), HasSubstr("permitted 1 (0x3f800000)\nselect.value: "));
}

TEST(Permitted, ContainsByValueSignAndKind) {
  Permitted set(FormatId::F32, Interval{-1, 1});
  set.minus_zero = false;
  EXPECT_TRUE(set.contains(0));
  EXPECT_FALSE(set.contains(0x80000000));
  EXPECT_TRUE(set.contains(0x80000001));
  EXPECT_FALSE(set.contains(2));
  EXPECT_FALSE(set.contains(0x7f800000));
  EXPECT_FALSE(set.contains(0x7fffffff));
  EXPECT_EQ(set.to_string(), "[-1e-45 (0x80000001), 1e-45 (0x00000001)] without -0");
  set.nan = set.minus_infinity = true;
  EXPECT_TRUE(set.contains(0x7f800001));
  EXPECT_TRUE(set.contains(0xff800000));
  EXPECT_EQ(Permitted{}.to_string(), "nothing");
}

}  // namespace
}  // namespace negzero::oracle

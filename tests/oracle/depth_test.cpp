// Sums of a declared depth: which trees are permitted, and how far they err; each at its boundary.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"
#include "legal_rows.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::Contract;
using ::testing::HasSubstr;

Contract of_depth(FormatId accumulate, const std::string& depth) {
  Contract contract{.accumulate = accumulate, .wider = false};
  contract.depth.formula = depth;
  return contract;
}
/// "low high" of the sum of a row in F16.
std::string f16_row(const std::vector<double>& row, const std::string& depth) {
  const operation::Case value =
      row_case(operation::ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, row));
  const Permitted set = permitted(value, of_depth(FormatId::F16, depth));
  return std::to_string(static_cast<int>(set.low.approximate())) + " " +
         std::to_string(static_cast<int>(set.high.approximate()));
}
std::string refusal(const operation::Case& value, const Contract& contract) {
  const auto oracle = Oracle::make(value, contract);
  return oracle ? "" : oracle.error().message;
}

TEST(Depth, LeavesOutTreesThatAreDeeper) {
  // ulp(2048) = 2: a one alone is lost, as a tie to even. A chain loses all four; two together are kept.
  const std::vector<double> row{2048, 1, 1, 1, 1};
  EXPECT_EQ(f16_row(row, ""), "2048 2052");
  EXPECT_EQ(f16_row(row, "4"), "2048 2052");
  // Three additions: ((2048 + 1) + (1 + 1)) + 1 loses two, ((1 + 1) + (1 + 1)) + 2048 none; the chain is none of them.
  EXPECT_EQ(f16_row(row, "3"), "2050 2052");
  EXPECT_EQ(f16_row({2048, 1, 1, 1}, "2"), "2050 2050") << "(2048 + 1) + (1 + 1) is the only kind of balanced tree";
  EXPECT_EQ(f16_row({2048, 0, 1, 0, 1, 1}, "3"), "2048 2052") << "zeros are added without a rounding; 2051 is a tie";
}

TEST(Depth, OfAProductCountsItsRounding) {
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = words(FormatId::F16, {2048, 1, 1, 1});
  dot.b = words(FormatId::F16, {1, 1, 1, 1});
  const auto ends = [&](const char* depth) {
    const Permitted set = permitted(dot_case(dot), of_depth(FormatId::F16, depth));
    return std::pair(set.low.approximate(), set.high.approximate());
  };
  EXPECT_EQ(ends("3"), std::pair(2050.0, 2050.0));
  EXPECT_EQ(ends("4"), std::pair(2048.0, 2052.0)) << "a chain; 2048 + 3 is a tie that goes up";
  // C is one more leaf anywhere, whose additions are not counted.
  dot.beta = f32(1);
  dot.c = word(FormatId::F16, 1);
  Contract leaf = of_depth(FormatId::F16, "3");
  leaf.beta = contract::BetaPlace::Leaf;
  const Permitted with_c = permitted(dot_case(dot), leaf);
  EXPECT_EQ(with_c.low.approximate(), 2050) << "((2048 + 1) + C) + (1 + 1)";
  EXPECT_EQ(with_c.high.approximate(), 2052);
}

TEST(Depth, BoundsManyTermsByItsRoundings) {
  // 4,097 terms in F32: S = 4097, exact sum 4097; ((1 + u)^h - 1) S = 12 * 2^-24 * 4097 for a depth of 12 or 13.
  const auto width = [](const std::string& depth) {
    std::vector<double> row(4097, 1 + 0x1p-23);
    const operation::Case value =
        row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, words(FormatId::F32, row));
    const Permitted set = permitted(value, of_depth(FormatId::F32, depth));
    return (set.high - set.low).approximate() / (2 * 0x1p-24 * 4097);
  };
  EXPECT_NEAR(width(""), 4096, 2);
  EXPECT_NEAR(width("24"), 24, 2);
  EXPECT_NEAR(width("13"), 13, 2);
  EXPECT_NEAR(width("1 + ceil_div(columns, 256) - 1 + 8"), 25, 2);
}

TEST(Depth, IsThatOfTheTermsThatAreThere) {
  // Few terms have no deeper tree than a chain of theirs, whatever is declared.
  EXPECT_EQ(f16_row({2048, 1, 1, 0, 0, 0, 0, 0}, "6"), f16_row({2048, 1, 1}, ""));
}

TEST(Depth, OverflowsWhereItsTreesDo) {
  // P = 65472; a chain of eight F16 terms may round up past the threshold of 65520, balanced trees do not.
  const std::vector<double> row{32752, 16384, 16336, 12, 12, 12, 12, 12, 12};
  const operation::Case value =
      row_case(operation::ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, row));
  EXPECT_TRUE(permitted(value, of_depth(FormatId::F16, "")).plus_infinity);
}

/// The longest of three exclusive sums has two terms.
TEST(Depth, OfAnExclusiveScanCountsOneTermLess) {
  const operation::Case three = testing::case_of("scan.exclusive F32 F32 3f800000 40000000 40400000");
  EXPECT_EQ(refusal(three, of_depth(FormatId::F32, "1")), "");
  EXPECT_EQ(refusal(three, of_depth(FormatId::F32, "columns - 2")), "");
  const operation::Case five = testing::case_of("scan.exclusive F32 F32 3f800000 40000000 40400000 3f800000 3f800000");
  EXPECT_THAT(refusal(five, of_depth(FormatId::F32, "1")), HasSubstr("below the 2 of a balanced tree"));
  const operation::Case one = testing::case_of("scan.exclusive F32 F32 3f800000");
  EXPECT_EQ(refusal(one, of_depth(FormatId::F32, "columns - 2")), "") << "nothing is added";
}

TEST(Depth, IsAnErrorWhereNoTreeHasIt) {
  const operation::Case row =
      row_case(operation::ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, {1, 2, 3, 4, 5}));
  EXPECT_EQ(refusal(row, of_depth(FormatId::F16, "3")), "");
  EXPECT_THAT(refusal(row, of_depth(FormatId::F16, "2")),
              HasSubstr("depth \"2\" is 2 at columns = 5, below the 3 of a balanced tree"));
  EXPECT_THAT(refusal(row, of_depth(FormatId::F16, "k")),
              HasSubstr("names k, which is no extent of reduce.sum (rows, columns)"));
  EXPECT_THAT(refusal(row, of_depth(FormatId::F16, "columns / (columns - 5)")), HasSubstr("division by 0"));
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = dot.b = words(FormatId::F16, {1, 1, 1, 1});
  EXPECT_THAT(refusal(dot_case(dot), of_depth(FormatId::F16, "2")), HasSubstr("below the 3 of a balanced tree"));
  dot.a = dot.b = {};
  EXPECT_EQ(refusal(dot_case(dot), of_depth(FormatId::F16, "k")), "") << "nothing is added";
  const operation::Case max =
      row_case(operation::ReduceKind::Max, FormatId::F16, FormatId::F16, words(FormatId::F16, {1, 2, 3}));
  EXPECT_EQ(refusal(max, of_depth(FormatId::F16, "1")), "") << "nothing is added";
}

TEST(Bound, OfCancellingTermsIsThatOfTheLargerSign) {
  // Twenty terms of each sign: no partial sum exceeds P = N = 2047, below 2^11, while S is above: ulp(P) is half of
  // ulp(S), and so is the bound.
  std::vector<double> row;
  for (int i = 0; i < 23; ++i) {
    row.push_back(89 + 0x1p-4);
    row.push_back(-89 - 0x1p-4);
  }
  const operation::Case value =
      row_case(operation::ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, row));
  Contract contract{.accumulate = FormatId::F16, .wider = false};
  const Permitted set = permitted(value, contract);
  EXPECT_LE(set.high.approximate(), 45 * 0.5 * 2) << "(m - 1) ulp(max(P', N')) / 2 with P' above 2048";
  EXPECT_GT(set.high.approximate(), 0);
}

}  // namespace
}  // namespace negzero::oracle

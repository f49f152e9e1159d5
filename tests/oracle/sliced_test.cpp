// Sums of slices that may be stored in a narrower format: every clause of rule 2f at its boundary.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using contract::Contract;
using contract::TensorCore;
using contract::ZeroSign;
using testing::f32;
using testing::FormatId;
using testing::kInfinity;
using testing::word;

Contract storing(FormatId format, std::int64_t slices = 0) {
  Contract contract = testing::accumulating(FormatId::F32);
  contract.slice_format = format;
  contract.slices = slices;
  contract.zero_sign = ZeroSign::Ieee;
  return contract;
}

/// Of a row of F32 into F32.
Permitted set_of(const std::vector<double>& row, const Contract& contract) {
  return testing::permitted(
      testing::row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, testing::words(FormatId::F32, row)),
      contract);
}
/// The same as a dot product with ones, whose terms no tensor core takes: TF32.
Permitted stepped_set_of(const std::vector<double>& row, Contract contract, FormatId factors) {
  contract.tensor_core = TensorCore::Only;
  const std::vector<double> ones(row.size(), 1.0);
  return testing::permitted(testing::dot_case({.factors = factors,
                                               .d = FormatId::F32,
                                               .a = testing::words(factors, row),
                                               .b = testing::words(factors, ones)}),
                            contract);
}

bool has(const Permitted& set, double value) { return set.contains(word(FormatId::F32, value)); }

std::vector<double> copies(std::size_t count, std::vector<double> values) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) result.insert(result.end(), values.begin(), values.end());
  return result;
}

// 64 slices {1, 2^-8}: a tie of BF16 that goes down to 1, each, so that the result loses 64 * 2^-8 of 64 + 2^-2.
TEST(SlicedSums, AStoreLosesItsUnitOfEverySlice) {
  const std::vector<double> row = copies(64, {1, 0x1p-8});
  const Permitted set = set_of(row, storing(FormatId::BF16));
  EXPECT_EQ(set.rule, verdict::Rule("sum.sliced"));
  EXPECT_TRUE(has(set, 64));
  const double low = testing::finite_values(set).front();
  // u / (1 + u) of the bound's u_G S, and m u S, which is 2^-9 of it.
  EXPECT_GT((64.25 - 64) / (64.25 - low), 0.99) << set.to_string();
  EXPECT_TRUE(has(set, 64.25));
  EXPECT_FALSE(has(set, 63.99));
  EXPECT_FALSE(has(set_of(row, storing(FormatId::F16)), 64));
  const Permitted stepped = stepped_set_of(row, storing(FormatId::BF16), FormatId::BF16);
  EXPECT_EQ(stepped.rule, verdict::Rule("sum.sliced"));
  EXPECT_TRUE(has(stepped, 64));
  EXPECT_GT((64.25 - 64) / (64.25 - testing::finite_values(stepped).front()), 0.98) << stepped.to_string();
}

TEST(SlicedSums, OneProductMayBeStoredOrNot) {
  const Permitted set = set_of({1 + 0x1p-8}, storing(FormatId::BF16));
  EXPECT_TRUE(has(set, 1));
  EXPECT_TRUE(has(set, 1 + 0x1p-8));
  EXPECT_FALSE(has(set, 1 - 0x1p-15));
  EXPECT_FALSE(has(set, 1 + 0x1p-6));
}

// S = 2^p_G g is still exact, and one more g is not, whatever F32 holds.
TEST(SlicedSums, ExactWhereTheNarrowFormatIs) {
  for (const auto& [format, p] : {std::pair(FormatId::BF16, 8), std::pair(FormatId::F16, 11)}) {
    std::vector<double> row(std::size_t{1} << p, 1.0);
    row.back() = -1;
    EXPECT_EQ(set_of(row, storing(format)).rule, verdict::Rule("sum.exact"));
    EXPECT_EQ(set_of(row, storing(format)).low, set_of(row, storing(format)).high);
    EXPECT_EQ(stepped_set_of(row, storing(format), FormatId::BF16).rule, verdict::Rule("sum.exact"));
    row.push_back(1);
    const Permitted set = set_of(row, storing(format));
    EXPECT_EQ(set.rule, verdict::Rule("sum.sliced"));
    EXPECT_LT(set.low, set.high);
    EXPECT_EQ(stepped_set_of(row, storing(format), FormatId::BF16).rule, verdict::Rule("sum.sliced"));
    EXPECT_EQ(set_of(row, testing::accumulating(FormatId::F32)).rule, verdict::Rule("sum.exact"));
    // 2^p + 1 as one slice is a tie that goes to even.
    std::vector<double> sum((std::size_t{1} << p) + 1, 1.0);
    EXPECT_TRUE(has(set_of(sum, storing(format)), std::ldexp(1.0, p)));
    EXPECT_TRUE(has(stepped_set_of(sum, storing(format), FormatId::BF16), std::ldexp(1.0, p)));
  }
}

TEST(SlicedSums, ExactOnlyDownToTheNarrowFormatsLastPlace) {
  EXPECT_EQ(set_of({0x1p-24, 0x1p-24}, storing(FormatId::F16)).rule, verdict::Rule("sum.exact"));
  const Permitted set = set_of({0x1p-25, 0x1p-25}, storing(FormatId::F16));
  EXPECT_EQ(set.rule, verdict::Rule("sum.sliced"));
  EXPECT_TRUE(has(set, 0));
  EXPECT_TRUE(has(set, 0x1p-24));
  // Three times 3 * 2^-26 are three times 2^-24.
  const Permitted up = set_of({0x3p-26, 0x3p-26, 0x3p-26}, storing(FormatId::F16));
  EXPECT_TRUE(has(up, 0x3p-24));
  EXPECT_FALSE(has(up, 0x5p-24));
}

// Half of the smallest number a slice: as many as there are nonzero terms, or are declared.
TEST(SlicedSums, SlicesLimitWhatUnderflows) {
  const std::vector<double> row(32, 0x1p-25);
  EXPECT_TRUE(has(set_of(row, storing(FormatId::F16)), 0));
  EXPECT_TRUE(has(set_of(row, storing(FormatId::F16, 32)), 0));
  const Permitted two = set_of(row, storing(FormatId::F16, 2));
  EXPECT_FALSE(has(two, 0));
  EXPECT_TRUE(has(two, 0x1p-20 - 0x1p-24));
  EXPECT_FALSE(has(two, 0x1p-20 - 0x1p-22));
  const Permitted stepped = stepped_set_of(row, storing(FormatId::F16, 2), FormatId::BF16);
  EXPECT_TRUE(has(stepped, 0x1p-20 - 0x1p-24));
  EXPECT_FALSE(has(stepped, 0));
  EXPECT_TRUE(has(stepped_set_of(row, storing(FormatId::F16), FormatId::BF16), 0));
  // Zeros are no slices that lose anything.
  std::vector<double> with_zeros(64, 0.0);
  with_zeros[7] = 0x3p-25;
  EXPECT_TRUE(has(set_of(with_zeros, storing(FormatId::F16)), 0x1p-23));
  EXPECT_FALSE(has(set_of(with_zeros, storing(FormatId::F16)), 0x5p-24));
}

TEST(SlicedSums, AStoreMayFlush) {
  Contract contract = storing(FormatId::F16);
  const std::vector<double> row(5, 0x1.8p-15);
  EXPECT_EQ(set_of(row, contract).rule, verdict::Rule("sum.exact"));
  contract.subnormal_results = contract::Subnormals::Either;
  EXPECT_TRUE(has(set_of(row, contract), 0));
  EXPECT_TRUE(has(set_of(row, contract), -0.0));
  EXPECT_TRUE(has(set_of(row, contract), 0x1.8p-15));
  EXPECT_TRUE(has(stepped_set_of(row, contract, FormatId::BF16), 0));
  EXPECT_EQ(set_of({0x1p-14, 0x1p-14}, contract).rule, verdict::Rule("sum.exact"));
}

TEST(SlicedSums, OverflowWhereAStoreDoes) {
  const auto rules = [](double more) {
    const Permitted set = set_of({65504, more}, storing(FormatId::F16));
    return std::string(set.plus_infinity ? "+" : "") + (set.minus_infinity ? "-" : "") + (set.nan ? "nan" : "");
  };
  EXPECT_EQ(rules(0), "");
  EXPECT_EQ(rules(15.9), "");
  EXPECT_EQ(rules(16), "+");
  EXPECT_EQ(rules(-16), "");
  // Exact in F32 and 2^11 g at most, but a slice is above the largest number.
  const Permitted both = set_of({32768, 32768, -32768, -32768}, storing(FormatId::F16));
  EXPECT_TRUE(both.plus_infinity && both.minus_infinity && both.nan && both.contains(word(FormatId::F32, 0)));
  EXPECT_EQ(both.rule, verdict::Rule("sum.overflow"));
  const Permitted stepped = stepped_set_of({32768, 32768, -32768, -32768}, storing(FormatId::F16), FormatId::BF16);
  EXPECT_TRUE(stepped.plus_infinity && stepped.minus_infinity && stepped.nan);
  const Permitted one = stepped_set_of({32768, 32768, -32768}, storing(FormatId::F16), FormatId::BF16);
  EXPECT_TRUE(one.plus_infinity && !one.minus_infinity && !one.nan);
  EXPECT_FALSE(set_of({32768, 32768, -32768}, storing(FormatId::BF16)).plus_infinity);
}

// No slice overflows BF16, whose threshold is 2^128 (1 - 2^-9), nor does the sum. But each of the slices 2^e (1 + 2^-8
// + 2^-20) is rounded up to 2^e (1 + 2^-7), and they and 2^119 add up to 2^128 (1 + 2^-9 - 2^-14).
TEST(SlicedSums, StoredSumsMayOverflowTheAccumulator) {
  std::vector<double> row{0x1p119};
  for (int e = 121; e <= 127; ++e) {
    for (const int below : {0, 8, 20}) row.push_back(std::ldexp(1.0, e - below));
  }
  const Permitted set = set_of(row, storing(FormatId::BF16));
  EXPECT_TRUE(set.plus_infinity && !set.minus_infinity && !set.nan && set.finite);
  EXPECT_TRUE(stepped_set_of(row, storing(FormatId::BF16), FormatId::BF16).plus_infinity);
  EXPECT_FALSE(set_of(row, testing::accumulating(FormatId::F32)).plus_infinity);
  row.push_back(-std::numeric_limits<double>::infinity());
  EXPECT_TRUE(set_of(row, storing(FormatId::BF16)).nan);
  EXPECT_TRUE(stepped_set_of(row, storing(FormatId::BF16), FormatId::BF16).nan);
  row.pop_back();
  row.front() = 0x1p100;
  EXPECT_FALSE(set_of(row, storing(FormatId::BF16)).plus_infinity);
  EXPECT_FALSE(stepped_set_of(row, storing(FormatId::BF16), FormatId::BF16).plus_infinity);
}

TEST(SlicedSums, AnInfinityMayMeetAnOverflowOfTheOtherSign) {
  EXPECT_FALSE(set_of({kInfinity, -30000, -30000}, storing(FormatId::F16)).nan);
  EXPECT_TRUE(set_of({kInfinity, -40000, -30000}, storing(FormatId::F16)).nan);
  EXPECT_TRUE(set_of({kInfinity, -40000, -30000}, storing(FormatId::F16)).plus_infinity);
  EXPECT_FALSE(set_of({kInfinity, -40000, -30000}, storing(FormatId::BF16)).nan);
  EXPECT_FALSE(set_of({kInfinity, 40000, 30000}, storing(FormatId::F16)).nan);
  EXPECT_TRUE(set_of({-kInfinity, 40000, 30000}, storing(FormatId::F16)).nan);
  EXPECT_TRUE(stepped_set_of({-kInfinity, 32768, 32768}, storing(FormatId::F16), FormatId::BF16).nan);
  EXPECT_FALSE(stepped_set_of({-kInfinity, 32768, 16384}, storing(FormatId::F16), FormatId::BF16).nan);
}

TEST(SlicedSums, AZeroIsNegativeOnlyWhereASliceUnderflows) {
  EXPECT_TRUE(has(set_of({-0x1p-26}, storing(FormatId::F16)), -0.0));
  EXPECT_TRUE(has(set_of({0x1p-26, -0x1p-26}, storing(FormatId::F16)), -0.0));
  EXPECT_TRUE(has(stepped_set_of({-0x1p-26}, storing(FormatId::F16), FormatId::BF16), -0.0));
  // Sums that cancel, exact and not, above what underflows.
  EXPECT_FALSE(has(set_of({0x1p-24, -0x1p-24}, storing(FormatId::F16)), -0.0));
  const std::vector<double> inexact{1 + 0x1p-13, -1 - 0x1p-13, 3 + 0x1p-13, -3 - 0x1p-13};
  EXPECT_TRUE(has(set_of(inexact, storing(FormatId::F16)), 0));
  EXPECT_EQ(set_of(inexact, storing(FormatId::F16)).rule, verdict::Rule("sum.sliced"));
  EXPECT_FALSE(has(set_of(inexact, storing(FormatId::F16)), -0.0));
  EXPECT_FALSE(has(set_of({0.0, -0.0}, storing(FormatId::F16)), -0.0));
  EXPECT_TRUE(has(set_of({-0.0, -0.0}, storing(FormatId::F16)), -0.0));
}

TEST(SlicedSums, PermitsAllThatTheContractPermitsWithoutThem) {
  const std::vector<std::vector<double>> rows{{1, 0x1p-24, 0x1p-24}, {3, 5}, {1e30, -1e30, 1}, copies(40, {1.1, -0.3})};
  for (const auto& row : rows) {
    const Permitted plain = set_of(row, testing::accumulating(FormatId::F32));
    for (const FormatId format : {FormatId::F16, FormatId::BF16}) {
      const Permitted sliced = set_of(row, storing(format));
      EXPECT_LE(sliced.low, plain.low);
      EXPECT_GE(sliced.high, plain.high);
    }
  }
}

TEST(SlicedSums, HoldInAWiderAccumulatorToo) {
  const std::vector<double> row = copies(64, {1, 0x1p-8});
  Contract contract = storing(FormatId::BF16);
  contract.wider = true;
  EXPECT_TRUE(has(set_of(row, contract), 64));
  Contract wide = storing(FormatId::BF16);
  wide.accumulate = FormatId::F64;
  EXPECT_TRUE(has(set_of(row, wide), 64));
}

TEST(SlicedSums, AreThoseOfMeansAndScansToo) {
  const std::vector<double> row = copies(64, {1, 0x1p-8});
  const auto mean =
      testing::row_case(operation::ReduceKind::Mean, FormatId::F32, FormatId::F32, testing::words(FormatId::F32, row));
  EXPECT_TRUE(has(testing::permitted(mean, storing(FormatId::BF16)), 0.5));
  EXPECT_FALSE(has(testing::permitted(mean, testing::accumulating(FormatId::F32)), 0.5));
  Contract terms = storing(FormatId::BF16);
  terms.mean = contract::MeanForm::Terms;
  EXPECT_TRUE(has(testing::permitted(mean, terms), 0.5));
  // The sum inside a mean does not overflow unless that is declared, stores included.
  const auto large = testing::row_case(operation::ReduceKind::Mean, FormatId::F32, FormatId::F32,
                                       testing::words(FormatId::F32, {60000, 60000}));
  Contract contract = storing(FormatId::F16);
  EXPECT_FALSE(testing::permitted(large, contract).plus_infinity);
  EXPECT_TRUE(has(testing::permitted(large, contract), 60000));
  contract.mean_may_overflow = true;
  EXPECT_TRUE(testing::permitted(large, contract).plus_infinity);
  const auto larger = testing::row_case(operation::ReduceKind::Mean, FormatId::F32, FormatId::F32,
                                        testing::words(FormatId::F32, {0x1.01p127, 0x1.01p127, 0x1.01p127}));
  EXPECT_TRUE(has(testing::permitted(larger, storing(FormatId::BF16)), 0x1.01p127));
}

TEST(SlicedSums, OfAtomicsMeanNothing) {
  const auto value = testing::scatter_case(operation::ScatterKind::Add, FormatId::F32, 0, {0x3f800000});
  const auto oracle = Oracle::make(value, storing(FormatId::BF16));
  ASSERT_FALSE(oracle.ok());
  EXPECT_NE(oracle.error().message.find("slice_format does not fit a scatter"), std::string::npos);
}

}  // namespace
}  // namespace negzero::oracle

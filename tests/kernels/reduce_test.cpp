// Every reduction kernel: sums of small integers exactly, selections with NaN, zeros, infinities and ties.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// Around the widths at which a block gains a warp, and past the widest block.
constexpr std::array<std::int64_t, 14> kWidths{1, 2, 5, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 1000};

std::vector<std::uint32_t> f32_bits(const Output& output) { return {output.words.begin(), output.words.end()}; }

constexpr std::uint32_t kPlusZero = 0x00000000, kMinusZero = 0x80000000, kMinusInf = 0xff800000, kPlusInf = 0x7f800000;

class ReduceKernel : public ::testing::TestWithParam<const kernel::Kernel*> {
 protected:
  /// The answer in plain C++ for a row without NaN; of equal elements the first.
  [[nodiscard]] double answer(const Reduce& reduce, std::int64_t row) const {
    const std::string& operation = GetParam()->operation;
    double sum = 0, best = reduce.x(row, 0);
    std::int64_t place = 0;
    const bool max = operation.find("max") != std::string::npos;
    for (std::int64_t column = 0; column < reduce.columns; ++column) {
      const double x = reduce.x(row, column);
      sum += x;
      if (max ? x > best : x < best) {
        best = x;
        place = column;
      }
    }
    if (operation.starts_with("reduce.sum")) return sum;
    return operation.starts_with("reduce.arg") ? static_cast<double>(place) : best;
  }
};

TEST_P(ReduceKernel, IsExactOnIntegers) {
  for (const Lie lie : {Lie::Packed, Lie::Padded, Lie::Transposed}) {
    if (lie != Lie::Packed && GetParam()->limits.inputs.order == operation::LayoutOrder::Packed) continue;
    for (const std::int64_t columns : kWidths) {
      const Reduce reduce{.rows = 3,
                          .columns = columns,
                          .x = [](auto row, auto column) { return small_integer(row, column, 0, 2); },
                          .lie = lie};
      for (const How& how : runs()) {
        const Output output = run(*GetParam(), reduce, how);
        ASSERT_EQ(output.refusal, "");
        ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok) << output.report.message;
        ASSERT_TRUE(output.surroundings_intact);
        ASSERT_THAT(output.values, ElementsAre(answer(reduce, 0), answer(reduce, 1), answer(reduce, 2)))
            << columns << " columns, layout " << static_cast<int>(lie);
      }
    }
  }
}

TEST_P(ReduceKernel, FindsOneLargeElementAnywhere) {
  for (const std::int64_t columns : {31, 33, 257}) {
    for (std::int64_t place = 0; place < columns; place += place < 34 ? 1 : 37) {
      const double sign = GetParam()->operation.find("min") != std::string::npos ? -1 : 1;
      const Reduce reduce{
          .rows = 1, .columns = columns, .x = [&](auto, auto column) { return column == place ? 512 * sign : sign; }};
      ASSERT_EQ(run(*GetParam(), reduce).values[0], answer(reduce, 0)) << place << " of " << columns;
    }
  }
}

TEST_P(ReduceKernel, AcceptsNoRows) {
  EXPECT_TRUE(run(*GetParam(), {.rows = 0, .columns = 5, .x = [](auto, auto) { return 1.0; }}).values.empty());
}

/// More rows than kernels/common/grid.cuh launches blocks at a time.
TEST_P(ReduceKernel, FoldsGrids) {
  const Reduce reduce{
      .rows = 16'390, .columns = 2, .x = [](auto row, auto column) { return small_integer(row, column, 1, 2); }};
  const Output output = run(*GetParam(), reduce);
  for (std::int64_t row = 0; row < reduce.rows; ++row) {
    ASSERT_EQ(output.values[static_cast<std::size_t>(row)], answer(reduce, row)) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReduceKernel, ::testing::ValuesIn(kernels_like("reduce.*")), test_name);
INSTANTIATE_TEST_SUITE_P(Twins, ReduceKernel, ::testing::ValuesIn(kernels_like("twin.R*")), test_name);

class SumKernel : public ::testing::TestWithParam<const kernel::Kernel*> {};

TEST_P(SumKernel, SpecialValues) {
  for (const std::size_t width : {2u, 40u, 300u}) {
    std::vector<double> row(width, -0.0);
    // Every thread starts from +0.
    EXPECT_EQ(run(*GetParam(), row_of(row)).words[0], 0u);
    row[width - 1] = kInf;
    EXPECT_EQ(run(*GetParam(), row_of(row)).values[0], kInf);
    row[0] = -kInf;
    EXPECT_TRUE(std::isnan(run(*GetParam(), row_of(row)).values[0]));
    row[0] = kNan;
    EXPECT_TRUE(std::isnan(run(*GetParam(), row_of(row)).values[0]));
  }
}

TEST_P(SumKernel, EmptyRowIsPlusZero) {
  const Output output = run(*GetParam(), {.rows = 2, .columns = 0, .x = {}});
  EXPECT_THAT(output.words, ElementsAre(0u, 0u));
}

INSTANTIATE_TEST_SUITE_P(Shipped, SumKernel, ::testing::ValuesIn(kernels_like("reduce.sum*")), test_name);

TEST(SumShuffleF16, AccumulatesInF32) {
  // 2048 + 1 is a tie in F16 that goes back to 2048; in F32 the ones add up first.
  std::vector<double> row(1000, 1.0);
  row[0] = 2048;
  EXPECT_EQ(run(kernel_named("reduce.sum.shuffle.f16"), row_of(row)).values[0], 3048.0);  // An even multiple of 2.
}

struct Selection {
  std::vector<double> row;
  std::uint32_t max_propagate, max_ignore, min_propagate, min_ignore;
};
constexpr std::uint32_t kAnyNan = 0xffffffff;  ///< stands for every NaN

TEST(SelectKernels, SpecialValues) {
  constexpr std::uint32_t kOne = 0x3f800000, kMinusOne = 0xbf800000;
  const std::vector<Selection> table{
      {{}, kMinusInf, kMinusInf, kPlusInf, kPlusInf},
      {{kNan}, kAnyNan, kMinusInf, kAnyNan, kPlusInf},
      {{kNan, 1}, kAnyNan, kOne, kAnyNan, kOne},
      {{1, kNan}, kAnyNan, kOne, kAnyNan, kOne},
      {{-1, kNan, 1}, kAnyNan, kOne, kAnyNan, kMinusOne},
      {{kNan, kNan}, kAnyNan, kMinusInf, kAnyNan, kPlusInf},
      {{0.0, -0.0}, kPlusZero, kPlusZero, kMinusZero, kMinusZero},
      {{-0.0, 0.0}, kPlusZero, kPlusZero, kMinusZero, kMinusZero},
      {{-0.0, -0.0}, kMinusZero, kMinusZero, kMinusZero, kMinusZero},
      {{-1, -0.0}, kMinusZero, kMinusZero, kMinusOne, kMinusOne},
      {{-kInf, -kInf}, kMinusInf, kMinusInf, kMinusInf, kMinusInf},
      {{kInf, kInf}, kPlusInf, kPlusInf, kPlusInf, kPlusInf},
      {{-kInf, 1, kInf}, kPlusInf, kPlusInf, kMinusInf, kMinusInf},
      {{-kInf, kNan}, kAnyNan, kMinusInf, kAnyNan, kMinusInf},
      {{0x1p-149, 0}, 1, 1, kPlusZero, kPlusZero},
  };
  auto bits = [](const char* name, const std::vector<double>& row) {
    const std::uint32_t found = f32_bits(run(kernel_named(name), row_of(row)))[0];
    return (found & 0x7fffffff) > kPlusInf ? kAnyNan : found;
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    // Also with the row repeated over several warps, so that the tree has the same to decide.
    for (const int repeats : {1, 70}) {
      std::vector<double> row;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        row.insert(row.end(), table[i].row.begin(), table[i].row.end());
      }
      EXPECT_EQ(bits("reduce.max.propagate.f32", row), table[i].max_propagate) << "row " << i;
      EXPECT_EQ(bits("reduce.max.ignore.f32", row), table[i].max_ignore) << "row " << i;
      EXPECT_EQ(bits("reduce.min.propagate.f32", row), table[i].min_propagate) << "row " << i;
      EXPECT_EQ(bits("reduce.min.ignore.f32", row), table[i].min_ignore) << "row " << i;
    }
  }
}

TEST(ArgumentKernels, SpecialValues) {
  auto places = [](const std::vector<double>& row) {
    return std::vector{run(kernel_named("reduce.argmax.f32"), row_of(row)).values[0],
                       run(kernel_named("reduce.argmin.f32"), row_of(row)).values[0]};
  };
  EXPECT_THAT(places({}), ElementsAre(-1, -1));
  EXPECT_THAT(places({3, 1, 3, 1}), ElementsAre(0, 1));
  EXPECT_THAT(places({-0.0, 0.0}), ElementsAre(0, 0));
  EXPECT_THAT(places({0.0, -0.0}), ElementsAre(0, 0));
  EXPECT_THAT(places({-kInf, -kInf}), ElementsAre(0, 0));
  EXPECT_THAT(places({kInf, kInf}), ElementsAre(0, 0));
  EXPECT_THAT(places({1, kInf, kNan, -kInf, kNan}), ElementsAre(2, 2));
  EXPECT_THAT(places({kNan, kNan}), ElementsAre(0, 0));
}

TEST(ArgumentKernels, TakeTheFirstOfEqualsAcrossThreads) {
  for (const std::int64_t first : {0, 1, 31, 32, 200, 299}) {
    const Reduce reduce{.rows = 1, .columns = 300, .x = [&](auto, auto column) { return column >= first ? 5.0 : 4.0; }};
    EXPECT_EQ(run(kernel_named("reduce.argmax.f32"), reduce).values[0], static_cast<double>(first));
    const Reduce nans{.rows = 1, .columns = 300, .x = [&](auto, auto column) { return column >= first ? kNan : 4.0; }};
    EXPECT_EQ(run(kernel_named("reduce.argmin.f32"), nans).values[0], static_cast<double>(first));
  }
}

}  // namespace
}  // namespace negzero::kernels_test

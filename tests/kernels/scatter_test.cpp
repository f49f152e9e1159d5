// Every scatter kernel: no update lost, and selections with NaN, zeros and infinities as operand and as old value.

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

using ::testing::ElementsAreArray;

std::vector<const kernel::Kernel*> scatters() {
  std::vector<const kernel::Kernel*> all = kernels_like("scatter.*");
  for (const char* twins : {"twin.A*", "twin.I7.*"}) {
    for (const kernel::Kernel* kernel : kernels_like(twins)) all.push_back(kernel);
  }
  return all;
}

class ScatterKernel : public ::testing::TestWithParam<const kernel::Kernel*> {};

std::vector<double> answer(const std::string& operation, const Scatter& scatter) {
  std::vector<double> out = scatter.init;
  for (std::size_t i = 0; i < scatter.x.size(); ++i) {
    double& place = out[static_cast<std::size_t>(scatter.index[i])];
    if (operation == "scatter.add") place += scatter.x[i];
    if (operation == "scatter.max") place = std::max(place, scatter.x[i]);
    if (operation == "scatter.min") place = std::min(place, scatter.x[i]);
  }
  return out;
}

Scatter integers(std::int64_t updates, std::int64_t destinations) {
  Scatter scatter;
  for (std::int64_t i = 0; i < destinations; ++i) scatter.init.push_back(small_integer(i, 1, 1, 3));
  for (std::int64_t i = 0; i < updates; ++i) {
    scatter.x.push_back(small_integer(i, 2, 2, 1));
    const double drawn = small_integer(i, 3, 3, 1000) + 1000;
    scatter.index.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(drawn) % destinations));
  }
  return scatter;
}

TEST_P(ScatterKernel, LosesNoUpdate) {
  for (const Lie lie : {Lie::Packed, Lie::Padded}) {
    for (const auto& [updates, destinations] : {std::array{0, 3}, {1, 1}, {100, 1}, {129, 7}, {300, 200}, {257, 256}}) {
      Scatter scatter = integers(updates, destinations);
      scatter.lie = lie;
      for (const How& how : runs()) {
        const Output output = run(*GetParam(), scatter, how);
        ASSERT_EQ(output.refusal, "");
        ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok) << output.report.message;
        ASSERT_TRUE(output.surroundings_intact);
        ASSERT_THAT(output.values, ElementsAreArray(answer(GetParam()->operation, scatter)))
            << updates << " updates of " << destinations << ", layout " << static_cast<int>(lie);
      }
    }
  }
}

TEST_P(ScatterKernel, LeavesDestinationsWithoutUpdatesAlone) {
  Scatter scatter{.init = {-0.0, 0.0, 0x1p-149, kNan, -kInf}, .x = {}, .index = {}};
  const number::Format& format = number::format(GetParam()->limits.formats[0][0]);
  const Output output = run(*GetParam(), scatter);
  for (std::size_t i = 0; i < scatter.init.size(); ++i) {
    EXPECT_EQ(output.words[i], number::from_double(format, scatter.init[i])) << i;
  }
}

/// More updates than kernels/common/grid.cuh launches threads at a time.
TEST_P(ScatterKernel, FoldsGrids) {
  const std::int64_t updates = 16'384 * 128 + 5;
  Scatter scatter{.init = std::vector<double>(5, 0.0), .x = std::vector<double>(updates, 0.0), .index = {}};
  for (std::int64_t i = 0; i < updates; ++i) scatter.index.push_back(i < updates - 5 ? 0 : static_cast<int>(i % 5));
  const double sign = GetParam()->operation == "scatter.min" ? -1 : 1;
  for (std::int64_t i = updates - 5; i < updates; ++i) scatter.x[static_cast<std::size_t>(i)] = sign;
  EXPECT_THAT(run(*GetParam(), scatter).values, ElementsAreArray(answer(GetParam()->operation, scatter)));
}

INSTANTIATE_TEST_SUITE_P(Shipped, ScatterKernel, ::testing::ValuesIn(scatters()), test_name);

/// All pairs of an old value and one or two operands, against the definition.
class ScatterSelect : public ::testing::TestWithParam<const kernel::Kernel*> {
 protected:
  /// maximum / maximumNumber of IEEE 754-2019 and their mirrors, on doubles.
  [[nodiscard]] double select(double a, double b) const {
    const bool propagate = GetParam()->contract.nan == contract::NanPolicy::Propagate;
    if (std::isnan(a)) return propagate ? a : b;
    if (std::isnan(b)) return propagate ? b : a;
    const bool a_below = a < b || (a == b && std::signbit(a));
    return a_below == (GetParam()->operation == "scatter.max") ? b : a;
  }
};

TEST_P(ScatterSelect, SpecialValuesInAnyOrder) {
  const std::vector<double> grid{-kNan, -kInf, -1.0, -0x1p-149, -0.0, 0.0, 0x1p-149, 1.0, kInf, kNan};
  Scatter scatter;
  std::vector<double> wanted;
  for (const double old : grid) {
    for (const double first : grid) {
      for (const double second : grid) {
        const auto place = static_cast<std::int32_t>(scatter.init.size());
        scatter.init.push_back(old);
        scatter.x.insert(scatter.x.end(), {first, second});
        scatter.index.insert(scatter.index.end(), {place, place});
        wanted.push_back(select(select(old, first), second));
      }
    }
  }
  for (const How& how : runs()) {
    const Output output = run(*GetParam(), scatter, how);
    ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok) << output.report.message;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double found = output.values[i];
      const bool same = std::isnan(wanted[i]) ? std::isnan(found)
                                              : found == wanted[i] && std::signbit(found) == std::signbit(wanted[i]);
      EXPECT_TRUE(same) << "old " << scatter.init[i] << ", operands " << scatter.x[2 * i] << ", "
                        << scatter.x[2 * i + 1] << ": found " << found << ", wanted " << wanted[i];
    }
  }
}

std::vector<const kernel::Kernel*> selects() {
  std::vector<const kernel::Kernel*> all;
  for (const kernel::Kernel* kernel : scatters()) {
    if (kernel->operation != "scatter.add") all.push_back(kernel);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Shipped, ScatterSelect, ::testing::ValuesIn(selects()), test_name);

TEST(ScatterAdd, FlushesSubnormalsAsDeclared) {
  const Scatter scatter{.init = {0x1p-149, -0x1p-149, 0.0, 0x1p-149}, .x = {0.0, -0.0, 0x1p-149}, .index = {0, 1, 2}};
  const Output flushed = run(kernel_named("scatter.add.f32"), scatter);
  EXPECT_THAT(flushed.words, ElementsAreArray({0x00000000u, 0x80000000u, 0x00000000u, 0x00000001u}));
  const Output kept = run(kernel_named("twin.A5.cas_compares_bits"), scatter);
  EXPECT_THAT(kept.words, ElementsAreArray({0x00000001u, 0x80000001u, 0x00000001u, 0x00000001u}));
}

TEST(ScatterAdd, KeepsSubnormalsInSharedMemoryAndInOtherFormats) {
  for (const auto& [name, tiny] :
       {std::pair{"scatter.add.shared.f32", 0x1p-149}, std::pair{"scatter.add.f64", 0x1p-1074},
        std::pair{"scatter.add.f16", 0x1p-24}, std::pair{"scatter.add.bf16", 0x1p-133}}) {
    const Output output = run(kernel_named(name), Scatter{.init = {tiny}, .x = {tiny, tiny}, .index = {0, 0}});
    EXPECT_EQ(output.values[0], 3 * tiny) << name;
  }
}

TEST(ScatterAdd, RoundsAtEveryUpdate) {
  // 2048 + 1 is a tie in F16, 256 + 1 one in BF16: each update goes back to even, whatever the order.
  const std::vector<double> ones(8, 1.0);
  const std::vector<std::int32_t> zeros(8, 0);
  EXPECT_EQ(run(kernel_named("scatter.add.f16"), Scatter{{2048}, ones, zeros}).values[0], 2048);
  EXPECT_EQ(run(kernel_named("scatter.add.bf16"), Scatter{{256}, ones, zeros}).values[0], 256);
  EXPECT_EQ(run(kernel_named("scatter.add.f32"), Scatter{{2048}, ones, zeros}).values[0], 2056);
}

}  // namespace
}  // namespace negzero::kernels_test

// Every GEMM kernel and every twin of a faulty one, on small integers, where every order and format is exact.

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::IsNan;

std::vector<const kernel::Kernel*> gemms() {
  std::vector<const kernel::Kernel*> all = kernels_like("gemm.*");
  for (const char* twins : {"twin.G*", "twin.I4.*", "twin.I5.*", "twin.I8.*"}) {
    for (const kernel::Kernel* kernel : kernels_like(twins)) all.push_back(kernel);
  }
  std::erase_if(all, [](const kernel::Kernel* kernel) {
    return kernel->operation != "gemm" || number::format(kernel->contract.accumulate).is_integer();
  });
  return all;
}

class GemmKernel : public ::testing::TestWithParam<const kernel::Kernel*> {};

/// |sums| <= 40, scaled and joined by beta c <= 3 * 3 they stay integers of 8 bits: exact in every format and order.
Gemm integers(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.batch = batch,
          .m = m,
          .n = n,
          .k = k,
          .a = [](auto b, auto i, auto j) { return small_integer(b, i, j, 1); },
          .b = [](auto b, auto i, auto j) { return small_integer(b + 7, j, i, 1); },
          .c = [](auto b, auto i, auto j) { return small_integer(b, j, i + 3, 3); }};
}

/// The problem in memory as the kernel takes it: as it is, else column-major, else with the B of batch 0 for all, else
/// both. Nothing where its limits exclude the extents.
std::optional<Gemm> fitting(const kernel::Kernel& kernel, const Gemm& gemm) {
  for (const bool shares_b : {false, true}) {
    for (const Lie lie : {gemm.lie, Lie::Transposed}) {
      Gemm laid = gemm;
      laid.lie = lie;
      laid.shares_b = shares_b;
      if (shares_b && gemm.b) laid.b = [b = gemm.b](auto, auto i, auto j) { return b(0, i, j); };
      if (inside_limits(kernel, laid)) return laid;
    }
  }
  return std::nullopt;
}

void expect_exact(const kernel::Kernel& kernel, const Gemm& asked) {
  const std::optional<Gemm> laid = fitting(kernel, asked);
  if (!laid) return;
  const Gemm& gemm = *laid;
  for (const How& how : runs()) {
    const Output output = run(kernel, gemm, how);
    ASSERT_EQ(output.refusal, "");
    ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok) << output.report.message;
    ASSERT_TRUE(output.surroundings_intact);
    ASSERT_THAT(output.values, ElementsAreArray(expected(gemm)))
        << gemm.batch << " x " << gemm.m << " x " << gemm.n << " x " << gemm.k << ", alpha " << gemm.alpha << ", beta "
        << gemm.beta << ", layout " << static_cast<int>(gemm.lie);
  }
}

TEST_P(GemmKernel, IsExactOnIntegers) {
  for (const Lie lie : {Lie::Packed, Lie::Padded, Lie::Transposed}) {
    for (const auto& [batch, m, n, k] : {std::array{1, 1, 1, 1},
                                         {1, 2, 3, 4},
                                         {2, 16, 16, 16},
                                         {1, 17, 15, 33},
                                         {3, 5, 18, 40},
                                         {1, 33, 1, 7},
                                         {1, 1, 33, 17}}) {
      Gemm gemm = integers(batch, m, n, k);
      gemm.lie = lie;
      expect_exact(*GetParam(), gemm);
    }
  }
}

TEST_P(GemmKernel, ScalesByAlphaAndBeta) {
  for (const double alpha : {1.0, -1.0, 2.0, 0.5, 0.0, -0.0}) {
    for (const double beta : {0.0, -0.0, 1.0, -1.0, 3.0, 0.5}) {
      Gemm gemm = integers(2, 5, 6, 19);
      gemm.alpha = alpha;
      gemm.beta = beta;
      expect_exact(*GetParam(), gemm);
    }
  }
}

TEST_P(GemmKernel, AcceptsEmptyExtents) {
  for (const auto& [batch, m, n, k] :
       {std::array{0, 2, 2, 2}, {1, 0, 2, 2}, {1, 2, 0, 2}, {2, 2, 3, 0}, {0, 0, 0, 0}, {1, 0, 5, 0}}) {
    for (const double beta : {0.0, 2.0}) {
      Gemm gemm = integers(batch, m, n, k);
      gemm.beta = beta;
      expect_exact(*GetParam(), gemm);
    }
  }
}

TEST_P(GemmKernel, DoesNotReadCAtBetaZero) {
  for (const double beta : {0.0, -0.0}) {
    for (const double c : {kNan, kInf}) {
      Gemm gemm = integers(1, 3, 4, 5);
      gemm.beta = beta;
      gemm.c = [c](auto, auto, auto) { return c; };
      expect_exact(*GetParam(), gemm);
    }
  }
}

TEST_P(GemmKernel, DoesNotReadAAndBAtAlphaZero) {
  for (const double alpha : {0.0, -0.0}) {
    Gemm gemm = integers(1, 3, 4, 5);
    gemm.alpha = alpha;
    gemm.beta = 2;
    gemm.a = gemm.b = [](auto, auto, auto) { return kNan; };
    expect_exact(*GetParam(), gemm);
  }
}

TEST_P(GemmKernel, IgnoresAlphaWithoutProducts) {
  Gemm gemm = integers(1, 3, 4, 0);
  gemm.alpha = kNan;
  gemm.beta = 1;
  gemm.c = [](auto, auto row, auto) { return row == 0 ? -0.0 : 2.0; };
  const Output output = run(*GetParam(), *fitting(*GetParam(), gemm));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(output.values[i] == 0 && std::signbit(output.values[i])) << i;
  for (std::size_t i = 4; i < 12; ++i) EXPECT_EQ(output.values[i], 2.0) << i;
}

TEST_P(GemmKernel, PropagatesNanToItsRowAndColumnOnly) {
  Gemm gemm = integers(1, 18, 19, 20);
  gemm.a = [](auto b, auto i, auto k) { return i == 17 && k == 19 ? kNan : small_integer(b, i, k, 1); };
  const std::optional<Gemm> laid = fitting(*GetParam(), gemm);
  ASSERT_TRUE(laid);
  const Output output = run(*GetParam(), *laid);
  for (std::size_t i = 0; i < output.values.size(); ++i) EXPECT_EQ(std::isnan(output.values[i]), i / 19 == 17) << i;
}

TEST_P(GemmKernel, NanInScalarsReachesEverything) {
  Gemm gemm = integers(1, 2, 3, 4);
  gemm.alpha = kNan;
  EXPECT_THAT(run(*GetParam(), *fitting(*GetParam(), gemm)).values, Each(IsNan()));
  gemm.alpha = 1;
  gemm.beta = kNan;
  EXPECT_THAT(run(*GetParam(), *fitting(*GetParam(), gemm)).values, Each(IsNan()));
}

/// More work than kernels/common/grid.cuh launches blocks for, so that blocks take a second turn. At alpha = 0 no
/// thread of a tile waits, which makes this cheap.
TEST_P(GemmKernel, FoldsGrids) {
  const operation::Limits& limits = GetParam()->limits;
  const bool shares_b = !limits.of("b", false).shared.empty();
  Gemm gemm = shares_b                             ? integers(1, 16 * 16'390, 1, 1)
              : !limits.extents["m"].tiles.empty() ? integers(16'390, 1, 1, 1)
              : limits.extents["n"].accepts(1024)  ? integers(1, 1025, 1024, 1)
                                                   : integers(1, 16'400, limits.extents["n"].max, 1);
  gemm.alpha = 0;
  gemm.beta = 1;
  const std::optional<Gemm> laid = fitting(*GetParam(), gemm);
  ASSERT_TRUE(laid);
  EXPECT_THAT(run(*GetParam(), *laid).values, ElementsAreArray(expected(gemm)));
}

TEST(GemmTiledF32, ReusesItsTilesInTheSecondTurn) {
  const Gemm gemm = integers(16'390, 1, 2, 3);
  EXPECT_THAT(run(kernel_named("gemm.tiled.f32"), gemm).values, ElementsAreArray(expected(gemm)));
}

/// The partial sums of more outputs than fit into the workspace at a time.
TEST(GemmSplitK, WorksInChunks) {
  const Gemm gemm = integers(3, 600, 600, 17);
  EXPECT_THAT(run(kernel_named("gemm.split_k.f32"), gemm).values, ElementsAreArray(expected(gemm)));
}

INSTANTIATE_TEST_SUITE_P(Shipped, GemmKernel, ::testing::ValuesIn(gemms()), test_name);

}  // namespace
}  // namespace negzero::kernels_test

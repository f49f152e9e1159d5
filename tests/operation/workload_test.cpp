// How much there is to compute in a case.

#include <gtest/gtest.h>

#include <negzero/operation/workload.hpp>

namespace negzero::operation {
namespace {

std::int64_t work(std::string_view line, const std::vector<std::int64_t>& extents, const Limits& limits = {}) {
  return Workload(**signature_of(line), limits).of(extents);
}

TEST(Workload, OfSumsIsTheirProductsAndOfUpdatesTheLongerExtent) {
  EXPECT_EQ(work("gemm", {2, 3, 5, 7}), 2 * 3 * 5 * 7);
  EXPECT_EQ(work("gemm", {2, 3, 5, 0}), 2 * 3 * 5) << "an extent of 0 counts as 1";
  EXPECT_EQ(work("reduce.sum", {3, 100}), 300);
  EXPECT_EQ(work("scan.inclusive", {3, 100}), 300);
  EXPECT_EQ(work("scatter.add", {50, 700}), 700);
  EXPECT_EQ(work("gemm", {1 << 20, 1 << 20, 1 << 20, 1 << 20}), Workload::kMuch);
}

TEST(Workload, OfADeclaredOperationIsElementsOrAnEighthOfProducts) {
  EXPECT_EQ(work("softmax: y[rows, columns] <- x[rows, columns]", {8, 16}), 2 * 8 * 16);
  EXPECT_EQ(work("transposed: y[n, n] <- x[n, n]", {100}), 2 * 100 * 100)
      << "an extent counts as often as a tensor has it";
  // a and b share k: m n k products.
  EXPECT_EQ(work("matmul: c[m, n] <- a[m, k], b[k, n]", {64, 64, 64}), std::max(3 * 64 * 64, 64 * 64 * 64 / 8));
  // Tensors that share no extent are not contracted.
  EXPECT_EQ(work("apart: y[m] <- a[m], b[n]", {1000, 1000}), 3000);
  EXPECT_EQ(work("apart: y[m] <- a[m], b[n]", {1 << 30, 1 << 30}), 3ll << 30);
  EXPECT_EQ(work("cube: y[n, n, n] <- x[n, n, n]", {1 << 30}), Workload::kMuch);
}

TEST(Workload, CountsADimensionThatTwoInputsPackOnce) {
  const Limits limits{.extents = {{"c", {.min = 1024, .max = 1024}}, {"p", {.min = 128, .max = 128}}}};
  const std::string_view line = "w4: y[b, rows] <- x[b, tiles, c], w[rows, tiles, p]";
  // Of b, rows, tiles, c, p: 1024 products for each row of w and each of x.
  EXPECT_EQ(work(line, {8, 64, 2, 1024, 128}, limits),
            std::max(8 * 64 + 8 * 2 * 1024 + 64 * 2 * 128, 8 * 64 * 2 * 1024 / 8));
  EXPECT_EQ(work(line, {8, 64, 2, 1024, 128}), 8 * 64 * 2 * 1024 * 128 / 8) << "without limits both extents vary";
}

TEST(Workload, OfTheLeastCaseIsThatOfTheLeastExtents) {
  Limits limits{.extents = {{"m", {.min = 100, .multiple = 16}}, {"k", {.power_of_two = true}}}};
  const notation::Signature& gemm = **signature_of("gemm");
  EXPECT_EQ(least_extents(gemm, limits), (std::vector<std::int64_t>{1, 112, 1, 1}));
  EXPECT_EQ(Workload(gemm, limits).least(), 112);
  limits.equal = {{"m", "n"}};
  EXPECT_EQ(Workload(gemm, limits).least(), 112 * 112);
  EXPECT_EQ(Workload(gemm, Limits{.extents = {{"k", {.max = 0}}}}).least(), 1) << "only sums of nothing";
}

}  // namespace
}  // namespace negzero::operation

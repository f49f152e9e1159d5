// Every grouped GEMM kernel on small integers, which every order and format holds exactly, in buffers whose padding is
// NaN or large.

#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

std::vector<const kernel::Kernel*> grouped_kernels() {
  std::vector<const kernel::Kernel*> all = kernels_like("gemm.grouped.*");
  for (const kernel::Kernel* kernel : kernels_like("twin.B3.*")) all.push_back(kernel);
  return all;
}

class GroupedKernel : public ::testing::TestWithParam<const kernel::Kernel*> {};

Grouped groups_of(std::int64_t capacity, std::int64_t n, std::int64_t k, std::vector<std::int32_t> rows) {
  return {.capacity = capacity,
          .n = n,
          .k = k,
          .rows = std::move(rows),
          .a = [](auto g, auto i, auto l) { return small_integer(g, i, l, 1); },
          .b = [](auto g, auto l, auto j) { return small_integer(g + 7, j, l, 1); }};
}

/// Rows that count are exact, and nothing is written outside d; in the padding of d anything may be.
void expect_exact(const kernel::Kernel& kernel, const Grouped& grouped) {
  const auto groups = static_cast<std::int64_t>(grouped.rows.size());
  for (const How& how : runs()) {
    const Output output = run(kernel, grouped, how);
    ASSERT_EQ(output.refusal, "");
    ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok) << output.report.message;
    ASSERT_TRUE(output.surroundings_intact);
    for (std::int64_t g = 0; g < groups; ++g) {
      for (std::int64_t i = 0; i < grouped.rows[static_cast<std::size_t>(g)]; ++i) {
        for (std::int64_t j = 0; j < grouped.n; ++j) {
          double sum = 0;
          for (std::int64_t l = 0; l < grouped.k; ++l) sum += grouped.a(g, i, l) * grouped.b(g, l, j);
          ASSERT_EQ(output.values[static_cast<std::size_t>((g * grouped.capacity + i) * grouped.n + j)], sum)
              << "group " << g << " row " << i << " column " << j;
        }
      }
    }
  }
}

TEST_P(GroupedKernel, GroupsOfEveryLength) {
  for (const std::int64_t n : {1, 15, 16, 17}) {
    for (const std::int64_t k : {1, 16, 17, 33}) {
      expect_exact(*GetParam(), groups_of(33, n, k, {0, 1, 0, 0, 15, 16, 17, 33, 0, 32}));
    }
  }
}

TEST_P(GroupedKernel, GroupsWithoutRowsAreSkippedAndLoseNoOther) {
  expect_exact(*GetParam(), groups_of(17, 3, 5, {0, 0, 0, 17}));
  expect_exact(*GetParam(), groups_of(17, 3, 5, {17, 0, 0, 0}));
  expect_exact(*GetParam(), groups_of(17, 3, 5, {0, 0, 0}));
  std::vector<std::int32_t> sparse(2000, 0);
  sparse[700] = 2;
  sparse[1999] = 1;
  expect_exact(*GetParam(), groups_of(2, 1, 1, std::move(sparse)));
}

TEST_P(GroupedKernel, EmptyExtents) {
  expect_exact(*GetParam(), groups_of(17, 18, 0, {0, 5, 17}));
  expect_exact(*GetParam(), groups_of(17, 0, 4, {0, 5, 17}));
  expect_exact(*GetParam(), groups_of(0, 3, 4, {0, 0}));
  expect_exact(*GetParam(), groups_of(4, 3, 4, {}));
}

TEST_P(GroupedKernel, InEveryLayout) {
  for (const Lie lie : {Lie::Padded, Lie::Transposed}) {
    Grouped grouped = groups_of(18, 17, 19, {3, 0, 18, 16});
    grouped.lie = lie;
    expect_exact(*GetParam(), grouped);
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, GroupedKernel, ::testing::ValuesIn(grouped_kernels()), test_name);

}  // namespace
}  // namespace negzero::kernels_test

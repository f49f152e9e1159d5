// Every shipped maximum with its place on rows that tempt it, against a loop.

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

class MaxIndex : public ::testing::TestWithParam<const kernel::Kernel*> {};

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Few values, so that most rows have ties.
double tied(std::int64_t i, std::int64_t j) {
  const double all[] = {-kInf, -3, -0.0, 0.0, 3};
  const auto at = static_cast<std::size_t>(small_integer(i, j, 0, 2) + 2);
  if (i == 0) return -kInf;
  if (i == 1) return j % 7 == 5 ? std::nan("") : all[at];
  return all[at];
}

TEST_P(MaxIndex, GivesTheFirstOfTheGreatest) {
  for (const std::int64_t columns : {1, 2, 31, 32, 33, 255, 256, 257, 700}) {
    for (const Lie lie : {Lie::Packed, Lie::Padded, Lie::Transposed}) {
      const Reduce rows{.rows = 4, .columns = columns, .x = tied, .lie = lie};
      for (const How& how : runs()) {
        const Output output = run(*GetParam(), rows, how);
        ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok);
        EXPECT_TRUE(output.surroundings_intact);
        ASSERT_EQ(output.places.size(), 4u);
        for (std::int64_t i = 0; i < rows.rows; ++i) {
          std::int64_t best = 0;
          for (std::int64_t j = 1; j < columns; ++j) {
            const double now = tied(i, best), next = tied(i, j);
            if (!std::isnan(now) && (std::isnan(next) || next > now)) best = j;
          }
          const auto row = static_cast<std::size_t>(i);
          EXPECT_EQ(output.places[row], best) << "row " << i << " of " << columns;
          const double value = tied(i, best);
          EXPECT_TRUE(output.values[row] == value || (std::isnan(value) && std::isnan(output.values[row])));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, MaxIndex, ::testing::ValuesIn(kernels_like("reduce.max_index*")), test_name);

}  // namespace
}  // namespace negzero::kernels_test

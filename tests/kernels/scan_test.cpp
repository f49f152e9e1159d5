// Every shipped scan on small integers, which every order adds exactly.

#include <cstdint>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

class Scans : public ::testing::TestWithParam<const kernel::Kernel*> {};

TEST_P(Scans, AddUpWhatComesBefore) {
  const bool inclusive = GetParam()->operation == "scan.inclusive";
  for (const std::int64_t columns : {1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 700}) {
    for (const Lie lie : {Lie::Packed, Lie::Padded, Lie::Transposed}) {
      const Reduce scan{.rows = 3,
                        .columns = columns,
                        .x = [](std::int64_t i, std::int64_t j) { return small_integer(i, j, 0, 9); },
                        .lie = lie};
      for (const How& how : runs()) {
        const Output output = run(*GetParam(), scan, how);
        ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok);
        EXPECT_TRUE(output.surroundings_intact);
        for (std::int64_t row = 0; row < scan.rows; ++row) {
          double sum = 0;
          for (std::int64_t column = 0; column < columns; ++column) {
            const double next = sum + scan.x(row, column);
            ASSERT_EQ(output.values[static_cast<std::size_t>(row * columns + column)], inclusive ? next : sum)
                << "row " << row << " column " << column << " of " << columns;
            sum = next;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Scans, ::testing::ValuesIn(kernels_like("scan.*")), test_name);

}  // namespace
}  // namespace negzero::kernels_test

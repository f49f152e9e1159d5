// Kernels as tests of GoogleTest: a program that is linked with negzero::gtest and with kernels of
// negzero_add_kernels() checks them with NEGZERO_EXPECT_CLEAN("row_max").

#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/testing/checked.hpp>

#ifndef NEGZERO_PROGRAM
#define NEGZERO_PROGRAM "negzero"
#endif

/// Expects that `negzero check KERNEL` finds nothing in a kernel of this program; more words of it may follow, as in
/// NEGZERO_EXPECT_CLEAN("row_max", "--cases", "200"). A check that decided nothing is no success.
#define NEGZERO_EXPECT_CLEAN(kernel, ...) \
  EXPECT_PRED_FORMAT2(::negzero::testing::is_clean, kernel, (::std::vector<::std::string>{__VA_ARGS__}))

namespace negzero::testing {

/// The predicate of NEGZERO_EXPECT_CLEAN. The first two are the texts of the others in the source.
[[nodiscard]] inline ::testing::AssertionResult is_clean(const char*, const char*, const std::string& kernel,
                                                         const std::vector<std::string>& words) {
  const Checked checked = check(NEGZERO_PROGRAM, kernel, words);
  if (checked.exit_code == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << kernel << ": `negzero check` exits with " << checked.exit_code << "\n"
                                       << checked.text;
}

}  // namespace negzero::testing

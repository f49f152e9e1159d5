// No correct kernel that locks, queues or hands over is accused by `negzero check`, plain or watched, on a machine with
// four times as many jobs as cores.
//
// NEGZERO_LOCK_CASES: how many cases a kernel; a campaign is this test with a large number.

#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "../cli/program.hpp"

namespace negzero::locks_test {
namespace {

class Locks : public testing::TestWithParam<const char*> {};

TEST_P(Locks, NoneIsAccused) {
  const char* const asked = std::getenv("NEGZERO_LOCK_CASES");
  const std::string cases = asked != nullptr ? asked : "12";
  const std::string jobs = std::to_string(4 * std::thread::hardware_concurrency());
  const cli_test::Directory directory;
  const auto ran = cli_test::run({"check", "lock.*", "--kernels", NEGZERO_LOCKS, "--cases", cases, "--jobs", jobs,
                                  "--watch", GetParam(), "--save", directory / "findings", "--json"},
                                 {.time_limit_s = 3600});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  const auto document = ran.json();
  ASSERT_TRUE(document.contains("kernels")) << ran.err;
  EXPECT_GE(document["kernels"].size(), 12u);
  std::uint64_t passed = 0;
  for (const auto& kernel : document["kernels"]) {
    EXPECT_EQ(kernel["fail"].get<int>() + kernel["error"].get<int>(), 0) << kernel.dump(1);
    EXPECT_GT(kernel["pass"], 0) << kernel.dump(1);
    passed += kernel["pass"].get<std::uint64_t>();
  }
  RecordProperty("passed", std::to_string(passed));
}

INSTANTIATE_TEST_SUITE_P(Watch, Locks, testing::Values("never", "always"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace negzero::locks_test

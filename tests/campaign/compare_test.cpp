// Comparisons in which one of the two ends its worker.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/compare.hpp>
#include <negzero/property/comparison.hpp>

#include "kernels.hpp"

namespace negzero::campaign_test {
namespace {

using campaign::CompareReport;
using ::testing::HasSubstr;

CompareReport compared(const std::string& first, const std::string& second) {
  const Directory directory;
  const auto find = [](const std::string& name) -> const kernel::Kernel& {
    return *kernel::registry().find(name, kernel::Place::Host);
  };
  campaign::CompareOptions options;
  options.cases = 40;
  options.evaluation.timeout_ms = 100;
  options.evaluation.shrink_time_ms = 1000;
  options.save_dir = directory.path();
  auto report = campaign::compare(
      find(first), find(second), options, [] {}, [](std::uint64_t) {}, [] { return false; });
  EXPECT_TRUE(report.ok());
  return *std::move(report);
}

TEST(CompareDeaths, TheSideThatDiesIsWrong) {
  for (const bool is_first : {true, false}) {
    const CompareReport report = is_first ? compared("bad.aborts", "good.max") : compared("good.max", "bad.aborts");
    ASSERT_EQ(report.differences.size(), 1u);
    const verdict::Failure& failure = report.differences[0].failure;
    EXPECT_EQ(failure.rule, is_first ? property::kFirstWrong : property::kSecondWrong);
    EXPECT_EQ(failure.kind, verdict::FailureClass::Crash);
    EXPECT_THAT(failure.message,
                HasSubstr("bad.aborts@host is not: the process ended itself with exit status 7 while the "
                          "kernel ran (run.crash)"));
    EXPECT_THAT(failure.message, HasSubstr("good.max@host is as its contract permits"));
    EXPECT_TRUE(report.wrong());
  }
}

TEST(CompareDeaths, BothMayDie) {
  const CompareReport report = compared("bad.always_aborts", "bad.always_exits");
  ASSERT_EQ(report.differences.size(), 1u);
  EXPECT_EQ(report.differences[0].failure.rule, property::kBothWrong);
}

TEST(CompareDeaths, AHangIsTold) {
  const CompareReport report = compared("good.max", "bad.hangs");
  ASSERT_EQ(report.differences.size(), 1u);
  EXPECT_EQ(report.differences[0].failure.rule, property::kSecondWrong);
  EXPECT_EQ(report.differences[0].failure.kind, verdict::FailureClass::Hang);
}

}  // namespace
}  // namespace negzero::campaign_test

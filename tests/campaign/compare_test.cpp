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

/// Stops once that many cases are done.
CompareReport compared(const std::string& first, const std::string& second, campaign::CompareOptions options,
                       std::uint64_t& done, std::uint64_t stop_at) {
  const Directory directory;
  const auto find = [](const std::string& name) -> const kernel::Kernel& {
    return *kernel::registry().find(name, kernel::Place::Host);
  };
  options.evaluation.timeout_ms = 100;
  options.evaluation.shrink_time_ms = 1000;
  options.save_dir = directory.path();
  auto report = campaign::compare(
      find(first), find(second), options, [] {}, [&](std::uint64_t now) { done = now; },
      [&] { return done >= stop_at; });
  EXPECT_TRUE(report.ok());
  return *std::move(report);
}

CompareReport compared(const std::string& first, const std::string& second) {
  std::uint64_t done = 0;
  return compared(first, second, {.cases = 40}, done, 41);
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

TEST(Compare, AtAStopWhatIsBehindACaseUnderWayCountsToo) {
  std::uint64_t done = 0;
  campaign::CompareOptions options{.cases = 100000};
  options.evaluation.jobs = 4;
  const CompareReport report = compared("good.max", "good.other", options, done, 40);
  EXPECT_TRUE(report.interrupted);
  EXPECT_GE(report.cases, 40u);
  EXPECT_EQ(report.cases, done) << "all that was told";
  EXPECT_EQ(report.cases, report.identical + report.refused + report.error + report.differing());
}

TEST(Compare, EndsAtItsTimeAndAtItsFirstFinding) {
  std::uint64_t done = 0;
  const CompareReport late = compared("good.max", "good.other", {.cases = 1000000, .time_ms = 200}, done, 2000000);
  EXPECT_FALSE(late.interrupted);
  EXPECT_GT(late.cases, 0u);
  EXPECT_LT(late.cases, 1000000u);
  const CompareReport first =
      compared("good.max", "bad.aborts", {.cases = 1000000, .first_finding = true}, done, 2000000);
  EXPECT_LT(first.cases, 1000u);
  EXPECT_TRUE(first.wrong());
}

}  // namespace
}  // namespace negzero::campaign_test

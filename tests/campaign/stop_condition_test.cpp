// When a campaign ends, by a clock that the test holds.

#include <gtest/gtest.h>

#include <negzero/campaign/stop_condition.hpp>

namespace negzero::campaign {
namespace {

using Reason = StopCondition::Reason;

struct Held {
  StopCondition::Clock::time_point now{};
  bool interrupted = false;
  StopCondition condition(Limits limits) {
    return StopCondition([this] { return interrupted; }, limits, [this] { return now; });
  }
};

TEST(StopCondition, WithoutLimitsOnlyAnInterruptEndsIt) {
  Held held;
  StopCondition stop = held.condition({});
  held.now += std::chrono::hours(1000);
  EXPECT_EQ(stop.grant(1u << 30), 1u << 30);
  stop.found();
  EXPECT_EQ(stop.reason(), Reason::None);
  EXPECT_FALSE(stop.is_over() || stop.ends_cases());
  held.interrupted = true;
  EXPECT_EQ(stop.reason(), Reason::Interrupted);
  EXPECT_TRUE(stop.ends_cases());
  EXPECT_EQ(stop.elapsed_ms(), 3'600'000'000u);
}

TEST(StopCondition, CasesUnderWayHaveASecondBehindATimeLimit) {
  Held held;
  StopCondition stop = held.condition({.time_ms = 500});
  held.now += std::chrono::milliseconds(499);
  EXPECT_FALSE(stop.is_over());
  held.now += std::chrono::milliseconds(1);
  EXPECT_EQ(stop.reason(), Reason::Time);
  EXPECT_FALSE(stop.ends_cases());
  held.now += std::chrono::milliseconds(999);
  EXPECT_FALSE(stop.ends_cases());
  held.now += std::chrono::milliseconds(1);
  EXPECT_TRUE(stop.ends_cases());
}

TEST(StopCondition, CasesAreGrantedUpToTheirNumber) {
  Held held;
  StopCondition stop = held.condition({.cases = 100});
  EXPECT_EQ(stop.grant(64), 64u);
  EXPECT_EQ(stop.reason(), Reason::None);
  EXPECT_EQ(stop.grant(64), 36u);
  EXPECT_EQ(stop.reason(), Reason::Cases);
  EXPECT_FALSE(stop.ends_cases()) << "they run to their end";
  EXPECT_EQ(stop.grant(64), 0u);
}

TEST(StopCondition, TheFirstFindingWhereThatIsWanted) {
  Held held;
  StopCondition stop = held.condition({.first_finding = true});
  EXPECT_FALSE(stop.is_over());
  stop.found();
  EXPECT_EQ(stop.reason(), Reason::FirstFinding);
  StopCondition both = held.condition({.cases = 1, .first_finding = true});
  EXPECT_EQ(both.grant(1), 1u);
  both.found();
  EXPECT_EQ(both.reason(), Reason::FirstFinding) << "that all cases are handed out ends no shrinking";
  held.interrupted = true;
  EXPECT_EQ(stop.reason(), Reason::Interrupted) << "the exit code is that of an interrupt";
}

}  // namespace
}  // namespace negzero::campaign

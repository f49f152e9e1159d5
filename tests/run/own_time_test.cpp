// What counts of a process's time: its work and its sleep, not the time without a core.

#include <chrono>
#include <optional>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/own_time.hpp>

namespace negzero::run {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// A process whose numbers are made up, looked at every 50 ms.
struct Looked {
  OwnTime time;
  ProcessTimes now;
  Looked() { time.turn(milliseconds(1000), now); }
  void computes(int ran_ms, int waited_ms) {
    now.ran += milliseconds(ran_ms);
    now.waited += milliseconds(waited_ms);
    now.is_runnable = true;
    time.turn(milliseconds(50), now);
  }
  void sleeps(int waited_ms = 0) {
    now.waited += milliseconds(waited_ms);
    now.is_runnable = false;
    time.turn(milliseconds(50), now);
  }
};

TEST(OwnTime, NothingCountsOfTheFirstTurn) {
  const Looked process;
  EXPECT_EQ(process.time.whole_ms(), 0u);
}

TEST(OwnTime, WorkAndSleepCountInFull) {
  Looked process;
  for (int i = 0; i < 10; ++i) process.computes(50, 0);
  EXPECT_EQ(process.time.whole_ms(), 500u);
  for (int i = 0; i < 10; ++i) process.sleeps();
  EXPECT_EQ(process.time.whole_ms(), 1000u);
  EXPECT_EQ(process.time.since_ms(), 1000u);
  process.time.restart();
  process.sleeps();
  EXPECT_EQ(process.time.since_ms(), 50u);
  EXPECT_EQ(process.time.whole_ms(), 1050u);
}

// The system adds a wait to its numbers when it is over: one of a second is seen in no turn before.
TEST(OwnTime, AWaitForACoreDoesNotCountHoweverLate) {
  Looked process;
  for (int slices = 0; slices < 10; ++slices) {
    for (int i = 0; i < 19; ++i) process.computes(0, 0);
    process.computes(4, 946);
  }
  EXPECT_GE(process.time.whole_ms(), 40u);
  EXPECT_LE(process.time.whole_ms(), 40u + 10 * 1000 / OwnTime::kStarved);
}

TEST(OwnTime, AWaitBeforeASleepDoesNotCount) {
  Looked process;
  process.sleeps(30);
  EXPECT_EQ(process.time.whole_ms(), 20u);
  process.sleeps(5000);
  EXPECT_EQ(process.time.whole_ms(), 20u);
}

TEST(OwnTime, OneThatIsStarvedPassesItsLimitSomeDay) {
  Looked process;
  for (int i = 0; i < 20 * OwnTime::kStarved; ++i) process.computes(0, 0);
  EXPECT_EQ(process.time.whole_ms(), 1000u);
}

TEST(OwnTime, AParentThatWasAwayBlamesNobodyForIt) {
  Looked process;
  process.time.turn(milliseconds(60000), process.now);
  EXPECT_LE(process.time.whole_ms(), 200u);
}

TEST(OwnTime, WithoutNumbersAllTimeCounts) {
  OwnTime time;
  for (int i = 0; i < 11; ++i) time.turn(milliseconds(50), std::nullopt);
  EXPECT_EQ(time.whole_ms(), 500u);
}

TEST(OwnTime, TheSystemSaysWhoRunsAndWhoSleeps) {
  const auto with_child = [](auto work, auto look) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      work();
      ::_exit(0);
    }
    ::usleep(300000);
    look(times_of(pid));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  };
  if (!times_of(::getpid())) GTEST_SKIP() << "this system keeps no such numbers";
  const auto spin = [] {
    for (volatile bool forever = true; forever;) {
    }
  };
  with_child(spin, [](const std::optional<ProcessTimes>& times) {
    ASSERT_TRUE(times);
    EXPECT_TRUE(times->is_runnable);
    EXPECT_GT((times->ran + times->waited).count(), 0);
  });
  with_child([] { ::pause(); },
             [](const std::optional<ProcessTimes>& times) {
               ASSERT_TRUE(times);
               EXPECT_FALSE(times->is_runnable);
               EXPECT_LT(times->ran, milliseconds(200));
             });
  EXPECT_FALSE(times_of(-1));
}

}  // namespace
}  // namespace negzero::run

// Barriers that cannot complete, threads that spin, blocks that wait for each other: findings, never hangs of ours.

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/engine/fiber.hpp>

#include "kernels.hpp"
#include "schedules.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Order;
using negzero::engine::Settings;
using testing::HasSubstr;

void expect_next_launch_works() {
  std::vector<int> in(128);
  std::iota(in.begin(), in.end(), 0);
  std::vector<int> out(128, -1);
  Stream stream;
  host::rotate_in_shared(stream, 1, 128, 3, in.data(), out.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(out[i], static_cast<int>((i + 125) % 128));
}

TEST(Barrier, ThreadsAtDifferentBarriersAreAFinding) {
  for (const Settings& settings : all_schedules()) {
    Stream stream(settings);
    host::different_barriers(stream, 3, 64, 5);
    EXPECT_EQ(stream.report().status, LaunchStatus::DivergentBarrier);
    const std::string& message = stream.report().message;
    EXPECT_THAT(message, HasSubstr("5 threads wait in __syncthreads at wait_kernels.cu:"));
    EXPECT_THAT(message, HasSubstr("59 threads wait in __syncthreads at wait_kernels.cu:"));
    EXPECT_THAT(message, HasSubstr("(first: thread (5,0,0))"));
    EXPECT_NE(stream.report().block.x, 0u);
    EXPECT_EQ(stream.report().thread, (Coordinates{0, 0, 0}));
    expect_next_launch_works();
  }
}

TEST(Barrier, TwoOnOneLineAreDifferent) {
  for (const Settings& settings : all_schedules()) {
    Stream stream(settings);
    host::two_barriers_on_a_line(stream, 64, 32);
    EXPECT_EQ(stream.report().status, LaunchStatus::DivergentBarrier);
    EXPECT_THAT(
        stream.report().message,
        testing::ContainsRegex("32 threads wait in __syncthreads at wait_kernels.cu:[0-9]+:[0-9]+ .*; 32 threads"));
    expect_next_launch_works();
  }
}

TEST(Barrier, AllOnOneSideIsFine) {
  for (const int first : {0, 64}) {
    Stream stream;
    host::two_barriers_on_a_line(stream, 64, first);
    host::different_barriers(stream, 3, 64, first);
    EXPECT_TRUE(stream.ok()) << stream.report().message;
  }
}

TEST(Barrier, ExitedThreadsCountAsArrivedWithAWarning) {
  for (const Settings& settings : all_schedules()) {
    std::vector<int> out(100, -1);
    Stream stream(settings);
    host::exit_before_barrier(stream, 100, 70, out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (int i = 0; i < 70; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 69 - i);
    ASSERT_EQ(stream.report().warnings.size(), 1u);
    EXPECT_THAT(stream.report().warnings[0], HasSubstr("30 threads had exited"));
  }
}

TEST(Barrier, AWarpOperationThatWaitsForABarrierIsAFinding) {
  for (const Settings& settings : all_schedules()) {
    Stream stream(settings);
    host::barrier_against_warp(stream, 64);
    EXPECT_EQ(stream.report().status, LaunchStatus::DivergentBarrier);
    EXPECT_THAT(stream.report().message,
                HasSubstr("8 threads wait in __syncwarp of mask 0xffffffff at wait_kernels.cu:"));
    EXPECT_THAT(stream.report().message, HasSubstr("56 threads wait in __syncthreads at wait_kernels.cu:"));
    expect_next_launch_works();
  }
}

TEST(Barrier, CountsAndVotes) {
  for (const Settings& settings : all_schedules()) {
    constexpr std::size_t kThreads = 75;
    std::vector<int> counts(kThreads), alls(kThreads), anys(kThreads);
    Stream stream(settings);
    host::barrier_votes(stream, kThreads, 4, counts.data(), alls.data(), anys.data());
    EXPECT_THAT(counts, testing::Each(19));
    EXPECT_THAT(alls, testing::Each(0));
    EXPECT_THAT(anys, testing::Each(1));
    host::barrier_votes(stream, kThreads, 1, counts.data(), alls.data(), anys.data());
    EXPECT_THAT(counts, testing::Each(75));
    EXPECT_THAT(alls, testing::Each(1));
    host::barrier_votes(stream, 3, 4, counts.data(), alls.data(), anys.data());
    EXPECT_EQ(anys[0], 0);
  }
}

TEST(Hang, ASpinningThreadIsFoundAndNamed) {
  for (Settings settings : all_schedules()) {
    settings.idle_budget = 5000;
    unsigned flag = 0;
    Stream stream(settings);
    host::spin_forever(stream, 4, 33, &flag);
    EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
    EXPECT_EQ(stream.report().block, (Coordinates{3, 0, 0}));
    EXPECT_EQ(stream.report().thread, (Coordinates{32, 0, 0}));
    EXPECT_THAT(stream.report().message, HasSubstr("thread (32,0,0) of block (3,0,0) waits in vain"));
    expect_next_launch_works();
  }
}

TEST(Hang, ThreadsThatWaitForEachOtherAreToldSoon) {
  for (Settings settings : all_schedules()) {
    settings.idle_budget = 100;
    std::vector<unsigned> flags(20, 0);
    Stream stream(settings);
    host::wait_for_each_other(stream, 20, flags.data());
    EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
    EXPECT_THAT(stream.report().message, HasSubstr("waits in vain"));
    expect_next_launch_works();
  }
}

TEST(Hang, WhereItIsFoundDependsOnlyOnTheSettings) {
  const auto switches = [] {
    Settings settings;
    settings.schedule = {Order::Random, 5, true};
    settings.idle_budget = 3000;
    unsigned flag = 0;
    Stream stream(settings);
    host::spin_forever(stream, 3, 40, &flag);
    return stream.report().switches;
  };
  EXPECT_EQ(switches(), switches());
}

TEST(Hang, ABudgetIsEnoughForThoseWhoEnd) {
  for (const Settings& settings : all_schedules()) {
    unsigned flag = 1;
    Stream stream(settings);
    host::spin_forever(stream, 4, 33, &flag);
    EXPECT_TRUE(stream.ok()) << stream.report().message;
  }
}

/// A thread that changes memory while it waits is told by what it may spend.
TEST(Hang, CountingOnesTriesIsNoProgressForEver) {
  for (Settings settings : all_schedules()) {
    settings.event_budget = 5000;
    std::vector<unsigned> words(2, 0);
    Stream stream(settings);
    host::count_tries_forever(stream, 8, words.data());
    EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
    EXPECT_THAT(stream.report().message, HasSubstr("atomics, volatile accesses, fences and sleeps"));
    EXPECT_LE(words[1], 9 * 5000u);
    expect_next_launch_works();
  }
}

/// Nothing changes for far more events than the idle budget has, but one thread is in a new state at each.
TEST(Hang, AThreadThatWorksIsNone) {
  for (Settings settings : all_schedules()) {
#ifdef NEGZERO_DIRECT_WAITS
    settings.idle_budget = 2000;
#endif
    std::vector<unsigned> words(2, 0);
    Stream stream(settings);
    host::look_while_working(stream, 33, 20000, words.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_EQ(words[1], 20000u);
  }
}

/// What a thread of an earlier launch did is nothing to a thread that works now.
TEST(Hang, AThreadThatWorksAfterOthersHaveWaitedIsNone) {
  for (const Settings& schedule : all_schedules()) {
    for (const int worker : {0, 1}) {
      std::vector<unsigned> flags(2, 0);
      Stream waits(schedule);
      host::wait_for_other_warp(waits, 64, worker, flags.data());
      ASSERT_TRUE(waits.ok()) << waits.report().message;
    }
    Settings settings = schedule;
#ifdef NEGZERO_DIRECT_WAITS
    settings.idle_budget = 0;
#endif
    std::vector<unsigned> words(2, 0);
    Stream stream(settings);
    host::look_while_working(stream, 64, 30000, words.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
  }
}

TEST(Hang, WaitingForATimeIsNone) {
  for (Settings settings : all_schedules()) {
    settings.idle_budget = 2000;
    int out = 0;
    Stream stream(settings);
    host::wait_for_cycles(stream, 40, 500000, &out);
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_EQ(out, 40);
  }
}

/// Somebody outside sees that a launch goes on, by what it may spend: a waiting thread counts until its budget is over.
TEST(Hang, EventsAreProgress) {
  for (Settings settings : all_schedules()) {
    std::uint64_t progress = 0;
    settings.progress = &progress;
    settings.idle_budget = 40000;
    unsigned flag = 0;
    Stream stream(settings);
    host::spin_forever(stream, 1, 33, &flag);
    EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
    EXPECT_GE(progress, 1 + 40000 / 4096);
    EXPECT_LE(progress, 1 + 33 * 40128 / 4096);
  }
}

TEST(Residency, BlocksCanWaitForEachOther) {
  for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
    for (const bool preempt : {false, true}) {
      Settings settings;
      settings.schedule = {order, 3, preempt};
      std::vector<unsigned> flags(20, 0);
      Stream stream(settings);
      host::wait_for_other_block(stream, 20, flags.data());
      EXPECT_TRUE(stream.ok()) << stream.report().message;
      EXPECT_THAT(flags, testing::Each(1u));
    }
  }
}

TEST(Residency, BlocksCanWaitForEachOtherAtBarriers) {
  for (const Settings& settings : all_schedules()) {
    std::vector<unsigned> flags(6, 0);
    Stream stream(settings);
    host::wait_for_other_block_at_barriers(stream, 6, 64, flags.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_THAT(flags, testing::Each(1u));
  }
}

TEST(Residency, WarpsCanWaitForEachOtherAtWarpOperations) {
  for (const Settings& settings : all_schedules()) {
    for (const int first : {0, 1, 3}) {
      std::vector<unsigned> flags(4, 0);
      Stream stream(settings);
      host::wait_for_other_warp(stream, 128, first, flags.data());
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      EXPECT_THAT(flags, testing::Each(1u));
    }
  }
}

TEST(Residency, MoreBlocksStartWhereAllThatAreResidentWait) {
  for (Settings settings : all_schedules()) {
    settings.resident_blocks = 1;
    std::vector<unsigned> flags(200, 0);
    Stream stream(settings);
    host::wait_for_other_block(stream, 200, flags.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_THAT(flags, testing::Each(1u));
  }
}

/// Where each block waits for the next, all but one must be resident: 8,192 may be.
TEST(Residency, HasAnEnd) {
  for (const int blocks : {8192, 8194}) {
    Settings settings;
    settings.idle_budget = 2000;
    std::vector<unsigned> flags(static_cast<std::size_t>(blocks), 0);
    Stream stream(settings);
    host::wait_for_other_block(stream, blocks, flags.data());
    EXPECT_EQ(stream.report().status, blocks == 8192 ? LaunchStatus::Ok : LaunchStatus::Hang);
  }
}

TEST(HostThreads, TheLowestBlocksFailureIsReported) {
  Settings settings;
  settings.host_threads = 3;
  for (int repetition = 0; repetition < 20; ++repetition) {
    Stream stream(settings);
    host::different_barriers(stream, 30, 64, 5);
    EXPECT_EQ(stream.report().status, LaunchStatus::DivergentBarrier);
    EXPECT_THAT(stream.report().message, HasSubstr("5 threads wait"));
  }
}

TEST(HostThreads, BlocksOfDifferentHostThreadsCanWaitForEachOther) {
  Settings settings;
  settings.host_threads = 3;
  std::vector<unsigned> flags(40, 0);
  Stream stream(settings);
  host::wait_for_other_block(stream, 40, flags.data());
  EXPECT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_THAT(flags, testing::Each(1u));
}

}  // namespace
}  // namespace negzero_tests

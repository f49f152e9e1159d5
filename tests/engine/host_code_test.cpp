// The floating-point environment around launches, on every host thread that takes part.

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <string>

#include <gtest/gtest.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/engine/current.hpp>
#include <negzero/engine/device_memory.hpp>
#include <negzero/engine/host_code.hpp>

#include "../on_device.hpp"

namespace negzero::engine {
namespace {

using base::FloatEnvironment;

class HostCodeTest : public testing::Test {
 protected:
  ~HostCodeTest() override { before_.set(); }
  FloatEnvironment before_ = FloatEnvironment::current();
};

TEST_F(HostCodeTest, ALaunchThatChangesTheEnvironmentFails) {
  Stream stream;
  on_device(stream, [] { std::fesetround(FE_TOWARDZERO); });
  EXPECT_EQ(stream.report().status, LaunchStatus::EnvironmentChanged);
  EXPECT_STREQ(to_string(stream.report().status), "environment_changed");
  EXPECT_EQ(stream.report().message, "rounding was switched toward zero while the kernel ran");
  EXPECT_EQ(FloatEnvironment::current(), before_);
}

TEST_F(HostCodeTest, ALaunchThatFailsPutsItBackAllTheSame) {
  Stream stream;
  on_device(stream, [] {
    std::fesetround(FE_TOWARDZERO);
    for (;;) sleep_thread();
  });
  EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
  EXPECT_EQ(FloatEnvironment::current(), before_);
}

TEST_F(HostCodeTest, EveryHostThreadOfALaunchHasTheEnvironmentOfAGpu) {
  std::fesetround(FE_UPWARD);
  const FloatEnvironment own = FloatEnvironment::current();
  Settings settings;
  settings.host_threads = 3;
  settings.resident_blocks = 1;
  Stream stream(settings);
  static std::atomic<int> right;
  right = 0;
  const auto body = [](const void*) {
    for (;;) {
      if (FloatEnvironment::current() == FloatEnvironment::cuda_default()) ++right;
      if (!advance()) end_thread();
    }
  };
  run_grid(stream, {{64, 1, 1}, {1, 1, 1}, 0, false, body, nullptr, 0});
  EXPECT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_EQ(right, 64);
  EXPECT_EQ(FloatEnvironment::current(), own) << "no HostCode, so nobody is accused of it";
}

TEST_F(HostCodeTest, AChangeOnAnyHostThreadIsSeen) {
  Settings settings;
  settings.host_threads = 3;
  settings.resident_blocks = 1;
  const auto body = [](const void*) {
    for (;;) {
      if (current.block_index.x == 63) std::fesetround(FE_UPWARD);
      if (!advance()) end_thread();
    }
  };
  for (int i = 0; i < 20; ++i) {
    Stream stream(settings);
    run_grid(stream, {{64, 1, 1}, {1, 1, 1}, 0, false, body, nullptr, 0});
    EXPECT_EQ(stream.report().status, LaunchStatus::EnvironmentChanged);
  }
}

TEST_F(HostCodeTest, HostCodeIsHeldToItAroundItsLaunches) {
  for (const bool early : {true, false}) {
    Stream stream;
    bool ran = false;
    {
      HostCode host_code(stream);
      if (early) std::fesetround(FE_UPWARD);
      on_device(stream, [&] { ran = true; });
      if (!early) std::fesetround(FE_UPWARD);
      host_code.end();
      host_code.end();
    }
    EXPECT_EQ(ran, !early);
    EXPECT_EQ(stream.report().status, LaunchStatus::EnvironmentChanged);
    EXPECT_EQ(FloatEnvironment::current(), before_);
  }
}

TEST_F(HostCodeTest, AnEarlierFailureIsKept) {
  Stream stream;
  HostCode host_code(stream);
  stream.fail(LaunchStatus::Hang, "it hangs");
  std::fesetround(FE_UPWARD);
  host_code.end();
  EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
  EXPECT_EQ(FloatEnvironment::current(), before_);
}

TEST_F(HostCodeTest, LaunchesOnSeveralHostThreadsReachDeviceMemory) {
  DeviceArena arena;
  static int* counts;
  counts = reinterpret_cast<int*>(arena.take(64 * sizeof(int), 256).data());
  std::fill_n(counts, 64, 0);
  Settings settings;
  settings.host_threads = 3;
  settings.device_memory = &arena.memory();
  Stream stream(settings);
  const auto body = [](const void*) {
    for (;;) {
      ++counts[current.block_index.x];
      if (!advance()) end_thread();
    }
  };
  HostCode host_code(stream);
  run_grid(stream, {{64, 1, 1}, {1, 1, 1}, 0, false, body, nullptr, 0});
  host_code.end();
  EXPECT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_EQ(std::count(counts, counts + 64, 1), 64);
}

TEST_F(HostCodeTest, CopiesDoNothingAfterAFailureOrOnADevice) {
  int to = 1;
  const int from = 2;
  Stream stream;
  stream.fail(LaunchStatus::Hang, "it hangs");
  copy_on_host(stream, &to, &from, sizeof to);
  fill_on_host(stream, &to, 0, sizeof to);
  EXPECT_EQ(to, 1);
  Stream device = Stream::on_device(nullptr);
  copy_on_host(device, &to, &from, sizeof to);
  EXPECT_EQ(to, 1);
  EXPECT_EQ(device.report().status, LaunchStatus::InvalidLaunch);
}

TEST_F(HostCodeTest, AnotherStreamThanTheOneGivenFailsIt) {
  int handles[2], to = 1;
  const int from = 2;
  const auto body = [](const void*) { ADD_FAILURE() << "a launch on a stream of an earlier call"; };
  for (const bool copies : {false, true}) {
    Stream given({}, &handles[0]), other({}, &handles[1]);
    {
      HostCode host_code(given);
      if (copies) copy_on_host(other, &to, &from, sizeof to);
      if (!copies) run_grid(other, {{1, 1, 1}, {1, 1, 1}, 0, false, body, nullptr, 0});
    }
    EXPECT_EQ(given.report().status, LaunchStatus::InvalidLaunch);
    EXPECT_NE(given.report().message.find("another stream"), std::string::npos);
    EXPECT_EQ(to, 1);
    EXPECT_TRUE(other.ok());
    EXPECT_TRUE(other.may_be_used()) << "after the call";
  }
}

TEST_F(HostCodeTest, ACopyOfTheStreamReportsToIt) {
  int handle = 0, to = 1;
  const int from = 2;
  Stream given({}, &handle);
  {
    HostCode host_code(given);
    Stream mine = given;
    EXPECT_TRUE(mine.begin_launch());
    mine.warn("odd");
    mine.fail(LaunchStatus::Hang, "it hangs");
    EXPECT_FALSE(mine.begin_launch());
    copy_on_host(mine, &to, &from, sizeof to);
  }
  EXPECT_EQ(given.report().status, LaunchStatus::Hang);
  EXPECT_EQ(given.report().launches, 1u);
  EXPECT_EQ(given.report().warnings, std::vector<std::string>{"odd"});
  EXPECT_EQ(to, 1);
}

}  // namespace
}  // namespace negzero::engine

// Launches: every thread runs once where it should, whatever the schedule; wrong configurations are refused.

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <negzero/engine/current.hpp>

#include "kernels.hpp"
#include "schedules.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Order;
using negzero::engine::Settings;

std::vector<float> ramp(int n, int modulus) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>((i * 7) % modulus - modulus / 2);
  return values;
}

volatile sig_atomic_t timer_signals = 0, timer_signals_inside = 0;

/// What a signal handler of a launch wrapper does is no part of a kernel that happens to run.
TEST(Launch, HandlersOfSignalsRunBetweenLaunches) {
  struct sigaction count {
  }, before{};
  count.sa_handler = [](int) {
    timer_signals = timer_signals + 1;
    if (negzero::engine::current.engine != nullptr) timer_signals_inside = timer_signals_inside + 1;
  };
  ::sigaction(SIGALRM, &count, &before);
  const itimerval often{{0, 100}, {0, 100}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  std::vector<Place> places(12 * 30);
  while (timer_signals < 20) {
    Stream stream(Settings{});
    host::write_places(stream, {3, 2, 2}, {5, 3, 2}, places.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
  }
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(timer_signals_inside, 0);
}

TEST(Launch, EveryThreadKnowsItsPlace) {
  const Coordinates grid{3, 2, 2};
  const Coordinates block{5, 3, 2};
  for (const Settings& settings : all_schedules()) {
    std::vector<Place> places(12 * 30);
    Stream stream(settings);
    host::write_places(stream, grid, block, places.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (std::uint32_t i = 0; i < places.size(); ++i) {
      const std::uint32_t b = i / 30;
      const std::uint32_t t = i % 30;
      EXPECT_EQ(places[i].thread, (Coordinates{t % 5, t / 5 % 3, t / 15}));
      EXPECT_EQ(places[i].block, (Coordinates{b % 3, b / 3 % 2, b / 6}));
      EXPECT_EQ(places[i].block_dim, block);
      EXPECT_EQ(places[i].grid_dim, grid);
    }
  }
}

TEST(Launch, TiledProductIsTheSameUnderEverySchedule) {
  constexpr int kM = 37;
  constexpr int kN = 45;
  constexpr int kK = 29;
  const std::vector<float> a = ramp(kM * kK, 13);
  const std::vector<float> b = ramp(kK * kN, 11);
  std::vector<float> expected(kM * kN);
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < kN; ++j) {
      float sum = 0;
      for (int k = 0; k < kK; ++k)
        sum += a[static_cast<std::size_t>(i * kK + k)] * b[static_cast<std::size_t>(k * kN + j)];
      expected[static_cast<std::size_t>(i * kN + j)] = sum;
    }
  }
  for (const Settings& settings : all_schedules()) {
    std::vector<float> c(kM * kN, -1.0f);
    Stream stream(settings);
    host::tile_product(stream, kM, kN, kK, a.data(), b.data(), c.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_EQ(c, expected);
    EXPECT_THAT(stream.report().warnings, testing::IsEmpty());
    EXPECT_GT(stream.report().switches, 0u);
  }
}

TEST(Launch, ThreadsWithoutWaitsNeverSwitch) {
  const std::vector<float> x = ramp(1000, 97);
  std::vector<float> y(1000);
  Stream stream;
  host::scale(stream, 1000, 2.0f, x.data(), y.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], 2.0f * x[i]);
  // One switch, to the stack that all 1024 threads then share.
  EXPECT_EQ(stream.report().switches, 1u);
  EXPECT_EQ(stream.report().launches, 1u);
}

TEST(Launch, OrdersAreWhatTheySay) {
  std::vector<int> forward(96);
  std::iota(forward.begin(), forward.end(), 0);
  std::vector<int> backward(forward.rbegin(), forward.rend());
  const auto tickets = [](Order order, std::uint64_t seed, bool preempt) {
    Settings settings;
    settings.schedule = {order, seed, preempt};
    settings.resident_blocks = 1;
    std::vector<int> result(96, -1);
    int counter = 0;
    Stream stream(settings);
    host::take_tickets(stream, 2, 48, &counter, result.data());
    EXPECT_EQ(counter, 96);
    return result;
  };
  EXPECT_EQ(tickets(Order::Forward, 0, false), forward);
  EXPECT_EQ(tickets(Order::Backward, 0, false), backward);
  const std::vector<int> one = tickets(Order::Random, 1, false);
  EXPECT_THAT(one, testing::UnorderedElementsAreArray(forward));
  EXPECT_NE(one, forward);
  EXPECT_EQ(tickets(Order::Random, 1, false), one);
  EXPECT_NE(tickets(Order::Random, 2, false), one);
  const std::vector<int> preempted = tickets(Order::Forward, 1, true);
  EXPECT_THAT(preempted, testing::UnorderedElementsAreArray(forward));
  EXPECT_NE(preempted, forward);
  EXPECT_EQ(tickets(Order::Forward, 1, true), preempted);
  EXPECT_NE(tickets(Order::Forward, 3, true), preempted);
}

TEST(Launch, RandomOrderRunsEveryBlockOnce) {
  for (const std::uint32_t blocks : {1u, 2u, 3u, 5u, 8u, 17u, 100u, 1025u}) {
    Settings settings;
    settings.schedule = {Order::Random, blocks, false};
    std::vector<int> tickets(blocks, -1);
    int counter = 0;
    Stream stream(settings);
    host::take_tickets(stream, static_cast<int>(blocks), 1, &counter, tickets.data());
    std::ranges::sort(tickets);
    for (std::uint32_t i = 0; i < blocks; ++i) ASSERT_EQ(tickets[i], static_cast<int>(i));
  }
}

TEST(Launch, BlocksOverSeveralHostThreads) {
  constexpr int kBlocks = 61;
  constexpr int kThreads = 96;
  std::vector<int> in(kBlocks * kThreads);
  std::iota(in.begin(), in.end(), 0);
  Settings settings;
  settings.host_threads = 4;
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::vector<int> out(in.size(), -1);
    Stream stream(settings);
    host::rotate_in_shared(stream, kBlocks, kThreads, 5, in.data(), out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (int i = 0; i < kBlocks * kThreads; ++i) {
      const int from = i / kThreads * kThreads + (i % kThreads + kThreads - 5) % kThreads;
      ASSERT_EQ(out[static_cast<std::size_t>(i)], from);
    }
  }
}

TEST(Launch, InvalidConfigurationsAreRefused) {
  struct Wrong {
    Coordinates grid, block;
    std::size_t dynamic_bytes;
  };
  const Wrong wrong[] = {
      {{0, 1, 1}, {1, 1, 1}, 0},     {{1, 1, 1}, {1, 0, 1}, 0},      {{1, 1, 1}, {1025, 1, 1}, 0},
      {{1, 1, 1}, {32, 33, 1}, 0},   {{1, 1, 1}, {1, 1, 65}, 0},     {{1, 65536, 1}, {1, 1, 1}, 0},
      {{1, 1, 65536}, {1, 1, 1}, 0}, {{1, 1, 1}, {1, 1, 1}, 232449}, {{1u << 31, 1, 1}, {1, 1, 1}, 0}};
  for (const Wrong& w : wrong) {
    Stream stream;
    host::empty(stream, w.grid, w.block, w.dynamic_bytes);
    EXPECT_EQ(stream.report().status, LaunchStatus::InvalidLaunch);
    EXPECT_THAT(stream.report().message, testing::HasSubstr("invalid configuration"));
  }
  Stream stream;
  host::empty(stream, {2, 65535, 1}, {32, 32, 1}, 232448);
  EXPECT_TRUE(stream.ok()) << stream.report().message;
}

TEST(Launch, AfterAFailureLaterLaunchesDoNothing) {
  Stream stream;
  host::empty(stream, {0, 1, 1}, {1, 1, 1}, 0);
  const std::string first = stream.report().message;
  const float x = 1.0f;
  float y = 5.0f;
  host::scale(stream, 1, 2.0f, &x, &y);
  EXPECT_EQ(y, 5.0f);
  EXPECT_EQ(stream.report().message, first);
  EXPECT_EQ(stream.report().launches, 1u);
  stream.reset({});
  host::scale(stream, 1, 2.0f, &x, &y);
  EXPECT_EQ(y, 2.0f);
  EXPECT_TRUE(stream.ok());
}

TEST(Launch, LocalArraysMayBeLarge) {
  std::vector<int> out(40, -1);
  Stream stream;
  host::large_local_array(stream, 40, out.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  for (int i = 0; i < 40; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 1024 * i);
}

TEST(Launch, KernelFilesOfOneNameAreDifferentKernels) {
  Stream stream;
  unsigned left = 0, right = 0;
  host::write_left(stream, &left);
  host::write_right(stream, &right);
  EXPECT_EQ(left, 1u);
  EXPECT_EQ(right, 2u);
}

TEST(Launch, AHostKernelRefusesADeviceStream) {
  Stream stream = Stream::on_device(nullptr);
  host::empty(stream, {1, 1, 1}, {1, 1, 1}, 0);
  EXPECT_EQ(stream.report().status, LaunchStatus::InvalidLaunch);
}

TEST(Launch, DeviceErrorsKeepTheirNumber) {
  Stream stream = Stream::on_device(nullptr);
  stream.record_device_error(0, "no error");
  EXPECT_TRUE(stream.ok());
  stream.record_device_error(700, "an illegal memory access was encountered");
  stream.record_device_error(719, "unspecified launch failure");
  EXPECT_EQ(stream.report().status, LaunchStatus::DeviceError);
  EXPECT_EQ(stream.report().device_error, 700);
  EXPECT_EQ(stream.report().message, "CUDA error 700: an illegal memory access was encountered");
}

}  // namespace
}  // namespace negzero_tests

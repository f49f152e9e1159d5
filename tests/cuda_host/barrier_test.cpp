// cuda::barrier, cuda::pipeline and late copies: values under several orders of threads, and waits that never end.

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Order;
using negzero::engine::Settings;

std::vector<Settings> orders() {
  std::vector<Settings> all;
  for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
    Settings settings;
    settings.schedule.order = order;
    settings.schedule.seed = 11;
    all.push_back(settings);
  }
  return all;
}

TEST(Barrier, OrdersPhases) {
  for (const Settings& settings : orders()) {
    for (const unsigned threads : {1u, 33u, 256u}) {
      std::vector<unsigned> out(threads);
      Stream stream(settings);
      host::barrier_phases(stream, static_cast<int>(threads), 5, out.data());
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      for (unsigned t = 0; t < threads; ++t) EXPECT_EQ(out[t], 10000 + 5 * ((t + 1) % threads)) << t;
    }
  }
}

TEST(Barrier, ThreadsMayDropOut) {
  for (const Settings& settings : orders()) {
    std::vector<unsigned> out(40);
    Stream stream(settings);
    host::barrier_dropping(stream, 40, out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    // In a phase one thread more has left, and those that are ahead may have left too.
    for (unsigned phase = 0; phase + 1 < 40; ++phase) EXPECT_GE(out[phase], phase + 1) << phase;
    EXPECT_LE(out[0], 2u);
  }
}

TEST(Barrier, AWaitThatNeverEndsIsReported) {
  std::vector<unsigned> out(32);
  Stream stream;
  host::barrier_deserted(stream, out.data());
  EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
  EXPECT_EQ(out[0], 0u);
}

TEST(LateCopies, ArriveWhenTheThreadWaits) {
  alignas(16) unsigned in[256];
  std::iota(in, in + 256, 100u);
  for (const Settings& settings : orders()) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<unsigned> out(6 * 64);
      Stream stream(settings);
      host::late_copies(stream, kind, in, out.data());
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      for (unsigned t = 0; t < 64; ++t) {
        const unsigned* const row = out.data() + 6 * t;
        const unsigned next = (t + 1) % 64;
        // Before the wait there is poison. Kind 3 has waited for one of two copies, and looks at both.
        EXPECT_EQ(row[0], 0xffffffffu) << "kind " << kind << ", thread " << t;
        EXPECT_EQ(row[1], in[4 * next]);
        EXPECT_EQ(row[2], in[4 * next + 1]);
        EXPECT_EQ(row[3], in[4 * next + 2]);
        EXPECT_EQ(row[4], kind == 3 ? 0u : in[4 * next + 3]);
        EXPECT_EQ(row[5], kind == 3 ? in[4 * next + 1] : 7u);
      }
    }
  }
}

TEST(Pipeline, StagesFollowEachOther) {
  constexpr int kSteps = 7;
  std::vector<unsigned> in(96 * kSteps);
  std::iota(in.begin(), in.end(), 1u);
  for (const Settings& settings : orders()) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<unsigned> out(96);
      Stream stream(settings);
      host::pipeline_stages(stream, kind, kSteps, in.data(), out.data());
      ASSERT_TRUE(stream.ok()) << "kind " << kind << ": " << stream.report().message;
      for (unsigned t = 0; t < (kind == 0 ? 32u : 96u); ++t) {
        unsigned sum = 0;
        for (unsigned step = 0; step < kSteps; ++step) {
          const unsigned at = kind == 0 ? step : kind == 3 ? step * 96 + (t + 1) % 96 : step * 32 + (t + 1) % 32;
          sum = sum * 3 + in[at];
        }
        const bool produces = (kind == 1 || kind == 2) && t < 32;
        EXPECT_EQ(out[t], produces ? 0u : sum) << "kind " << kind << ", thread " << t;
      }
    }
  }
}

}  // namespace
}  // namespace negzero_tests

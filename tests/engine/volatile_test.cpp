// Threads that wait by volatile loads alone let others run, without a watch too.

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels.hpp"
#include "schedules.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Settings;
using testing::HasSubstr;

TEST(Volatile, AWaitingThreadLetsOthersRun) {
  for (Settings settings : all_schedules()) {
    settings.resident_blocks = 20;
    std::vector<unsigned> flags(20, 0);
    Stream stream(settings);
    host::wait_by_volatile(stream, 20, 40, flags.data());
    EXPECT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_THAT(flags, testing::Each(1u));
  }
}

/// Waiting long is no hang while somebody goes on.
TEST(Volatile, WarpsThatHandOnTilesComeToTheirEnd) {
  constexpr int kTiles = 200;
  const std::vector<float> in(32 * kTiles, 1.0f);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (Settings settings : all_schedules()) {
      settings.schedule.seed += 100 * seed;
      settings.idle_budget = 1 << 16;
      std::vector<float> out(32, 0.0f);
      Stream stream(settings);
      host::pipeline(stream, in.data(), out.data(), kTiles);
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      ASSERT_THAT(out, testing::Each(static_cast<float>(kTiles)));
    }
  }
}

TEST(Volatile, ASpinningThreadIsAHang) {
  Settings settings;
  settings.idle_budget = 5000;
  unsigned flag = 0;
  Stream stream(settings);
  host::spin_on_volatile(stream, &flag);
  EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
  EXPECT_THAT(stream.report().message, HasSubstr("waits in vain"));
}

}  // namespace
}  // namespace negzero_tests

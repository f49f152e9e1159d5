// Threads that wait by volatile loads alone let others run, without a watch too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels.hpp"
#include "schedules.hpp"

namespace negzero_tests {
namespace {

using negzero::simt::LaunchStatus;
using negzero::simt::Settings;
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

TEST(Volatile, ASpinningThreadIsAHang) {
  Settings settings;
  settings.event_budget = 5000;
  unsigned flag = 0;
  Stream stream(settings);
  host::spin_on_volatile(stream, &flag);
  EXPECT_EQ(stream.report().status, LaunchStatus::Hang);
  EXPECT_THAT(stream.report().message, HasSubstr("used up its 5000 atomics, volatile accesses, fences and sleeps"));
}

}  // namespace
}  // namespace negzero_tests

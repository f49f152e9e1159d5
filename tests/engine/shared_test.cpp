// Shared memory: one address a declaration and block, poison, limits, guard zones.

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/engine/sanitizer.hpp>

#include "kernels.hpp"
#include "schedules.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Settings;

TEST(Shared, OneAddressForAllThreadsOfABlock) {
  constexpr std::size_t kThreads = 40;
  for (const Settings& settings : all_schedules()) {
    std::vector<std::uint64_t> addresses(6 * 3 * kThreads);
    Stream stream(settings);
    host::shared_addresses(stream, 3, kThreads, addresses.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (std::size_t block = 0; block < 3; ++block) {
      const std::uint64_t* first = &addresses[6 * kThreads * block];
      for (std::size_t i = 0; i < kThreads; ++i) {
        for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(first[6 * i + j], first[j]);
      }
      // A function's array has one address wherever it is called from, and another for another instantiation.
      EXPECT_EQ(first[3], first[5]);
      EXPECT_EQ(std::set<std::uint64_t>(first, first + 6).size(), 5u);
      EXPECT_EQ(first[2] % 1024, 0u);
      for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(first[j] % 16, 0u);
    }
  }
}

TEST(Shared, PoisonIsVisibleInEveryBlock) {
  for (const int poison : {0xff, 0x7b, 0x00}) {
    Settings settings;
    settings.poison = static_cast<std::uint8_t>(poison);
    Stream stream(settings);
    const std::uint32_t word = 0x01010101u * static_cast<std::uint32_t>(poison);
    for (int repetition = 0; repetition < 2; ++repetition) {
      std::vector<std::uint32_t> out(64, 12345);
      host::read_unwritten_shared(stream, 32, out.data());
      EXPECT_THAT(out, testing::Each(word));
    }
  }
}

TEST(Shared, MoreThanABlockMayHaveIsAnInvalidLaunch) {
  std::vector<int> out(32, 0);
  Stream fits;
  host::use_much_shared(fits, 232448 - 16384, out.data());
  EXPECT_TRUE(fits.ok()) << fits.report().message;
  EXPECT_THAT(out, testing::Each(5));
  Stream too_much;
  host::use_much_shared(too_much, 232448 - 16384 + 1, out.data());
  EXPECT_EQ(too_much.report().status, LaunchStatus::InvalidLaunch);
  EXPECT_THAT(too_much.report().message, testing::HasSubstr("232449 bytes of shared memory"));
  // Nothing is left behind.
  Stream again;
  host::use_much_shared(again, 0, out.data());
  EXPECT_TRUE(again.ok());
}

#ifdef NEGZERO_ADDRESS_SANITIZER

TEST(SharedDeathTest, WritesBesideAnArrayStopTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int array : {0, 1, 2}) {
    for (const int index : {-1, 8, 11}) {
      EXPECT_DEATH(
          {
            Stream stream;
            host::write_beside_shared(stream, array, index);
          },
          "use-after-poison");
    }
  }
}

#else

TEST(Shared, WritesBesideAnArrayAreFound) {
  const char* names[] = {"shared array 0", "shared array 1", "dynamic shared memory"};
  for (const int array : {0, 1, 2}) {
    for (const int index : {-1, 8, 11}) {
      Stream stream;
      host::write_beside_shared(stream, array, index);
      EXPECT_EQ(stream.report().status, LaunchStatus::SharedOverrun);
      EXPECT_THAT(stream.report().message, testing::HasSubstr("block (0,0,0)"));
      // What lies below an array is the zone of the one before it.
      if (index > 0) {
        EXPECT_THAT(stream.report().message, testing::HasSubstr(names[array]));
      }
    }
  }
}

#endif

TEST(Shared, WritesInsideAreNot) {
  for (const int array : {0, 1, 2}) {
    Stream stream;
    host::write_beside_shared(stream, array, 7);
    EXPECT_TRUE(stream.ok()) << stream.report().message;
  }
}

}  // namespace
}  // namespace negzero_tests

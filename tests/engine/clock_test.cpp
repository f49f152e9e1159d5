// Time as threads see it that take turns: each as if it were alone, and faster where nothing happens.

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/engine/clock.hpp>

namespace {

using negzero::engine::Clock;

constexpr std::int64_t kReading = 32;

TEST(Clock, GoesOnByAReadingForOneThread) {
  Clock clock;
  const int thread = 0;
  for (std::int64_t i = 1; i <= 1000; ++i) EXPECT_EQ(clock.read(&thread, true), i * kReading);
}

TEST(Clock, ShowsEachOfManyThreadsItsOwnReadings) {
  constexpr std::int64_t kRounds = 100;
  for (const std::size_t count : {2u, 7u, 64u, 700u, 16384u}) {
    for (const int in_a_row : {1, 16, 64}) {
      Clock clock;
      std::vector<char> threads(count);
      std::int64_t first = 0, now = 0;
      // Some rounds first, in which it counts them.
      for (std::int64_t round = -20; round < kRounds; ++round) {
        for (const char& thread : threads) {
          for (int i = 0; i < in_a_row; ++i) now = clock.read(&thread, true);
        }
        if (round < 0) first = now;
      }
      EXPECT_NEAR(static_cast<double>(now - first), static_cast<double>(kRounds * in_a_row * kReading),
                  0.05 * static_cast<double>(kRounds * in_a_row * kReading))
          << count << " threads, " << in_a_row << " readings in a row";
    }
  }
}

TEST(Clock, IsForOneThreadAgainOnceTheOthersReadNoMore) {
  Clock clock;
  std::array<char, 500> threads{};
  std::int64_t now = 0;
  for (int round = 0; round < 50; ++round) {
    for (const char& thread : threads) now = clock.read(&thread, true);
  }
  for (int i = 0; i < 1000; ++i) now = clock.read(threads.data(), true);
  const std::int64_t before = now;
  for (int i = 0; i < 100; ++i) now = clock.read(threads.data(), true);
  EXPECT_EQ(now - before, 100 * kReading);
}

TEST(Clock, GoesFasterWhileNothingHappens) {
  Clock clock;
  std::array<char, 100> threads{};
  int readings = 0;
  std::int64_t now = 0;
  for (int round = 0; round < 10; ++round) {
    for (const char& thread : threads) now = clock.read(&thread, true);
  }
  EXPECT_LT(now, 200 * kReading);
  while (now < 1'000'000) {
    now = clock.read(&threads[static_cast<std::size_t>(readings++) % threads.size()], false);
  }
  EXPECT_LT(readings, 10'000);
  // And no more once something does.
  const std::int64_t before = clock.read(threads.data(), true);
  for (const char& thread : threads) now = clock.read(&thread, true);
  EXPECT_LT(now - before, 3 * kReading);
}

TEST(Clock, NeverGoesBack) {
  Clock clock;
  std::array<char, 9> threads{};
  std::int64_t before = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t mixed = i * 0x9e3779b97f4a7c15u;
    const std::int64_t now = clock.read(&threads[(mixed >> 40) % threads.size()], (mixed >> 20) % 50 == 0);
    ASSERT_GE(now, before);
    before = now;
  }
}

}  // namespace

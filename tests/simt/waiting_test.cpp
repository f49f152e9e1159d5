// A thread that comes back to a state waits; one that is always in a new one works.

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include <negzero/simt/waiting.hpp>

namespace negzero_tests {
namespace {

using negzero::simt::state_of;
using negzero::simt::Waiting;

TEST(Waiting, IsSeenInRoundsOfAnyShortLength) {
  for (std::uint64_t length = 1; length <= 40; ++length) {
    Waiting waiting;
    bool waits = false;
    std::uint64_t turns = 0;
    while (!waits && turns < 1000) waits = waiting.comes_back(100 + turns++ % length, 7);
    EXPECT_LE(turns, 4 * length + 1) << length;
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(waiting.comes_back(100 + turns++ % length, 7));
  }
}

TEST(Waiting, IsSeenWhereTurnsSkipStates) {
  Waiting waiting;
  std::uint64_t at = 0;
  int working = 0;
  for (int i = 0; i < 10000; ++i) {
    at = at * 6364136223846793005u + 1442695040888963407u;
    working += waiting.comes_back((at >> 40) % 3, 7) ? 0 : 1;
  }
  EXPECT_LE(working, 8);
}

TEST(Waiting, IsNotSeenInNewStates) {
  Waiting waiting;
  for (std::uint64_t i = 0; i < 100000; ++i) ASSERT_FALSE(waiting.comes_back(i, 7));
}

TEST(Waiting, BeginsAnewWhenMemoryChanges) {
  Waiting waiting;
  EXPECT_FALSE(waiting.comes_back(1, 7));
  EXPECT_TRUE(waiting.comes_back(1, 7));
  EXPECT_FALSE(waiting.comes_back(1, 8));
  EXPECT_TRUE(waiting.comes_back(1, 8));
  // What came back once works again when its states are new for long.
  int working = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) working += waiting.comes_back(10 + i, 8) ? 0 : 1;
  EXPECT_GE(working, 900);
}

TEST(State, DependsOnEveryWord) {
  std::array<std::uint64_t, 11> stack{};
  const auto state = [&] { return state_of(stack.data(), stack.data() + stack.size()); };
  const std::uint64_t empty = state();
  for (std::uint64_t& word : stack) {
    word = 1;
    EXPECT_NE(state(), empty);
    word = std::uint64_t{1} << 63;
    EXPECT_NE(state(), empty);
    word = 0;
  }
  EXPECT_EQ(state(), empty);
}

}  // namespace
}  // namespace negzero_tests

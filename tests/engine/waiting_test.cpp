// A thread that comes back to a state waits; one that is always in a new one works.

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include <negzero/engine/waiting.hpp>

namespace negzero_tests {
namespace {

using negzero::engine::state_of;
using negzero::engine::Turn;
using negzero::engine::Waiting;

TEST(Waiting, IsSeenInRoundsOfAnyShortLength) {
  for (std::uint64_t length = 1; length <= 40; ++length) {
    Waiting waiting;
    bool waits = false;
    std::uint64_t turns = 0;
    while (!waits && turns < 1000) waits = waiting.turn(100 + turns++ % length, 7) == Turn::Waits;
    EXPECT_LE(turns, 4 * length + 1) << length;
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(waiting.turn(100 + turns++ % length, 7), Turn::Waits);
  }
}

TEST(Waiting, IsSeenWhereTurnsSkipStates) {
  Waiting waiting;
  std::uint64_t at = 0;
  int working = 0;
  for (int i = 0; i < 10000; ++i) {
    at = at * 6364136223846793005u + 1442695040888963407u;
    working += waiting.turn((at >> 40) % 3, 7) == Turn::Waits ? 0 : 1;
  }
  EXPECT_LE(working, 8);
}

TEST(Waiting, IsNotSeenInNewStates) {
  Waiting waiting;
  EXPECT_EQ(waiting.turn(1, 7), Turn::First);
  for (std::uint64_t i = 2; i < 100000; ++i) ASSERT_EQ(waiting.turn(i, 7), Turn::Works);
}

TEST(Waiting, BeginsAnewWhenMemoryChanges) {
  Waiting waiting;
  EXPECT_EQ(waiting.turn(1, 7), Turn::First);
  EXPECT_EQ(waiting.turn(1, 7), Turn::Waits);
  EXPECT_EQ(waiting.turn(1, 8), Turn::First);
  EXPECT_EQ(waiting.turn(1, 8), Turn::Waits);
  // What came back once works again when its states are new for long.
  int working = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) working += waiting.turn(10 + i, 8) == Turn::Works ? 1 : 0;
  EXPECT_GE(working, 3900);
}

/// A register may hold how long the thread is let run, which depends on the answer.
TEST(Waiting, GoesOnWhereTheStatesChangeWithTheAnswer) {
  Waiting waiting;
  int working = 0;
  Turn last = Turn::Works;
  for (int i = 0; i < 100000; ++i) {
    last = waiting.turn(last == Turn::Waits ? 3 : 63, 7);
    working += last == Turn::Waits ? 0 : 1;
  }
  EXPECT_LE(working, 8);
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

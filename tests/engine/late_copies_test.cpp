// Copies that threads have begun: whose they are, and in which order they come back.

#include <gtest/gtest.h>

#include <negzero/engine/late_copies.hpp>

namespace negzero_tests {
namespace {

using negzero::engine::LateCopies;
using negzero::engine::LateCopy;

LateCopy copy_of(char* to, std::uint64_t stage) { return {to, stage, 1, {}}; }

TEST(LateCopies, ComeBackInTheirOrderToTheirOwner) {
  char memory[5];
  const int one = 0, other = 0;
  LateCopies copies;
  copies.begin(3, &one, copy_of(memory, 2));
  copies.begin(3, &one, copy_of(memory + 1, 1));
  copies.begin(3, &other, copy_of(memory + 2, 1));
  copies.begin(40, &one, copy_of(memory + 3, 1));
  copies.begin(3, &one, copy_of(memory + 4, 2));
  EXPECT_EQ(copies.take(3, &one, 1)->to, memory + 1);
  EXPECT_FALSE(copies.take(3, &one, 1).has_value());
  EXPECT_EQ(copies.take(3, &one, 9)->to, memory);
  EXPECT_EQ(copies.take(3, &one, 2)->to, memory + 4);
  EXPECT_FALSE(copies.take(3, &one, 9).has_value());
  EXPECT_FALSE(copies.take(0, &one, 9).has_value());
  EXPECT_FALSE(copies.take(700, &one, 9).has_value());
  EXPECT_EQ(copies.take(40, &one, 1)->to, memory + 3);
  copies.clear();
  EXPECT_FALSE(copies.take(3, &other, 9).has_value());
}

TEST(LateCopies, TheLaterOfTwoToOnePlaceCounts) {
  char memory[1];
  LateCopies copies;
  copies.begin(3, nullptr, copy_of(memory, 1));
  copies.begin(3, nullptr, copy_of(memory, 3));
  EXPECT_FALSE(copies.take(3, nullptr, 2).has_value());
  EXPECT_EQ(copies.take(3, nullptr, 3)->to, memory);
}

TEST(LateCopies, CountGroupsByThread) {
  LateCopies copies;
  EXPECT_EQ(copies.commit(5, 0), 0u);
  EXPECT_EQ(copies.commit(5, 1), 1u);
  EXPECT_EQ(copies.commit(5, 1), 2u);
  EXPECT_EQ(copies.commit(6, 1), 1u);
  copies.clear();
  EXPECT_EQ(copies.commit(5, 0), 0u);
}

}  // namespace
}  // namespace negzero_tests

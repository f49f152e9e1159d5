#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/oracle/permitted.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {
namespace {

using exact::Dyadic;
using number::FormatId;

Set between(std::int64_t low, std::int64_t high, int grid = 0) { return Set::interval(low, high, grid); }

std::vector<Piece> pieces(std::initializer_list<Piece> all) { return all; }

TEST(Set, UnitesWithGapsAndJoinsWithout) {
  Set united = between(1, 2), joined = united;
  united.unite(between(5, 6, -3));
  joined.join(between(5, 6, -3));
  EXPECT_EQ(united.pieces(), pieces({{1, 2, 0}, {5, 6, -3}}));
  EXPECT_EQ(joined.pieces(), pieces({{1, 6, -3}}));
  EXPECT_TRUE(united.has_gaps() && united.holds(2) && united.holds(5));
  EXPECT_FALSE(united.holds(3) || joined.has_gaps());
  EXPECT_TRUE(joined.holds(3));
  EXPECT_EQ(united.low, Dyadic(1));
  EXPECT_EQ(united.high, Dyadic(6));
}

TEST(Set, IsOnePieceWherePiecesMeetOnTheFinerGrid) {
  Set set = between(1, 3);
  set.unite(between(3, 6, -2));
  EXPECT_EQ(set.pieces(), pieces({{1, 6, -2}}));
  EXPECT_FALSE(set.has_gaps());
  Set bridged = between(1, 2);
  bridged.unite(between(8, 9));
  bridged.unite(between(2, 8, 1));
  EXPECT_EQ(bridged.pieces(), pieces({{1, 9, 0}}));
}

TEST(Set, HasAsManyPiecesAsAreAskedForTheNearestBeingOne) {
  Set set;
  for (std::int64_t i = 1; i <= 8; ++i) set.unite(between(i * i * i, i * i * i, static_cast<int>(i)), 8);
  EXPECT_EQ(set.pieces().size(), 8u);
  set.unite(between(1000, 1000, 3), 8);
  const std::vector<Piece> eight = set.pieces();
  ASSERT_EQ(eight.size(), 8u);
  EXPECT_EQ(eight[0], (Piece{1, 8, 1})) << "1 and 8 are nearer to each other than any other two";
  EXPECT_EQ(eight[1], (Piece{27, 27, 3}));
  EXPECT_EQ(eight[7], (Piece{1000, 1000, 3}));
  EXPECT_TRUE(set.holds(5));
  EXPECT_FALSE(set.holds(20));
}

TEST(Set, KeepsTheWidestGaps) {
  Set set;
  for (std::int64_t i = 0; i < 200; ++i) set.unite(between(i * i, i * i));
  EXPECT_EQ(set.pieces().size(), kPieces);
  EXPECT_TRUE(set.holds(2)) << "among the nearest";
  EXPECT_FALSE(set.holds(199 * 199 - 1));
}

TEST(Set, HasTheSignsOfZeroOfThoseThatHoldIt) {
  Set set = Set::value({}, false, true);
  Set other = between(1, 2);
  other.minus_zero = false;
  set.unite(other);
  EXPECT_TRUE(set.holds_zero() && set.minus_zero);
  EXPECT_FALSE(set.plus_zero) << "what does not hold zero says nothing of its sign";
  Set around = between(-2, -1);
  around.unite(between(1, 2));
  EXPECT_FALSE(around.holds_zero() || around.plus_zero || around.minus_zero);
  around.join(Set::infinity(true));
  EXPECT_TRUE(around.has_gaps() && around.minus_infinity) << "an infinity fills no gap";
  around.join(between(3, 4));
  EXPECT_TRUE(around.holds_zero() && around.plus_zero);
}

TEST(Set, GivesAZeroThatMergingReachedEitherSign) {
  std::vector<Set> apart;
  for (const std::int64_t x : {-900, -500, -1, 1, 500, 900, 1500, 2200, 3000}) apart.push_back(between(x, x));
  const Set set = Set::united(apart, 8);
  EXPECT_EQ(set.pieces().size(), 8u);
  EXPECT_TRUE(set.holds_zero() && set.plus_zero && set.minus_zero);
}

TEST(Set, LeavesTheSignOfAZeroBetweenOthersToTheOneThatIsThere) {
  const Set set = Set::united({between(-5, -5), between(5, 5), Set::value({}, false, true)});
  EXPECT_TRUE(set.holds_zero() && set.minus_zero);
  EXPECT_FALSE(set.plus_zero);
}

TEST(Set, IsTheSameInWhateverOrderAllAreUnited) {
  std::vector<Set> sets;
  for (const std::int64_t x : {50, -3, 7, 1000, 20, -90, 300, 5, -400, 8}) sets.push_back(between(x, x + 1));
  const Set all = Set::united(sets);
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(sets, random);
    EXPECT_EQ(Set::united(sets).pieces(), all.pieces());
  }
}

TEST(Set, KeepsTheGridOfEachPieceBesideInfinities) {
  Set set = between(1, 2, 0);
  set.unite(between(5, 6, -3));
  set.plus_infinity = true;
  EXPECT_EQ(set.each_piece([](const Set& one) { return one; }).pieces(), set.pieces());
}

// Against lists of numbers: whichever sets are united in whatever order, and each piece taken by itself.
TEST(Set, HoldsWhatItsPartsHold) {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    Set set;
    std::vector<bool> held(100);
    for (std::int64_t part = 0; part < 6; ++part) {
      const std::int64_t low = below(90), high = low + below(6);
      set.unite(between(low, high));
      for (std::int64_t i = low; i <= high; ++i) held[static_cast<std::size_t>(i)] = true;
    }
    set.nan = true;
    int calls = 0;
    const Set shifted = set.each_piece([&](const Set& one) {
      ++calls;
      EXPECT_FALSE(one.has_gaps());
      if (!one.finite) return one;
      return Set::interval(one.low + Dyadic(1000), one.high + Dyadic(1000), one.grid);
    });
    EXPECT_EQ(calls, set.has_gaps() ? static_cast<int>(set.pieces().size()) + 1 : 1);
    for (std::int64_t i = 0; i < 100; ++i) {
      ASSERT_EQ(set.holds(i), held[static_cast<std::size_t>(i)]) << round << " " << i;
      ASSERT_EQ(shifted.holds(i + 1000), held[static_cast<std::size_t>(i)]) << round << " " << i;
    }
  }
}

TEST(Permitted, IsInIntervalsOfItsFormatThatMeetWhereNumbersAreNeighbours) {
  Permitted set(FormatId::F16, Interval{1, 4});
  set.unite(Permitted(FormatId::F16, Interval{5, 9}));
  EXPECT_TRUE(set.has_gaps());
  EXPECT_EQ(set.intervals(), (std::vector<Interval>{{1, 9}}));
  set.unite(Permitted(FormatId::F16, Interval{11, 11}));
  EXPECT_EQ(set.intervals(), (std::vector<Interval>{{1, 9}, {11, 11}}));
  EXPECT_EQ(set.hull(), (Interval{1, 11}));
  EXPECT_TRUE(set.has(9) && set.has(11));
  EXPECT_FALSE(set.has(10) || set.contains(10));
  EXPECT_EQ(set.to_string(), "[6e-08 (0x0001), 5.4e-07 (0x0009)] or 6.6e-07 (0x000b)");
}

}  // namespace
}  // namespace negzero::oracle

// Ranges hold exactly the encodings that a permitted set contains.

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include <negzero/as_code/ranges.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::as_code {
namespace {

using number::Format;
using number::FormatId;
using oracle::Interval;
using oracle::Permitted;

bool hold(const Format& format, const std::vector<Range>& ranges, std::uint64_t word) {
  const std::uint64_t at = order_of(format, word);
  return std::ranges::any_of(ranges, [&](const Range& range) {
    return order_of(format, range.low) <= at && at <= order_of(format, range.high);
  });
}

/// Some set of a format: up to two pieces, and each field drawn.
Permitted drawn(const Format& format, std::mt19937& random) {
  const auto flip = [&] { return random() % 2 == 0; };
  const std::int64_t most = number::ordinal(format, number::max_finite(format));
  const auto some = [&] {
    if (flip()) return Permitted(format.id);
    const std::int64_t a = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * most + 1)) - most;
    const std::int64_t low = flip() ? a : -3;
    return Permitted(format.id, Interval{low, std::min(most, low + static_cast<std::int64_t>(random() % 9))});
  };
  Permitted set = some();
  if (flip()) set.unite(some());
  set.plus_zero = flip();
  set.minus_zero = flip();
  set.plus_infinity = format.has_infinity && flip();
  set.minus_infinity = format.has_infinity && flip();
  set.nan = !format.is_integer() && flip();
  if (random() % 5 == 0) set.only = {random() & format.word_mask(), random() & format.word_mask()};
  return set;
}

TEST(Ranges, HoldWhatASetContainsAndNothingElse) {
  std::mt19937 random(1);
  for (const FormatId id : {FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::F16, FormatId::BF16}) {
    const Format& format = number::format(id);
    for (int i = 0; i < 40; ++i) {
      const Permitted set = drawn(format, random);
      const std::vector<Range> ranges = ranges_of(set);
      for (std::uint64_t word = 0; word <= format.word_mask(); ++word) {
        ASSERT_EQ(hold(format, ranges, word), set.contains(word))
            << format.name << " " << word << " " << set.to_string();
      }
    }
  }
}

TEST(Ranges, AreOfIntegersByTheirValues) {
  const Permitted set(FormatId::I32, Interval{-2, 1});
  const std::vector<Range> expected{{0xfffffffe, 1}};
  EXPECT_EQ(ranges_of(set), expected);
  EXPECT_TRUE(hold(number::format(FormatId::I32), expected, 0xffffffff));
  EXPECT_FALSE(hold(number::format(FormatId::I32), expected, 2));
}

TEST(Ranges, ThatTouchAreOne) {
  const Permitted zeros(FormatId::F32, Interval{-1, 1});
  EXPECT_EQ(ranges_of(zeros), (std::vector<Range>{{0x80000001, 1}}));
  Permitted one_zero = zeros;
  one_zero.minus_zero = false;
  EXPECT_EQ(ranges_of(one_zero), (std::vector<Range>{{0x80000001, 0x80000001}, {0, 1}}));
}

TEST(Ranges, AreWithoutAWordThatIsTakenOut) {
  const Format& format = number::format(FormatId::F16);
  Permitted set(FormatId::F16, Interval{-5, 5});
  set.nan = true;
  std::vector<Range> ranges = ranges_of(set);
  const std::vector<Range> before = ranges;
  for (const std::uint64_t word : {0xffffu, 0x0000u, 0x0005u, 0x8003u}) take_out(format, word, ranges);
  for (std::uint64_t word = 0; word <= 0xffff; ++word) {
    const bool is_out = word == 0xffff || word == 0 || word == 5 || word == 0x8003;
    ASSERT_EQ(hold(format, ranges, word), hold(format, before, word) && !is_out) << word;
  }
}

TEST(Ranges, OfAllEncodings) {
  const Format& format = number::format(FormatId::F8_E5M2);
  const std::int64_t most = number::ordinal(format, number::max_finite(format));
  Permitted set(format.id, Interval{-most, most});
  set.nan = true;
  EXPECT_FALSE(hold_all(format, ranges_of(set)));
  set.plus_infinity = set.minus_infinity = true;
  EXPECT_TRUE(hold_all(format, ranges_of(set)));
  EXPECT_EQ(ranges_of(set), all_of(format));
}

}  // namespace
}  // namespace negzero::as_code

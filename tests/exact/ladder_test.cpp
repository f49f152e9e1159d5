// The edges of the ladder: full rungs, rests that fill the last one, and what it must refuse.

#include <array>
#include <cfenv>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "operands.hpp"

namespace negzero::exact {
namespace {

/// The widest window that the ladder takes with so many rungs and terms, and windows a little wider, which need one
/// rung more.
struct Edge {
  int rungs, terms_log2, beyond = 0;
  [[nodiscard]] int width() const { return (rungs == 1 ? 53 : rungs == 2 ? 104 : 154) - rungs * terms_log2 + beyond; }
};

class LadderEdge : public testing::TestWithParam<Edge> {};

// All products of one sign fill the top rung; what is just below half an ulp of the rung above fills the last one, and
// an odd number of odd rests needs its last bit.
TEST_P(LadderEdge, IsExactWhereItIsFull) {
  const auto [rungs, terms_log2, beyond] = GetParam();
  const int width = GetParam().width();
  const std::size_t count = std::size_t{1} << terms_log2;
  const int rest_bits = std::min(rungs == 1 && beyond == 0 ? width : 53 - terms_log2, 51);
  const int top_bits = std::min(width, 51);
  base::Random random(51);
  Compared compared;
  for (const int lowest : {-890, -48, 0, 300}) {
    for (int tops = 0; tops <= 4; ++tops) {
      for (const int negatives : {0, 1, 2}) {
        Operands operands;
        for (std::size_t i = 0; i < count; ++i) {
          const std::int64_t sign = negatives == 2 || (negatives == 1 && random.one_in(2)) ? -1 : 1;
          const int bits = static_cast<int>(random.between(1, top_bits));
          if (i == 0 || tops == 0) {
            operands.add(sign * ones(rest_bits), lowest, 1, 0);
          } else if (i == 1 || tops == 1) {
            operands.add(sign * ones(top_bits), lowest, 1, width - top_bits);
          } else if (tops == 2) {
            operands.add(sign * ones(i % 2 != 0 ? rest_bits : top_bits),
                         i % 2 != 0 ? lowest : lowest + width - top_bits, 1, 0);
          } else {
            operands.add(sign * (static_cast<std::int64_t>(random.next() >> (64 - bits)) | 1), lowest, 1,
                         static_cast<int>(random.below(static_cast<std::uint64_t>(width - bits) + 1)));
          }
        }
        operands.window = {lowest, lowest + width, 51, count};
        ASSERT_TRUE(ladder(Level::Plain).accepts(operands.window));
        ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared)) << "tops " << tops << ", lowest " << lowest;
      }
    }
  }
  EXPECT_EQ(compared.ladder, 4 * 5 * 3 * available_levels().size());
  EXPECT_GE(compared.prepared, 3 * 5 * 3 * available_levels().size());
}

INSTANTIATE_TEST_SUITE_P(Rungs, LadderEdge,
                         testing::Values(Edge{1, 0}, Edge{1, 1}, Edge{1, 5}, Edge{1, 7}, Edge{1, 5, 1}, Edge{1, 5, 2},
                                         Edge{2, 1}, Edge{2, 2}, Edge{2, 5}, Edge{2, 7}, Edge{2, 5, 1}, Edge{2, 5, 2},
                                         Edge{2, 7, 2}, Edge{2, 5, 8}, Edge{2, 7, 8}, Edge{3, 0}, Edge{3, 2},
                                         Edge{3, 5}, Edge{3, 7}));

// Equal products at every place of the widest windows, all of one sign: some are the largest rests of a rung. They fill
// the rung below, which one number at each end of the window keeps in use.
TEST(Ladder, EqualProductsAtEveryPlace) {
  Compared compared;
  std::size_t sums = 0;
  for (const int terms_log2 : {2, 5, 7}) {
    const std::size_t count = std::size_t{1} << terms_log2;
    for (const int width : {104 - 2 * terms_log2, 154 - 3 * terms_log2}) {
      for (int place = 0; place <= width - 51; ++place) {
        Operands operands;
        const std::int64_t sign = place % 2 != 0 ? -1 : 1;
        for (std::size_t i = 0; i < count; ++i) operands.add(sign * ones(51), place, 1, 0);
        operands.a_significand.front() = operands.a_significand.back() = sign;
        operands.a_exponent.front() = 0;
        operands.a_exponent.back() = width - 1;
        operands.window = {0, width, 51, count};
        ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared)) << terms_log2 << ", place " << place;
        ++sums;
      }
    }
  }
  EXPECT_EQ(compared.ladder, sums * available_levels().size());
}

TEST(Ladder, EvenFactorsOfEitherSide) {
  Compared compared;
  for (const std::int64_t x : {3, 6}) {
    for (const std::int64_t y : {5, 20}) {
      Operands operands;
      for (int i = 0; i < 40; ++i) operands.add(x, i % 7, y, 0);
      operands.window = {0, 30, 10, 40};
      ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared));
    }
  }
  EXPECT_EQ(compared.prepared, 4 * available_levels().size());
}

TEST(Ladder, RefusesOneBitMore) {
  const Method& method = ladder(Level::Plain);
  for (const int k : {0, 3, 7}) {
    const std::uint64_t terms = std::uint64_t{1} << k;
    EXPECT_TRUE(method.accepts({-20, 134 - 3 * k, 48, terms}));
    EXPECT_FALSE(method.accepts({-20, 135 - 3 * k, 48, terms}));
    EXPECT_FALSE(method.accepts({-21, 134 - 3 * k, 48, terms}));
  }
  // More terms than 2^7 are read in between.
  EXPECT_TRUE(method.accepts({-20, 113, 48, std::uint64_t{1} << 32}));
  EXPECT_FALSE(method.accepts({-20, 114, 48, std::uint64_t{1} << 32}));
  EXPECT_FALSE(method.accepts({-20, 100, 48, (std::uint64_t{1} << 32) + 1}));
  EXPECT_TRUE(method.accepts({-20, 100, 51, 64}));
  EXPECT_FALSE(method.accepts({-20, 100, 52, 64}));
}

// Every way to read the rungs between terms, and lanes that the last terms do not fill.
TEST(Ladder, LongSumsOfF16) {
  const number::Format& format = number::format(number::FormatId::F16);
  base::Random random(52);
  Compared compared;
  for (const Kind kind : kKinds) {
    for (const std::size_t count : {4095u, 4096u, 4097u, 20003u}) {
      const Operands operands = take_apart(format, draw_words(format, kind, count, random), format,
                                           draw_words(format, Kind::Bits, count, random));
      ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared));
    }
  }
  EXPECT_EQ(compared.prepared, std::size(kKinds) * 4 * available_levels().size());
}

TEST(Ladder, HoldsInEveryRoundingMode) {
  // Under a directed rounding what is left of the smallest number behind the top rung is no double.
  Operands operands;
  for (int i = 0; i < 32; ++i) operands.add(i % 2 != 0 ? -7 : 5, i % 3 != 0 ? 0 : 132, 1, 0);
  operands.window = {0, 136, 3, 32};
  ASSERT_TRUE(ladder(Level::Plain).accepts(operands.window));
  const ProductSum reference = sum_by(multiprecision(), operands);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    for (const Level level : available_levels()) {
      std::fesetround(mode);
      const ProductSum sum = sum_by(ladder(level), operands);
      const auto prepared = sum_prepared(ladder(level), operands);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(sum, reference) << mode;
      ASSERT_TRUE(prepared);
      EXPECT_EQ(*prepared, reference) << mode;
    }
  }
}

TEST(Prepare, WritesEachValueAndItsLowestBit) {
  const std::array<std::int64_t, 4> significand = {12, 0, -1, 7};
  const std::array<std::int32_t, 4> exponent = {-3, 99, 40, -149};
  std::array<double, 4> value{};
  std::array<std::int32_t, 4> place{};
  ASSERT_TRUE(prepare({significand.data(), exponent.data(), 4}, value.data(), place.data()));
  EXPECT_EQ(value, (std::array<double, 4>{1.5, 0, -0x1p40, 0x7p-149}));
  EXPECT_EQ(place, (std::array<std::int32_t, 4>{-1, kNoPlace, 40, -149}));
  const std::int64_t one = 1;
  for (const std::int32_t beyond : {-1023, 1024}) EXPECT_FALSE(prepare({&one, &beyond, 1}, value.data(), place.data()));
}

}  // namespace
}  // namespace negzero::exact

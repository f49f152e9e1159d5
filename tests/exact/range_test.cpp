// The edges of what each method can hold: overflowing bins, full fixed point, the longest sums, windows that do not
// fit.

#include <array>
#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "operands.hpp"

namespace negzero::exact {
namespace {

// The largest significands at one exponent fill one bin as fast as can be. One product at each end keeps the window as
// wide as F32's, where both widths of bins are used. Eight exponents try every place within a bin.
TEST(Bins, LargestProductsNeverOverflowABin) {
  Compared compared;
  for (const int width : {4, 11, 24, 26}) {
    for (int place = 0; place < 8; ++place) {
      for (const std::size_t count : {400u, 520u, 620u, 6000u, 8192u, 8195u, 17000u}) {
        Operands operands;
        operands.add(1, -298, 1, 0);
        for (std::size_t i = 2; i < count; ++i) operands.add(ones(width), place, i % 97 != 0 ? ones(width) : -1, 0);
        operands.add(1, 255, 1, 0);
        operands.window = {-298, 256, 2 * width, count};
        ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared)) << "width " << width << ", place " << place;
      }
    }
  }
  EXPECT_EQ(compared.bins, 4u * 8 * 7 * available_levels().size());
}

TEST(Bins, LargestF32ProductsTwoToTheTwentyTimes) {
  constexpr std::size_t kCount = std::size_t{1} << 20;
  const number::Format& format = number::format(number::FormatId::F32);
  const std::uint64_t largest = number::max_finite(format);
  std::vector<std::uint64_t> a(kCount, largest), b(kCount, largest);
  a[kCount / 3] = number::min_subnormal(format);
  b[kCount / 3] = number::min_subnormal(format, true);
  const Operands operands = take_apart(format, a, format, b);
  Compared compared;
  ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared));
  EXPECT_EQ(compared.bins, available_levels().size());
  const Dyadic square = Dyadic::from_encoding(format, largest) * Dyadic::from_encoding(format, largest);
  const ProductSum sum = sum_by(bins(available_levels().back()), operands);
  EXPECT_EQ(sum.positive, square * Dyadic((1 << 20) - 1));
  EXPECT_EQ(sum.negative, Dyadic(1, -298));
  EXPECT_EQ(sum.nonzero, kCount);
  EXPECT_EQ(sum.lowest_bit, -298);
}

TEST(Bins, RandomF32BitsTwoToTheTwentyTimes) {
  constexpr std::size_t kCount = std::size_t{1} << 20;
  const number::Format& format = number::format(number::FormatId::F32);
  base::Random random(31);
  Compared compared;
  ASSERT_NO_FATAL_FAILURE(expect_all_agree(take_apart(format, draw_words(format, Kind::Bits, kCount, random), format,
                                                      draw_words(format, Kind::Bits, kCount, random)),
                                           compared));
  EXPECT_EQ(compared.bins, available_levels().size());
}

// Carries out of a touched limb into a run of full ones.
TEST(Bins, CarriesRippleThroughFullLimbs) {
  Compared compared;
  for (const int length : {1, 3, 20}) {
    for (const std::int64_t sign : {1, -1}) {
      Operands operands;
      for (int limb = 0; limb < 2 * length; ++limb) operands.add(sign * ones(32), 32 * limb, 1, 0);
      operands.add(sign, 0, 1, 0);
      operands.add(-sign, 0, 1, 0);
      operands.window = {0, 64 * length, 33, operands.a_significand.size()};
      ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared));
      operands.window.significand_bits = 106;
      ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared));
      const ProductSum sum = sum_by(bins(Level::Plain), operands);
      EXPECT_EQ(sign > 0 ? sum.positive : sum.negative, Dyadic::power_of_two(64 * length));
    }
  }
  EXPECT_GT(compared.fixed128, 0u);
}

TEST(Bins, WideProductsAtEveryShift) {
  Compared compared;
  base::Random random(32);
  for (int shift = 0; shift < 128; ++shift) {
    Operands operands;
    for (int i = 0; i < 150; ++i) {
      operands.add(random.one_in(2) ? ones(53) : -ones(53), shift, random.one_in(2) ? ones(53) : 1, i % 3);
    }
    operands.window = {0, 106 + 128 + 2, 106, 150};
    ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared)) << "shift " << shift;
  }
  EXPECT_EQ(compared.bins, 128 * available_levels().size());
}

// A window that is wrong about its factors is a mistake of the caller, but never a wrong sum or a stray write.
TEST(Bins, ProductsOutsideTheWindowAreStillSummed) {
  for (const std::size_t count : {5u, 100u, 5000u}) {
    for (const int stray : {-3000, -60, 300, 100000}) {
      Operands operands;
      for (std::size_t i = 0; i < count; ++i) operands.add(3, static_cast<int>(i % 20), 5, 0);
      operands.add(1, stray, 1, 0);
      operands.window = {0, 24, 4, count + 1};
      for (const Level level : available_levels()) {
        EXPECT_EQ(sum_by(bins(level), operands), sum_by(multiprecision(), operands)) << stray;
      }
    }
  }
}

TEST(Bins, AcceptsWhatFormatsNeedAndNoMore) {
  const Method& method = bins(Level::Plain);
  EXPECT_TRUE(method.accepts({-2148, 2048, 106, std::uint64_t{1} << 20}));
  EXPECT_FALSE(method.accepts({-2149, 2048, 106, 1}));
  EXPECT_FALSE(method.accepts({-2148, 2049, 106, 1}));
  EXPECT_FALSE(method.accepts({0, 107, 107, 1}));
  EXPECT_TRUE(method.accepts({0, 106, 106, std::uint64_t{1} << 32}));
  EXPECT_FALSE(method.accepts({0, 106, 106, (std::uint64_t{1} << 32) + 1}));
}

struct FixedCase {
  int terms_log2;
  int width;  ///< of each factor
};

class FixedEdge : public testing::TestWithParam<FixedCase> {};

// The largest products at the largest exponent that is accepted fill the accumulator to its last bit; one exponent
// more, or one term more, must be refused. Sums are then compared on both sides of the 64-bit loop's edge too.
TEST_P(FixedEdge, IsFullAtItsLimitAndRefusesOneMore) {
  const auto [terms_log2, width] = GetParam();
  const std::size_t count = std::size_t{1} << terms_log2;
  Compared compared;
  for (const int total : {63, 64, 65, 127, 128}) {
    const int highest = total - terms_log2;
    const int exponent = highest - 2 * width;
    if (exponent < 0) continue;
    for (const int negatives : {0, 1, 2}) {
      Operands operands;
      for (std::size_t i = 0; i < count; ++i) {
        const bool negative = negatives == 2 || (negatives == 1 && i % 2 != 0);
        operands.add(negative ? -ones(width) : ones(width), exponent, ones(width), 0);
      }
      operands.window = {0, highest, 2 * width, count};
      ASSERT_TRUE(fixed128(Level::Plain).accepts(operands.window));
      ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared)) << "total " << total;
    }
  }
  EXPECT_GE(compared.fixed128, 3 * available_levels().size());
  const int limit = 128 - terms_log2;
  EXPECT_TRUE(fixed128(Level::Plain).accepts({-50, limit - 50, 2 * width, count}));
  EXPECT_FALSE(fixed128(Level::Plain).accepts({-50, limit - 49, 2 * width, count}));
  EXPECT_FALSE(fixed128(Level::Plain).accepts({-51, limit - 50, 2 * width, count}));
  EXPECT_FALSE(fixed128(Level::Plain).accepts({-50, limit - 50, 2 * width, count + 1}));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FixedEdge,
                         testing::Values(FixedCase{0, 11}, FixedCase{0, 24}, FixedCase{0, 53}, FixedCase{4, 11},
                                         FixedCase{5, 24}, FixedCase{5, 31}, FixedCase{9, 24}, FixedCase{10, 53},
                                         FixedCase{13, 11}));

TEST(Fixed128, RefusesTheWholeRangeOfF32) {
  const number::Format& format = number::format(number::FormatId::F32);
  const Operands operands = take_apart(format, {number::max_finite(format), number::min_subnormal(format)}, format,
                                       {number::max_finite(format), number::min_subnormal(format)});
  EXPECT_EQ(operands.window, (Window{-298, 256, 48, 2}));
  EXPECT_FALSE(fixed128(Level::Plain).accepts(operands.window));
  const number::Format& half = number::format(number::FormatId::F16);
  const Operands narrow = take_apart(half, {number::max_finite(half), number::min_subnormal(half)}, half,
                                     {number::max_finite(half), number::min_subnormal(half)});
  EXPECT_EQ(narrow.window, (Window{-48, 32, 22, 2}));
  EXPECT_TRUE(fixed128(Level::Plain).accepts(narrow.window));
}

}  // namespace
}  // namespace negzero::exact

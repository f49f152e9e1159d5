// The enumerator's arithmetic against a search among all values, and against the host's own.

#include "softfloat.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

#include "formats.hpp"

namespace negzero::oracle_cross {
namespace {

using number::FormatId;

double to_double(const SmallFormat& format, Code code) {
  const Number value = format.decode(code);
  const double magnitude = std::ldexp(static_cast<double>(value.significand), value.exponent);
  return value.negative ? -magnitude : magnitude;
}

/// All finite magnitudes, and one more as if the format went on: the result beyond is an overflow.
std::vector<double> magnitudes(const SmallFormat& format) {
  std::vector<double> all;
  for (Code code = 0; code <= format.max_magnitude; ++code) all.push_back(to_double(format, code));
  SmallFormat longer = format;
  ++longer.max_magnitude;
  all.push_back(to_double(longer, longer.max_magnitude));
  return all;
}

/// Rounds by looking at both neighbours in the list of all values; `exact` is a sum that a double holds.
Code search(const SmallFormat& format, const std::vector<double>& all, double exact, Mode mode) {
  const bool negative = std::signbit(exact);
  const Code sign = negative ? kSignBit : 0;
  const double x = std::abs(exact);
  const auto above = std::lower_bound(all.begin(), all.end(), x);
  auto chosen = above == all.end() ? all.end() - 1 : above;
  if (above != all.end() && *above != x) {
    const auto below = above - 1;
    const double to_above = *above - x;
    const double to_below = x - *below;
    const bool odd_below = ((below - all.begin()) & 1) != 0;
    bool up = false;
    if (mode == Mode::NearestEven) up = to_above < to_below || (to_above == to_below && odd_below);
    if (mode == Mode::NearestAway) up = to_above <= to_below;
    if (mode == Mode::Down) up = negative;
    if (mode == Mode::Up) up = !negative;
    chosen = up ? above : below;
  }
  const auto magnitude = static_cast<Code>(chosen - all.begin());
  if (magnitude <= format.max_magnitude) return magnitude | sign;
  const bool away =
      mode == Mode::NearestEven || mode == Mode::NearestAway || mode == (negative ? Mode::Down : Mode::Up);
  if (!away) return format.max_magnitude | sign;
  return format.has_infinity ? format.infinity() | sign : kNan;
}

TEST(Softfloat, RoundsEverySumAndProductOfEightBitValuesLikeASearch) {
  for (const FormatId id : {FormatId::F8_E5M2, FormatId::F8_E4M3}) {
    const SmallFormat format = small_format(id);
    const std::vector<double> all = magnitudes(format);
    for (const Mode mode : {Mode::NearestEven, Mode::NearestAway, Mode::TowardZero, Mode::Down, Mode::Up}) {
      const Rounder rounder{format, mode};
      for (unsigned i = 0; i < 256; ++i) {
        for (unsigned j = 0; j < 256; ++j) {
          const Code a = to_code(id, i);
          const Code b = to_code(id, j);
          if (!is_finite(format, a) || !is_finite(format, b)) continue;
          const double product = to_double(format, a) * to_double(format, b);
          ASSERT_EQ(rounder.round(multiply(format.decode(a), format.decode(b))), search(format, all, product, mode))
              << i << " * " << j << " mode " << static_cast<int>(mode);
          double sum = to_double(format, a) + to_double(format, b);
          if (mode == Mode::Down && sum == 0 && (a != b)) sum = -0.0;
          ASSERT_EQ(rounder.round(add(format.decode(a), format.decode(b))), search(format, all, sum, mode))
              << i << " + " << j << " mode " << static_cast<int>(mode);
        }
      }
    }
  }
}

TEST(Softfloat, FaithfulGivesBothDirectedResults) {
  const SmallFormat format = small_format(FormatId::F8_E5M2);
  const Rounder faithful{format, Mode::Faithful};
  for (Code a = 0; a <= format.max_magnitude; ++a) {
    for (Code b = 0; b <= format.max_magnitude; ++b) {
      const Number exact = multiply(format.decode(a | kSignBit), format.decode(b));
      Codes got;
      faithful.round(exact, got);
      tidy(got);
      Codes expected{Rounder{format, Mode::Down}.round(exact), Rounder{format, Mode::Up}.round(exact)};
      tidy(expected);
      ASSERT_EQ(got, expected) << a << " * " << b;
    }
  }
}

template <typename Float, typename Bits>
void compare_with_host(FormatId id) {
  const SmallFormat format = small_format(id);
  const Rounder rounder{format};
  base::Random random(20240607);
  const auto draw = [&] {
    // Nearby exponents, so that sums round, cancel and tie; now and then anything at all.
    const auto word = static_cast<Bits>(random.next());
    if (random.one_in(4)) return word;
    const auto near_one = static_cast<std::uint64_t>(std::bit_cast<Bits>(Float{1}));
    const auto exponent_step = std::uint64_t{1} << (format.precision - 1);
    const std::uint64_t magnitude =
        near_one + random.below(std::uint64_t(2 * format.precision)) * exponent_step + (word & (exponent_step - 1));
    return static_cast<Bits>(magnitude | (random.one_in(2) ? std::uint64_t{1} << (sizeof(Bits) * 8 - 1) : 0));
  };
  const auto code = [&](Float value) { return to_code(id, std::bit_cast<Bits>(value)); };
  for (int i = 0; i < 200'000; ++i) {
    const auto a = std::bit_cast<Float>(draw());
    const auto b = std::bit_cast<Float>(draw());
    const auto c = std::bit_cast<Float>(draw());
    const Number x = format.decode(code(a));
    const Number y = format.decode(code(b));
    const Number z = format.decode(code(c));
    ASSERT_EQ(rounder.round(add(x, y)), code(a + b)) << std::hexfloat << double(a) << " + " << double(b);
    ASSERT_EQ(rounder.round(multiply(x, y)), code(a * b)) << std::hexfloat << double(a) << " * " << double(b);
    if constexpr (sizeof(Float) >= 4) {
      ASSERT_EQ(rounder.round(add(multiply(x, y), z)), code(std::fma(a, b, c)))
          << std::hexfloat << double(a) << " * " << double(b) << " + " << double(c);
    }
  }
}

TEST(Softfloat, AgreesWithTheHostInF32) { compare_with_host<float, std::uint32_t>(FormatId::F32); }
TEST(Softfloat, AgreesWithTheHostInF64) { compare_with_host<double, std::uint64_t>(FormatId::F64); }
#ifdef __FLT16_MAX__
TEST(Softfloat, AgreesWithTheHostInF16) { compare_with_host<_Float16, std::uint16_t>(FormatId::F16); }
#endif

TEST(Softfloat, FlushesAfterRoundingWithAnUnboundedExponent) {
  const SmallFormat format = small_format(FormatId::F8_E5M2);  // smallest normal 2^-14, p = 3
  Rounder rounder{format};
  rounder.flush = Flush::Flush;
  EXPECT_EQ(rounder.round(make_number(3, -16)), Code{0});    // 0.75 * 2^-14
  EXPECT_EQ(rounder.round(make_number(-3, -16)), kSignBit);  // keeps its sign
  EXPECT_EQ(rounder.round(make_number(7, -17)), Code{0});    // 0.875 * 2^-14 has three bits: still subnormal
  EXPECT_EQ(rounder.round(make_number(15, -18)), Code{4});   // 0.9375 * 2^-14 ties to 2^-14: normal
  EXPECT_EQ(rounder.round(make_number(1, -14)), format.min_normal());
  rounder.flush = Flush::Either;
  Codes both;
  rounder.round(make_number(3, -16), both);
  tidy(both);
  EXPECT_EQ(both, (Codes{0, 3}));
}

TEST(Softfloat, OverflowFollowsModeAndPolicy) {
  const SmallFormat e5m2 = small_format(FormatId::F8_E5M2);
  const SmallFormat e4m3 = small_format(FormatId::F8_E4M3);
  EXPECT_EQ((Rounder{e5m2}.round(make_number(61439))), e5m2.max_magnitude);  // just below 57344 + 4096
  EXPECT_EQ((Rounder{e5m2}.round(make_number(61440))), e5m2.infinity());
  EXPECT_EQ((Rounder{e5m2, Mode::TowardZero}.round(make_number(1, 30))), e5m2.max_magnitude);
  EXPECT_EQ((Rounder{e5m2, Mode::Down}.round(make_number(-1, 30))), e5m2.infinity() | kSignBit);
  EXPECT_EQ((Rounder{e4m3}.round(make_number(464))), e4m3.max_magnitude);  // a tie that goes to the even 448
  EXPECT_EQ((Rounder{e4m3}.round(make_number(465))), kNan);
  EXPECT_EQ((Rounder{e4m3, Mode::NearestEven, Flush::Keep, OnOverflow::Saturate}.round(make_number(465))),
            e4m3.max_magnitude);
}

TEST(Softfloat, JammingKeepsTiesApart) {
  const SmallFormat f16 = small_format(FormatId::F16);
  const Number tie = make_number(4097, -1);  // 2048.5
  EXPECT_EQ(Rounder{f16}.round(tie), Rounder{f16}.round(make_number(2048)));
  EXPECT_EQ(Rounder{f16}.round(add(make_number(4098, -1), make_number(1, -400))),
            Rounder{f16}.round(make_number(2050)));  // 2049 and a bit, 400 binades below
  EXPECT_EQ(Rounder{f16}.round(add(make_number(4098, -1), make_number(-1, -400))),
            Rounder{f16}.round(make_number(2048)));
}

}  // namespace
}  // namespace negzero::oracle_cross

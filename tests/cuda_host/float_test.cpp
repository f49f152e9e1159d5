// Functions of floats: PTX semantics of max and min, directed roundings against negzero::number, saturating
// conversions.

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>

#include "bits.hpp"
#include "kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::base::Random;
namespace number = negzero::number;

const std::vector<float>& special_floats() {
  static const std::vector<float> values = [] {
    std::vector<float> result;
    for (const std::uint32_t magnitude :
         {0u,          1u,          2u,          0x7fffffu,   0x800000u,   0x800001u,   0x3f7fffffu, 0x3f800000u,
          0x3f800001u, 0x4b000000u, 0x4b7fffffu, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fffffffu,
          0x3fc00000u, 0x33800000u, 0x33800001u, 0x007ffffeu, 0x7e7fffffu, 0x7e800000u, 0x7e800001u}) {
      result.push_back(from_bits(magnitude));
      result.push_back(from_bits(magnitude | 0x80000000u));
    }
    return result;
  }();
  return values;
}

struct Pairs {
  std::vector<float> a, b;
};

Pairs special_and_random_pairs() {
  Pairs pairs;
  for (const float x : special_floats()) {
    for (const float y : special_floats()) {
      pairs.a.push_back(x);
      pairs.b.push_back(y);
    }
  }
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<std::uint32_t>(random.next());
    // Half of the second operands are near the first one: cancellation.
    const auto y = i % 2 == 0 ? static_cast<std::uint32_t>(random.next())
                              : (x ^ 0x80000000u) + static_cast<std::uint32_t>(random.below(1u << (i % 29)));
    pairs.a.push_back(from_bits(x));
    pairs.b.push_back(from_bits(y));
  }
  return pairs;
}

std::vector<float> apply(FloatFunction function, const Pairs& pairs,
                         negzero::base::Rounding rounding = negzero::base::Rounding::Nearest) {
  std::vector<float> out(pairs.a.size());
  negzero::engine::Settings settings;
  settings.environment = negzero::base::FloatEnvironment::rounding(rounding);
  Stream stream(settings);
  host::float_function(stream, function, static_cast<int>(out.size()), pairs.a.data(), pairs.b.data(), out.data());
  EXPECT_TRUE(stream.ok()) << stream.report().message;
  return out;
}

/// The larger of two encodings by PTX max: NaN only from two NaNs, zeros ordered by sign.
std::uint32_t expected_maximum(float x, float y, bool minimum) {
  if (std::isnan(x) && std::isnan(y)) return 0x7fffffffu;
  if (std::isnan(x)) return bits(y);
  if (std::isnan(y)) return bits(x);
  const auto key = [](float v) {
    const auto b = static_cast<std::int32_t>(bits(v));
    return b < 0 ? -std::int64_t{b & 0x7fffffff} - 1 : std::int64_t{b};
  };
  return bits((key(x) > key(y)) != minimum ? x : y);
}

TEST(Maximum, FollowsPtx) {
  const Pairs pairs = special_and_random_pairs();
  const std::vector<float> fmaxf_out = apply(FloatFunction::Fmaxf, pairs);
  const std::vector<float> fminf_out = apply(FloatFunction::Fminf, pairs);
  const std::vector<float> max_out = apply(FloatFunction::Max, pairs);
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    ASSERT_EQ(bits(fmaxf_out[i]), expected_maximum(pairs.a[i], pairs.b[i], false)) << pairs.a[i] << ' ' << pairs.b[i];
    ASSERT_EQ(bits(fminf_out[i]), expected_maximum(pairs.a[i], pairs.b[i], true)) << pairs.a[i] << ' ' << pairs.b[i];
    ASSERT_EQ(bits(max_out[i]), bits(fmaxf_out[i]));
  }
}

/// div.approx.f32 by the encodings of PTX's page: above 2^126 (0x7e800000) and below infinity the reciprocal is a zero.
/// The quotient of two floats in double, rounded once more, is the nearest one (Figueroa, SIGNUM Newsletter 30, 1995).
std::uint32_t expected_fast_quotient(float x, float y) {
  const std::uint32_t divisor = bits(y) & 0x7fffffffu, sign = (bits(x) ^ bits(y)) & 0x80000000u;
  const bool is_flushed = divisor > 0x7e800000u && divisor < 0x7f800000u;
  const double quotient = static_cast<double>(x) / static_cast<double>(y);
  if (is_flushed) return (bits(x) & 0x7fffffffu) >= 0x7f800000u ? 0x7fffffffu : sign;
  return std::isnan(quotient) ? 0x7fffffffu : bits(static_cast<float>(quotient));
}

TEST(FastDivision, HasAZeroForLargeDivisors) {
  const Pairs pairs = special_and_random_pairs();
  const std::vector<float> out = apply(FloatFunction::DivideFast, pairs);
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    ASSERT_EQ(bits(out[i]), expected_fast_quotient(pairs.a[i], pairs.b[i])) << pairs.a[i] << ' ' << pairs.b[i];
  }
}

TEST(ToEven, IsToNearestInEveryRoundingOfTheThread) {
  using negzero::base::Rounding;
  Pairs pairs = special_and_random_pairs();
  for (float x = -4; x <= 4; x += 0.125f) pairs.a.push_back(x);
  for (const float x : {8388607.5f, 4194303.5f, 4194302.5f, 0x1.fffffep-2f, 0x1.000002p-1f}) pairs.a.push_back(x);
  pairs.b.resize(pairs.a.size());
  for (const Rounding rounding : {Rounding::Nearest, Rounding::Downward, Rounding::Upward}) {
    const std::vector<float> rint_out = apply(FloatFunction::Rint, pairs, rounding);
    const std::vector<float> lrint_out = apply(FloatFunction::Lrint, pairs, rounding);
    for (std::size_t i = 0; i < pairs.a.size(); ++i) {
      const float x = pairs.a[i], nearest = std::nearbyint(x);
      ASSERT_TRUE(std::isnan(x) ? std::isnan(rint_out[i]) : bits(rint_out[i]) == bits(nearest))
          << x << ' ' << rint_out[i] << ' ' << static_cast<int>(rounding);
      if (std::fabs(x) < 1e6f) {
        ASSERT_EQ(lrint_out[i], 2 * nearest) << x;
      }
    }
  }
}

/// Rounds the exact value high + low, where |low| is far below high's last bit, with negzero::number.
std::uint32_t rounded_sum(double high, double low, number::Rounding rounding) {
  const number::Format& f64 = number::format(number::FormatId::F64);
  const number::Format& f32 = number::format(number::FormatId::F32);
  number::EncodeOptions options;
  options.rounding = rounding;
  if (!std::isfinite(high)) return static_cast<std::uint32_t>(number::from_double(f32, high, options));
  number::Decoded d = number::decode(f64, std::bit_cast<std::uint64_t>(high));
  std::uint64_t significand = d.significand;
  int exponent = d.exponent;
  const bool sticky = low != 0;
  if (significand != 0) {
    // Widen to 63 bits, so that the sticky bit is far below the last bit of any float.
    const int shift = std::countl_zero(significand) - 1;
    significand <<= shift;
    exponent -= shift;
    if (sticky && (low < 0) != d.negative) --significand;
  }
  return static_cast<std::uint32_t>(number::encode(f32, d.negative, significand, exponent, sticky, options));
}

TEST(DirectedRounding, AgreesWithNumber) {
  const Pairs pairs = special_and_random_pairs();
  struct Row {
    FloatFunction add, mul;
    number::Rounding rounding;
  };
  const Row rows[] = {{FloatFunction::AddDown, FloatFunction::MulDown, number::Rounding::Down},
                      {FloatFunction::AddUp, FloatFunction::MulUp, number::Rounding::Up},
                      {FloatFunction::AddZero, FloatFunction::MulZero, number::Rounding::TowardZero}};
  for (const Row& row : rows) {
    const std::vector<float> sums = apply(row.add, pairs);
    const std::vector<float> products = apply(row.mul, pairs);
    for (std::size_t i = 0; i < pairs.a.size(); ++i) {
      const double x = static_cast<double>(pairs.a[i]);
      const double y = static_cast<double>(pairs.b[i]);
      // TwoSum by magnitude: the sum of two floats in double and its error.
      const double sum = x + y;
      const double low = std::isfinite(sum) ? (std::fabs(x) > std::fabs(y) ? y - (sum - x) : x - (sum - y)) : 0.0;
      std::uint32_t expected = rounded_sum(sum, low, row.rounding);
      if (sum == 0 && low == 0) {
        const bool both_negative = std::signbit(x) && std::signbit(y);
        const bool any_negative = std::signbit(x) || std::signbit(y);
        expected = both_negative || (any_negative && row.rounding == number::Rounding::Down) ? 0x80000000u : 0u;
      }
      if (std::isnan(sum)) {
        ASSERT_TRUE(std::isnan(sums[i]));
      } else {
        ASSERT_EQ(bits(sums[i]), expected) << x << " + " << y << " mode " << static_cast<int>(row.rounding);
      }
      const double product = x * y;
      if (std::isnan(product)) {
        ASSERT_TRUE(std::isnan(products[i]));
      } else {
        ASSERT_EQ(bits(products[i]), rounded_sum(product, 0, row.rounding)) << x << " * " << y;
      }
    }
  }
}

TEST(ToInteger, SaturatesAndAnswersNanAsPtx) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  struct Row {
    IntegerConversion conversion;
    double in;
    std::int64_t out;
  };
  using enum IntegerConversion;
  constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
  const std::vector<Row> rows = {
      {FloatToIntRz, nan, 0},
      {FloatToIntRz, inf, 2147483647},
      {FloatToIntRz, -inf, -2147483648LL},
      {FloatToIntRz, 3e9, 2147483647},
      {FloatToIntRz, -2147483648.0, -2147483648LL},
      {FloatToIntRz, -1.75, -1},
      {FloatToIntRz, 2147483520.0, 2147483520},
      {FloatToIntRn, 2.5, 2},
      {FloatToIntRn, 3.5, 4},
      {FloatToIntRn, -2.5, -2},
      {FloatToIntRn, -0.5, 0},
      {FloatToIntRn, 8388609.0, 8388609},
      {FloatToUintRz, -1.0, 0},
      {FloatToUintRz, nan, 0},
      {FloatToUintRz, 5e9, 4294967295},
      {FloatToLlRz, nan, kMin64},
      {FloatToLlRz, 1e30, kMax64},
      {FloatToLlRz, -9223372036854775808.0, kMin64},
      {FloatToUllRz, nan, kMin64},
      {FloatToUllRz, -5.0, 0},
      {FloatToUllRz, 9223372036854775808.0, kMin64},
      {FloatToUllRz, 1e30, -1},
      {DoubleToIntRn, nan, -2147483648LL},
      {DoubleToIntRn, 2147483647.5, 2147483647},
      {DoubleToIntRn, 0.5, 0},
      {DoubleToIntRn, 1.5, 2},
      {DoubleToUintRd, nan, 0x80000000},
      {DoubleToUintRd, 1.99, 1},
      {DoubleToUintRd, -0.1, 0},
      {DoubleToUintRd, 4294967295.9, 4294967295},
      {DoubleToLlRu, nan, kMin64},
      {DoubleToLlRu, 1.01, 2},
      {DoubleToLlRu, -1.99, -1},
      {DoubleToLlRu, 9.3e18, kMax64},
  };
  for (const Row& row : rows) {
    std::int64_t out = 42;
    Stream stream;
    host::to_integer(stream, row.conversion, 1, &row.in, &out);
    EXPECT_EQ(out, row.out) << "conversion " << static_cast<int>(row.conversion) << " of " << row.in;
  }
}

TEST(IntegerFunctions, AgreeWithPlainLoops) {
  Random random(4);
  constexpr std::size_t kCount = 2000;
  std::vector<std::uint32_t> in(kCount), out(10 * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    in[i] = i < 3 ? static_cast<std::uint32_t>(i) - 1 : static_cast<std::uint32_t>(random.next() >> random.below(33));
  }
  Stream stream;
  host::integer_functions(stream, kCount, in.data(), out.data());
  ASSERT_TRUE(stream.ok());
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint32_t x = in[i];
    const std::uint32_t y = in[(i + 1) % kCount];
    const std::uint32_t* own = &out[10 * i];
    std::uint32_t ones = 0, leading = 0, lowest = 0, reversed = 0;
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      ones += x >> bit & 1;
      if (x >> bit == 0) ++leading;
      if (lowest == 0 && (x >> bit & 1) != 0) lowest = bit + 1;
      reversed |= (x >> bit & 1) << (31 - bit);
    }
    EXPECT_EQ(own[0], ones);
    EXPECT_EQ(own[1], leading);
    EXPECT_EQ(own[2], lowest);
    EXPECT_EQ(own[3], reversed);
    std::uint32_t permuted = 0;
    const std::uint32_t selector = y >> 7;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t nibble = selector >> (4 * k) & 15;
      const std::uint32_t byte = ((nibble & 7) < 4 ? x : y) >> (8 * (nibble & 3)) & 255;
      permuted += byte << (8 * k);
    }
    EXPECT_EQ(own[4], permuted);
    const std::uint32_t s = y & 31;
    EXPECT_EQ(own[5], s == 0 ? y : y << s | x >> (32 - s));
    const std::uint32_t clamped = y & 63;
    EXPECT_EQ(own[6], clamped >= 32 ? y : clamped == 0 ? x : x >> clamped | y << (32 - clamped));
    EXPECT_EQ(own[7], static_cast<std::uint32_t>(std::uint64_t{x} * y / 0x100000000u));
    const auto product = static_cast<std::int64_t>(static_cast<std::int32_t>(x)) * static_cast<std::int32_t>(y);
    EXPECT_EQ(static_cast<std::int32_t>(own[8]),
              static_cast<std::int32_t>(std::floor(static_cast<long double>(product) / 4294967296.0L)));
    EXPECT_EQ(own[9], x > y ? x - y : y - x);
  }
}

}  // namespace
}  // namespace negzero_tests

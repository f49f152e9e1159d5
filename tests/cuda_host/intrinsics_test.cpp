// Intrinsics: functions on parts of words, mixed integer functions, directed roundings, special functions.

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

#include "kernels.hpp"
#include "simd_functions.hpp"

namespace negzero_tests {
namespace {

using negzero::base::Random;

/// Words whose parts are often at the ends of their ranges.
std::vector<std::uint32_t> words(int count) {
  Random random(7);
  const std::uint32_t edges[] = {0,          0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0xffffffff,
                                 0x00010001, 0x01010101, 0x80000000, 0x7fffffff, 1};
  std::vector<std::uint32_t> result;
  for (int i = 0; i < count; ++i) {
    const auto any = static_cast<std::uint32_t>(random.next());
    const std::uint32_t edge = edges[random.below(std::size(edges))];
    result.push_back(i % 3 == 0 ? edge : i % 3 == 1 ? edge ^ 1u << (any >> 27) : any);
  }
  return result;
}

/// One part of the result, by the formula of the list; `bits` wide.
template <typename Value>
std::uint32_t parts(std::uint32_t a, std::uint32_t b, int bits, bool is_signed, Value value) {
  std::uint32_t result = 0;
  const std::int64_t size = std::int64_t{1} << bits;
  for (int at = 0; at < 32; at += bits) {
    std::int64_t x = (a >> at) % size;
    std::int64_t y = (b >> at) % size;
    if (is_signed && x >= size / 2) x -= size;
    if (is_signed && y >= size / 2) y -= size;
    const std::int64_t least = is_signed ? -size / 2 : 0;
    const std::int64_t z = value(x, y, [&](std::int64_t v) { return std::clamp(v, least, least + size - 1); });
    result |= static_cast<std::uint32_t>(z & (size - 1)) << at;
  }
  return result;
}

/// The mean of two numbers with this sum, halves away from zero for positive ones, toward it for negative ones.
std::int64_t average(std::int64_t sum) { return sum >= 0 ? (sum + 1) / 2 : -((-sum + 1) / 2); }

TEST(Intrinsics, PartsOfWordsWrapOrSaturate) {
  constexpr int kCount = 30000;
  const std::vector<std::uint32_t> in = words(2 * kCount);
  std::vector<std::uint32_t> out(kCount * kSimdResults);
  Stream stream;
  host::simd_functions(stream, kCount, in.data(), out.data());
  ASSERT_TRUE(stream.ok());
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint32_t a = in[2 * i];
    const std::uint32_t b = in[2 * i + 1];
    const std::uint32_t* row = out.data() + i * kSimdResults;
#define NEGZERO_TESTS_CHECK(name, sign, value)                                                   \
  for (const int bits : {16, 8}) {                                                               \
    ASSERT_EQ(*row++, parts(a, b, bits, #sign[0] == 'S',                                         \
                            []([[maybe_unused]] std::int64_t x, [[maybe_unused]] std::int64_t y, \
                               [[maybe_unused]] auto clamp) -> std::int64_t { return value; }))  \
        << #name << " of " << std::hex << a << ' ' << b;                                         \
  }
    NEGZERO_TESTS_SIMD_OF_TWO(NEGZERO_TESTS_CHECK)
    NEGZERO_TESTS_SIMD_OF_ONE(NEGZERO_TESTS_CHECK)
#undef NEGZERO_TESTS_CHECK
  }
}

std::int64_t signed_bits(std::uint32_t x, int at, int bits) {
  return static_cast<std::int32_t>(x << (32 - at - bits)) >> (32 - bits);
}
std::int64_t unsigned_bits(std::uint32_t x, int at, int bits) { return x >> at & ((1u << bits) - 1); }

TEST(Intrinsics, MixedIntegerFunctions) {
  constexpr int kCount = 30000;
  const std::vector<std::uint32_t> in = words(3 * kCount);
  std::vector<std::uint32_t> out(kCount * kMixedResults);
  Stream stream;
  host::mixed_functions(stream, kCount, in.data(), out.data());
  ASSERT_TRUE(stream.ok());
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    const std::uint32_t* row = out.data() + i * kMixedResults;
    const std::int64_t x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    const std::int64_t z = static_cast<std::int32_t>(c), u = a, v = b, w = c;
    const auto low = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    const auto dot = [&](auto part, int first, int step, int second, int size, int count) {
      std::int64_t sum = w;
      for (int k = 0; k < count; ++k) sum += part(a, first + step * k, step) * part(b, second + size * k, size);
      return low(sum);
    };
    SCOPED_TRACE(testing::Message() << std::hex << a << ' ' << b << ' ' << c);
    ASSERT_EQ(row[0], low(signed_bits(a, 0, 24) * signed_bits(b, 0, 24)));
    ASSERT_EQ(row[1], low(unsigned_bits(a, 0, 24) * unsigned_bits(b, 0, 24)));
    ASSERT_EQ(row[2], low(std::max(x, y) - std::min(x, y) + w));
    ASSERT_EQ(row[3], low(std::max(u, v) - std::min(u, v) + w));
    ASSERT_EQ(row[4], low(static_cast<std::int64_t>(std::floor(static_cast<double>(x + y) / 2))));
    ASSERT_EQ(row[5], low(static_cast<std::int64_t>(std::floor(static_cast<double>(x + y + 1) / 2))));
    ASSERT_EQ(row[6], low((u + v) / 2));
    ASSERT_EQ(row[7], low((u + v + 1) / 2));
    ASSERT_EQ(row[8], dot(signed_bits, 0, 8, 0, 8, 4));
    ASSERT_EQ(row[9], dot(unsigned_bits, 0, 8, 0, 8, 4));
    ASSERT_EQ(row[10], dot(signed_bits, 0, 16, 0, 8, 2));
    ASSERT_EQ(row[11], dot(unsigned_bits, 0, 16, 16, 8, 2));
    ASSERT_EQ(row[20], dot(signed_bits, 0, 16, 16, 8, 2));
    ASSERT_EQ(row[21], dot(unsigned_bits, 0, 16, 0, 8, 2));
    // The set bits of the mask on one side of the base, nearest first.
    const int base = static_cast<int>(b & 31);
    const int offset = static_cast<int>(c % 9) - 4;
    std::vector<unsigned> bits;
    for (int at = base; at >= 0 && at < 32; at += offset >= 0 ? 1 : -1) {
      if ((a >> at & 1) != 0) bits.push_back(static_cast<unsigned>(at));
    }
    const auto wanted = static_cast<std::size_t>(std::abs(offset) - 1);
    const unsigned nth = offset == 0            ? (a >> base & 1) != 0 ? static_cast<unsigned>(base) : ~0u
                         : wanted < bits.size() ? bits[wanted]
                                                : ~0u;
    ASSERT_EQ(row[12], nth);
    ASSERT_EQ(row[13], std::min(a, b) ^ std::max(b, c));
    std::int64_t sums[4] = {};
    for (int at = 0; at < 32; at += 8) {
      sums[1] += std::abs(signed_bits(a, at, 8) - signed_bits(b, at, 8));
      sums[3] += std::abs(unsigned_bits(a, at, 8) - unsigned_bits(b, at, 8));
      if (at % 16 != 0) continue;
      sums[0] += std::abs(signed_bits(a, at, 16) - signed_bits(b, at, 16));
      sums[2] += std::abs(unsigned_bits(a, at, 16) - unsigned_bits(b, at, 16));
    }
    for (std::size_t k = 0; k < 4; ++k) ASSERT_EQ(row[14 + k], low(sums[k])) << k;
    ASSERT_EQ(row[18], low(std::min(x, z) >> 3));
    ASSERT_EQ(row[19], std::max(a, c));
    const std::int64_t wrapped = static_cast<std::int32_t>(a + b);
    ASSERT_EQ(row[22], low(std::max(wrapped, z)) ^ low(std::max<std::int64_t>(std::min(wrapped, z), 0)));
    for (int at = 0; at < 32; at += 16) {
      const auto sum = static_cast<std::uint16_t>(unsigned_bits(a, at, 16) + unsigned_bits(b, at, 16));
      ASSERT_EQ(row[23] >> at & 0xffff, std::min<std::int64_t>(sum, unsigned_bits(c, at, 16)));
      const std::int64_t p = signed_bits(a, at, 16), q = signed_bits(b, at, 16);
      ASSERT_EQ(row[24] >> at & 0xffff, std::max({p, q, signed_bits(c, at, 16), std::int64_t{0}}));
      ASSERT_EQ(row[26] >> at & 0xffff, low(std::max(p, q)) & 0xffff);
      ASSERT_EQ(row[27] >> (at / 16) & 1, p >= q ? 1u : 0u);
    }
    ASSERT_EQ(row[25], std::min({a, b, c}));
    ASSERT_EQ(row[28], a + b);
  }
}

/// The processor in that rounding mode. Volatile, so that no compiler computes it in another.
template <typename F, typename Function>
F in_mode(int mode, Function function) {
  std::fesetround(mode);
  const volatile F result = function();
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(Intrinsics, DirectedRoundingsAgreeWithTheProcessors) {
  constexpr int kCount = 30000;
  Random random(9);
  const double edges[] = {0.0,       -0.0, 1.0,      -1.0, 0x1p-1074, 0x1p-1022,      0x1.fffffffffffffp1023, INFINITY,
                          -INFINITY, 3.0,  0x1p-149, NAN,  0x1p-1000, 0x1.fffffep127, 0x1.0000000000001p0};
  std::vector<double> in;
  for (int i = 0; i < 3 * kCount; ++i) {
    const std::uint64_t any = random.next();
    switch (random.below(4)) {
      case 0:
        in.push_back(edges[random.below(std::size(edges))]);
        break;
      case 1:
        in.push_back(std::bit_cast<double>(any));
        break;
      default:
        in.push_back(
            std::ldexp(1.0 + static_cast<double>(any >> 44) * 0x1p-20, static_cast<int>(random.below(120)) - 60));
    }
  }
  std::vector<unsigned long long> out(kCount * kDirectedResults);
  Stream stream;
  host::directed_functions(stream, kCount, in.data(), out.data());
  ASSERT_TRUE(stream.ok());
  const int modes[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (std::size_t i = 0; i < kCount; ++i) {
    const volatile double x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    const volatile float f = static_cast<float>(x), g = static_cast<float>(y);
    const volatile long long integer = std::bit_cast<long long>(in[3 * i]) >> (i % 60);
    const unsigned long long* row = out.data() + i * kDirectedResults;
    for (const int mode : modes) {
      SCOPED_TRACE(testing::Message() << std::hexfloat << in[3 * i] << ' ' << in[3 * i + 1] << ' ' << in[3 * i + 2]
                                      << " mode " << mode);
      const auto check = [&](auto function) {
        const double expected = in_mode<double>(mode, function);
        const auto bits = std::isnan(expected) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(expected);
        ASSERT_EQ(*row, bits) << "result " << (row - out.data()) % kDirectedResults;
        ++row;
      };
      const auto check_float = [&](auto function) {
        const float expected = in_mode<float>(mode, function);
        const auto bits = std::isnan(expected) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(expected);
        ASSERT_EQ(*row, bits) << "result " << (row - out.data()) % kDirectedResults;
        ++row;
      };
      check([&] { return x + y; });
      check([&] { return x - y; });
      check([&] { return x * y; });
      check([&] { return x / y; });
      check([&] { return std::sqrt(x); });
      check([&] { return 1.0 / x; });
      check([&] { return std::fma(x, y, z); });
      check_float([&] { return f / g; });
      check_float([&] { return std::sqrt(f); });
      check_float([&] { return static_cast<float>(integer); });
    }
  }
}

TEST(Intrinsics, SpecialFunctionsAtTheirEdges) {
  const std::vector<double> in = {0.0,  -0.0, 1.0,      0.5,       2.0, -1.0,  1.5,
                                  25.0, 27.0, INFINITY, -INFINITY, NAN, 1e300, 1e-20};
  std::vector<double> out(in.size() * kSpecialResults);
  Stream stream;
  host::special_functions(stream, static_cast<int>(in.size()), in.data(), out.data());
  ASSERT_TRUE(stream.ok());
  const auto at = [&](std::size_t i, std::size_t k) { return out[i * kSpecialResults + k]; };
  EXPECT_EQ(at(0, 0), INFINITY);  // rcbrt
  EXPECT_EQ(at(1, 0), -INFINITY);
  EXPECT_EQ(at(0, 1), 0.5);  // normcdf
  EXPECT_EQ(at(10, 1), 0.0);
  EXPECT_EQ(at(0, 2), 1.0);  // erfcx
  EXPECT_NEAR(at(7, 2), 0.022549572432641359, 4e-18);
  EXPECT_NEAR(at(8, 2), 0.020881607990420941, 4e-18);
  EXPECT_EQ(at(9, 2), 0.0);
  EXPECT_TRUE(std::signbit(at(1, 3)));  // erfinv keeps -0
  EXPECT_EQ(at(2, 3), INFINITY);
  EXPECT_NEAR(at(3, 3), 0.47693627620446987, 1e-16);
  EXPECT_TRUE(std::isnan(at(4, 3)));
  EXPECT_EQ(at(0, 4), INFINITY);  // erfcinv
  EXPECT_EQ(at(4, 4), -INFINITY);
  EXPECT_NEAR(at(13, 4), 6.601580622355143, 2e-15);
  EXPECT_EQ(at(0, 5), -INFINITY);  // normcdfinv
  EXPECT_EQ(at(3, 5), 0.0);
  EXPECT_FALSE(std::signbit(at(3, 5)));
  EXPECT_EQ(at(2, 6), 0.0);  // sinpi(1)
  EXPECT_EQ(at(3, 6), 1.0);
  EXPECT_EQ(at(6, 6), -1.0);
  EXPECT_EQ(at(3, 7), 0.0);  // cospi(0.5)
  EXPECT_FALSE(std::signbit(at(6, 7)));
  EXPECT_EQ(at(2, 7), -1.0);
  EXPECT_TRUE(std::isnan(at(9, 6)));
  EXPECT_EQ(at(12, 6), 0.0);
  EXPECT_EQ(at(12, 7), 1.0);
  EXPECT_NEAR(at(2, 8), 1.2660658777520084, 1e-15);
  EXPECT_EQ(at(12, 8), INFINITY);
  EXPECT_NEAR(at(5, 9), -0.5651591039924851, 1e-15);
  EXPECT_NEAR(at(4, 10), 3.0, 0.0);  // norm3d(2, 1, -2)
  EXPECT_EQ(at(12, 10), 1e300);      // does not overflow
  EXPECT_EQ(at(9, 12), 0.0);         // rhypot
  EXPECT_EQ(at(3, 16), 1.0);         // sincospif
  EXPECT_EQ(at(3, 17), 0.0);
}

}  // namespace
}  // namespace negzero_tests

// 8-bit floats: every encoding, and every boundary between two of them, against negzero::number.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "bits.hpp"
#include "kernels.hpp"

namespace negzero_tests {
namespace {

namespace number = negzero::number;

const number::Format& format_of(bool e4m3) {
  return number::format(e4m3 ? number::FormatId::F8_E4M3 : number::FormatId::F8_E5M2);
}

/// What CUDA's conversion gives: the nearest number where there is no largest one, then the limit.
unsigned char expected(bool e4m3, double x, bool saturates) {
  const int largest = e4m3 ? 0x7e : 0x7b;
  const int overflow = e4m3 ? 0x7f : 0x7c;
  const int sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return 0x7f;
  // Half a step past the largest number: that tie goes down in E4M3, whose largest one is even, and up in E5M2.
  const double limit = e4m3 ? 464 : 61440;
  if (std::fabs(x) > limit || (!e4m3 && std::fabs(x) == limit)) {
    return static_cast<unsigned char>(sign | (saturates ? largest : overflow));
  }
  int best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= largest; ++i) {
    const double d = std::fabs(number::to_double(format_of(e4m3), static_cast<std::uint64_t>(i)) - std::fabs(x));
    if (d < distance || (d == distance && i % 2 == 0)) {
      best = i;
      distance = d;
    }
  }
  return static_cast<unsigned char>(sign | best);
}

/// The exponent of the smallest power of two that is not below |x|, or of the largest that is not above.
int exponent_of(double x, bool up, bool saturates) {
  if (std::isnan(x)) return 0xff;
  const double value = std::fabs(x);
  int e = 0;
  while (e < 255 && (up ? std::ldexp(1.0, e - 127) < value : std::ldexp(1.0, e + 1 - 127) <= value)) ++e;
  return e == 255 && saturates ? 254 : e;
}

TEST(Fp8, EveryBoundaryRoundsToNearestEvenAndSaturates) {
  for (const bool e4m3 : {true, false}) {
    std::vector<double> in = {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(),
                              0x1p-150,
                              0x1p-1074,
                              0x1p-127,
                              0x1.000002p-127,
                              0x1p-126,
                              0x1.8p127,
                              std::numeric_limits<double>::max(),
                              464.0,
                              std::nextafter(464.0, 1000.0),
                              480.0,
                              61440.0,
                              std::nextafter(61440.0, 0.0),
                              65536.0};
    for (std::uint64_t i = 0; i < 0x7f; ++i) {
      const double here = number::to_double(format_of(e4m3), i);
      const double next = number::to_double(format_of(e4m3), i + 1);
      if (!std::isfinite(here)) continue;
      for (const double part : {0.0, 0.25, 0.5, 0.75}) {
        const double x = here + (std::isfinite(next) ? next - here : here / 8) * part;
        for (const double y : {x, std::nextafter(x, 1e9), std::nextafter(x, -1e9),
                               static_cast<double>(std::nextafterf(static_cast<float>(x), 1e9f)),
                               static_cast<double>(std::nextafterf(static_cast<float>(x), -1e9f))}) {
          in.push_back(y);
        }
      }
    }
    for (std::size_t i = 0, n = in.size(); i < n; ++i) {
      if (!std::isnan(in[i])) in.push_back(-in[i]);
    }
    std::vector<unsigned char> out(in.size() * kFp8Results);
    Stream stream;
    host::to_fp8(stream, e4m3, static_cast<int>(in.size()), in.data(), out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (std::size_t i = 0; i < in.size(); ++i) {
      SCOPED_TRACE(testing::Message() << in[i] << " to e4m3 " << e4m3);
      const unsigned char* row = out.data() + i * kFp8Results;
      const auto f = static_cast<float>(in[i]);
      const auto x = static_cast<double>(f);
      const double as_half = number::to_double(number::format(number::FormatId::F16),
                                               number::from_double(number::format(number::FormatId::F16), x));
      const double as_bfloat16 = number::to_double(number::format(number::FormatId::BF16),
                                                   number::from_double(number::format(number::FormatId::BF16), x));
      // The payload of a double's NaN is seen in E5M2: this one has its first bit alone.
      ASSERT_EQ(row[0], std::isnan(x) && !e4m3 ? 0x7e : expected(e4m3, in[i], true));
      ASSERT_EQ(row[1], std::isnan(x) && !e4m3 ? 0x7e : expected(e4m3, in[i], false));
      ASSERT_EQ(row[2], expected(e4m3, x, true));
      ASSERT_EQ(row[3], expected(e4m3, x, false));
      ASSERT_EQ(row[4], expected(e4m3, as_half, true));
      ASSERT_EQ(row[5], expected(e4m3, as_bfloat16, false));
      ASSERT_EQ(row[6], row[2]);
      ASSERT_EQ(row[7], expected(e4m3, std::fabs(x) < 1e6 ? std::trunc(x) + 0.0 : 7.0, true));
      ASSERT_EQ(row[8], row[2]);
      ASSERT_EQ(row[9], expected(e4m3, -x, true));
      ASSERT_EQ(row[10], row[2]);
      ASSERT_EQ(row[11], exponent_of(x, true, true));
      ASSERT_EQ(row[12], exponent_of(in[i], true, false));
      ASSERT_EQ(row[13], exponent_of(x, false, false));
    }
  }
}

TEST(Fp8, EveryEncodingDecodes) {
  for (const bool e4m3 : {true, false}) {
    std::vector<unsigned> out(6 * 256);
    Stream stream;
    host::from_fp8(stream, e4m3, out.data());
    for (std::uint64_t i = 0; i < 256; ++i) {
      const unsigned* row = out.data() + 6 * i;
      const double x = number::to_double(format_of(e4m3), i);
      if (std::isnan(x)) {
        EXPECT_EQ(row[0], 0x7fffu);
        EXPECT_EQ(row[1], 0x7fffffffu);
        EXPECT_EQ(row[2], 0x7fffu);
        EXPECT_EQ(row[3], 0u);
        EXPECT_EQ(row[4], 1u);
        continue;
      }
      EXPECT_EQ(row[0], number::from_double(number::format(number::FormatId::F16), x));
      EXPECT_EQ(row[1], bits(static_cast<float>(x)));
      EXPECT_EQ(row[2], number::from_double(number::format(number::FormatId::BF16), x));
      EXPECT_EQ(static_cast<int>(row[3]),
                std::isinf(x) ? (x > 0 ? std::numeric_limits<int>::max() : std::numeric_limits<int>::min())
                              : static_cast<int>(x));
      EXPECT_EQ(row[4], static_cast<unsigned>(std::clamp(x, 0.0, 255.0)) << 8 | (x != 0 ? 1u : 0u));
      EXPECT_EQ(row[5] & 0xffff, row[0]);
      EXPECT_EQ(row[5] >> 16, e4m3 ? 0x3c00u : 0x3800u);  // 0x38 is 1 in E4M3, 0.5 in E5M2
    }
  }
}

}  // namespace
}  // namespace negzero_tests

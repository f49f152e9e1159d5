// __half and __nv_bfloat16: every encoding and every boundary between two of them, against negzero::number.

#include <bit>
#include <cmath>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>

#include "kernels.hpp"

namespace negzero_tests {
namespace {

using boost::multiprecision::cpp_int;
using negzero::base::Random;
namespace number = negzero::number;

const number::Format& format_of(bool bfloat16) {
  return number::format(bfloat16 ? number::FormatId::BF16 : number::FormatId::F16);
}

TEST(Half, EveryEncodingDecodes) {
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    std::vector<std::uint16_t> in(65536);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
    std::vector<float> out(65536);
    Stream stream;
    host::half_to_float(stream, bfloat16, 65536, in.data(), out.data());
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (number::is_nan(format, i)) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), bfloat16 ? i << 16 : 0x7fffffffu);
      } else {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]),
                  std::bit_cast<std::uint32_t>(static_cast<float>(number::to_double(format, i))));
      }
    }
  }
}

TEST(Half, EveryBoundaryRoundsAsNumberDoes) {
  const number::Rounding roundings[] = {number::Rounding::NearestEven, number::Rounding::TowardZero,
                                        number::Rounding::Down, number::Rounding::Up};
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    // Each value, the middle to the next one, and the neighbours of both among floats.
    std::vector<float> in;
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const auto value = static_cast<float>(number::to_double(format, i));
      in.push_back(value);
      if (std::isnan(value)) continue;
      // A quarter, the middle and three quarters of the way to the next encoding away from zero; past the end, as if
      // the exponent had no limit.
      const bool last = number::is_infinity(format, i + 1);
      const double here = static_cast<double>(value);
      const double next = last ? 2 * here - number::to_double(format, i - 1) : number::to_double(format, i + 1);
      for (const double part : {0.25, 0.5, 0.75}) {
        const auto between = static_cast<float>(here + (next - here) * part);
        in.push_back(between);
        in.push_back(std::nextafter(between, INFINITY));
        in.push_back(std::nextafter(between, -INFINITY));
      }
    }
    for (int direction = 0; direction < 4; ++direction) {
      std::vector<std::uint16_t> out(in.size());
      Stream stream;
      host::float_to_half(stream, direction, bfloat16, static_cast<int>(in.size()), in.data(), out.data());
      ASSERT_TRUE(stream.ok());
      number::EncodeOptions options;
      options.rounding = roundings[direction];
      for (std::size_t i = 0; i < in.size(); ++i) {
        ASSERT_EQ(out[i], number::from_double(format, static_cast<double>(in[i]), options))
            << in[i] << " direction " << direction << " bfloat16 " << bfloat16;
      }
    }
  }
}

/// An exact value as an integer times 2^-kScale: all sums and products of both formats are.
constexpr int kScale = 300;

cpp_int exact(const number::Format& format, std::uint64_t word) {
  const number::Decoded d = number::decode(format, word);
  cpp_int value = cpp_int(d.significand) << (d.exponent + kScale);
  return d.negative ? cpp_int(-value) : value;
}

/// Rounds value * 2^-scale to `format`, to nearest even.
std::uint64_t round_exact(const number::Format& format, cpp_int value, int scale) {
  const bool negative = value < 0;
  if (negative) value = -value;
  const int excess = value == 0 ? 0 : static_cast<int>(msb(value)) - 60;
  bool sticky = false;
  int exponent = -scale;
  if (excess > 0) {
    const cpp_int kept = value >> excess;
    sticky = (kept << excess) != value;
    value = kept;
    exponent += excess;
  }
  return number::encode(format, negative, value.convert_to<std::uint64_t>(), exponent, sticky, {});
}

struct Operands {
  std::vector<std::uint16_t> a, b, c;
};

Operands adversarial_operands(const number::Format& format, int count) {
  Random random(5);
  Operands operands;
  for (int i = 0; i < count; ++i) {
    auto a = static_cast<std::uint16_t>(random.next());
    auto b = static_cast<std::uint16_t>(random.next());
    auto c = static_cast<std::uint16_t>(random.next());
    // Moderate exponents, so that products are finite; c from far below a product to far above it.
    if (i % 4 != 0) {
      const auto one = static_cast<std::uint16_t>(number::one(format));
      const std::uint16_t fraction = static_cast<std::uint16_t>((1u << format.fraction_bits) - 1);
      a = static_cast<std::uint16_t>((one & ~fraction) | (a & fraction) | (a & 0x8000));
      b = static_cast<std::uint16_t>((one & ~fraction) | (b & fraction) | (b & 0x8000));
    }
    if (i % 4 == 2) c = static_cast<std::uint16_t>((c & 0x8000) | random.below(3));
    operands.a.push_back(a);
    operands.b.push_back(b);
    operands.c.push_back(c);
  }
  return operands;
}

TEST(Half, ArithmeticRoundsTheExactResultOnce) {
  constexpr int kCount = 60000;
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    const Operands in = adversarial_operands(format, kCount);
    for (const HalfFunction function : {HalfFunction::Add, HalfFunction::Sub, HalfFunction::Mul, HalfFunction::Fma}) {
      std::vector<std::uint16_t> out(kCount);
      Stream stream;
      host::half_function(stream, function, bfloat16, kCount, in.a.data(), in.b.data(), in.c.data(), out.data());
      for (std::size_t i = 0; i < kCount; ++i) {
        const double x = number::to_double(format, in.a[i]);
        const double y = number::to_double(format, in.b[i]);
        const double z = number::to_double(format, in.c[i]);
        const double rough = function == HalfFunction::Add   ? x + y
                             : function == HalfFunction::Sub ? x - y
                             : function == HalfFunction::Mul ? x * y
                                                             : x * y + z;
        if (!std::isfinite(x) || !std::isfinite(y) || (function == HalfFunction::Fma && !std::isfinite(z))) {
          ASSERT_EQ(out[i], number::from_double(format, rough));
          continue;
        }
        const cpp_int a = exact(format, in.a[i]);
        const cpp_int b = exact(format, in.b[i]);
        const cpp_int c = exact(format, in.c[i]);
        std::uint64_t expected = 0;
        switch (function) {
          case HalfFunction::Add:
            expected = round_exact(format, a + b, kScale);
            break;
          case HalfFunction::Sub:
            expected = round_exact(format, a - b, kScale);
            break;
          case HalfFunction::Mul:
            expected = round_exact(format, a * b, 2 * kScale);
            break;
          default:
            expected = round_exact(format, a * b + (c << kScale), 2 * kScale);
            break;
        }
        // An exact zero has no sign in cpp_int; the double's sign is right, since it is exact then.
        if (number::is_zero(format, expected) && rough == 0) expected = std::signbit(rough) ? 0x8000 : 0;
        if (number::is_zero(format, expected) && rough != 0) expected = rough < 0 ? 0x8000 : 0;
        ASSERT_EQ(out[i], expected) << "function " << static_cast<int>(function) << " of " << x << ' ' << y << ' ' << z
                                    << " bfloat16 " << bfloat16;
      }
    }
  }
}

TEST(Half, DivisionIsCorrectlyRounded) {
  // q is right when the exact quotient lies within half a step: 2 |a - q b| <= |b| step, with ties to even.
  constexpr int kCount = 60000;
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    const Operands in = adversarial_operands(format, kCount);
    std::vector<std::uint16_t> out(kCount);
    Stream stream;
    host::half_function(stream, HalfFunction::Div, bfloat16, kCount, in.a.data(), in.b.data(), in.c.data(), out.data());
    int compared = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double x = number::to_double(format, in.a[i]);
      const double y = number::to_double(format, in.b[i]);
      if (!std::isfinite(x) || !std::isfinite(y) || y == 0 || x == 0) {
        ASSERT_EQ(out[i], number::from_double(format, x / y));
        continue;
      }
      // Long division to 62 bits with a sticky remainder.
      cpp_int a = abs(exact(format, in.a[i])) << 700;
      const cpp_int b = abs(exact(format, in.b[i]));
      const cpp_int quotient = a / b;
      cpp_int with_sticky = quotient * 2 + (quotient * b == a ? 0 : 1);
      std::uint64_t expected = round_exact(format, with_sticky, 701);
      if ((x < 0) != (y < 0)) expected |= 0x8000;
      ASSERT_EQ(out[i], expected) << x << " / " << y;
      ++compared;
    }
    EXPECT_GT(compared, kCount / 2);
  }
}

TEST(Half, MaximumAndMinimumFollowPtx) {
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    const auto inf = static_cast<std::uint16_t>(number::infinity(format));
    const std::vector<std::uint16_t> values = {0,
                                               0x8000,
                                               1,
                                               0x8001,
                                               inf,
                                               static_cast<std::uint16_t>(inf | 0x8000),
                                               static_cast<std::uint16_t>(inf + 1),
                                               0x7fff,
                                               0xffff,
                                               0x3c00,
                                               0xbc00};
    std::vector<std::uint16_t> a, b;
    for (const std::uint16_t x : values) {
      for (const std::uint16_t y : values) {
        a.push_back(x);
        b.push_back(y);
      }
    }
    const auto apply = [&](HalfFunction function) {
      std::vector<std::uint16_t> out(a.size());
      Stream stream;
      host::half_function(stream, function, bfloat16, static_cast<int>(a.size()), a.data(), b.data(), a.data(),
                          out.data());
      return out;
    };
    const std::vector<std::uint16_t> largest = apply(HalfFunction::Max);
    const std::vector<std::uint16_t> smallest = apply(HalfFunction::Min);
    const std::vector<std::uint16_t> with_nan = apply(HalfFunction::MaxNan);
    const auto key = [&](std::uint16_t word) { return 2 * number::ordinal(format, word) - (word == 0x8000 ? 1 : 0); };
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool a_nan = number::is_nan(format, a[i]);
      const bool b_nan = number::is_nan(format, b[i]);
      if (a_nan && b_nan) {
        EXPECT_EQ(largest[i], 0x7fff);
        EXPECT_EQ(smallest[i], 0x7fff);
      } else if (a_nan || b_nan) {
        EXPECT_EQ(largest[i], a_nan ? b[i] : a[i]);
        EXPECT_EQ(smallest[i], a_nan ? b[i] : a[i]);
      } else {
        EXPECT_EQ(largest[i], key(a[i]) > key(b[i]) ? a[i] : b[i]);
        EXPECT_EQ(smallest[i], key(a[i]) > key(b[i]) ? b[i] : a[i]);
      }
      EXPECT_EQ(with_nan[i], a_nan || b_nan ? 0x7fff : largest[i]);
    }
  }
}

}  // namespace
}  // namespace negzero_tests

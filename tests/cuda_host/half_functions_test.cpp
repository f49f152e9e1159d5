// Functions of 16-bit floats and pairs of them, and conversions from and to integers: every encoding, and the edges of
// integers, against negzero::number and wider arithmetic.

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>

#include "kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::base::Random;
namespace number = negzero::number;

const number::Format& format_of(bool bfloat16) {
  return number::format(bfloat16 ? number::FormatId::BF16 : number::FormatId::F16);
}

std::vector<std::uint16_t> all_encodings() {
  std::vector<std::uint16_t> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  return in;
}

/// In long double, so that it is not the host's own way.
long double exactly(UnaryHalf function, long double x) {
  switch (function) {
    case UnaryHalf::exp:
      return std::exp(x);
    case UnaryHalf::exp2:
      return std::exp2(x);
    case UnaryHalf::exp10:
      return std::pow(10.0L, x);
    case UnaryHalf::log:
      return std::log(x);
    case UnaryHalf::log2:
      return std::log2(x);
    case UnaryHalf::log10:
      return std::log10(x);
    case UnaryHalf::sin:
      return std::sin(x);
    case UnaryHalf::cos:
      return std::cos(x);
    case UnaryHalf::tanh:
      return std::tanh(x);
    case UnaryHalf::sqrt:
      return std::sqrt(x);
    case UnaryHalf::rsqrt:
      return 1 / std::sqrt(x);
    case UnaryHalf::rcp:
      return 1 / x;
    case UnaryHalf::ceil:
      return std::ceil(x);
    case UnaryHalf::floor:
      return std::floor(x);
    case UnaryHalf::trunc:
      return std::trunc(x);
    default:
      return std::nearbyint(x);
  }
}

TEST(HalfFunctions, AreCorrectlyRoundedOnEveryEncoding) {
  const std::vector<std::uint16_t> in = all_encodings();
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    for (int f = 0; f < static_cast<int>(UnaryHalf::Count); ++f) {
      std::vector<std::uint16_t> out(65536);
      Stream stream;
      host::half_unary(stream, static_cast<UnaryHalf>(f), bfloat16, 65536, in.data(), out.data());
      ASSERT_TRUE(stream.ok());
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double x = number::to_double(format, i);
        const long double exact = exactly(static_cast<UnaryHalf>(f), static_cast<long double>(x));
        if (std::isnan(x) || std::isnan(exact)) {
          ASSERT_EQ(out[i], 0x7fff) << f << " of " << x;
          continue;
        }
        // Round to odd in double first: then the second rounding is the only one that counts.
        auto once = static_cast<double>(exact);
        if (static_cast<long double>(once) != exact && std::isfinite(once) && once != 0) {
          if ((std::bit_cast<std::uint64_t>(once) & 1) == 0) {
            once = std::nextafter(once, static_cast<long double>(once) < exact ? INFINITY : -INFINITY);
          }
        }
        ASSERT_EQ(out[i], number::from_double(format, once)) << f << " of " << x << " is " << once;
      }
    }
  }
}

struct IntegerType {
  int number;
  int bits;
  bool is_signed;
};
constexpr IntegerType kTypes[] = {{0, 16, true},  {1, 16, false}, {2, 32, true},
                                  {3, 32, false}, {4, 64, true},  {5, 64, false}};

TEST(HalfFunctions, ToIntegersEveryEncodingSaturates) {
  const std::vector<std::uint16_t> in = all_encodings();
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    for (const IntegerType& type : kTypes) {
      const long double most = std::ldexp(1.0L, type.is_signed ? type.bits - 1 : type.bits) - 1;
      const long double least = type.is_signed ? -most - 1 : 0;
      for (int direction = 0; direction < 4; ++direction) {
        std::vector<unsigned long long> out(65536);
        Stream stream;
        host::half_to_integer(stream, type.number, direction, bfloat16, 65536, in.data(), out.data());
        for (std::size_t i = 0; i < in.size(); ++i) {
          const auto x = static_cast<long double>(number::to_double(format, i));
          if (std::isnan(x)) {
            ASSERT_EQ(out[i], type.bits == 64 ? 1ull << 63 : 0ull);
            continue;
          }
          long double y = direction == 0   ? std::nearbyint(x)
                          : direction == 1 ? std::trunc(x)
                          : direction == 2 ? std::floor(x)
                                           : std::ceil(x);
          y = std::min(std::max(y, least), most);
          const auto expected =
              y < 0 ? static_cast<unsigned long long>(static_cast<long long>(y)) : static_cast<unsigned long long>(y);
          ASSERT_EQ(out[i], expected) << static_cast<double>(x) << " to " << type.bits << " bits, direction "
                                      << direction;
        }
      }
    }
    std::vector<unsigned long long> out(65536);
    Stream stream;
    host::half_to_integer(stream, 6, 1, bfloat16, 65536, in.data(), out.data());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double x = number::to_double(format, i);
      ASSERT_EQ(out[i], std::isnan(x) || x < 0 ? 0 : x >= 255 ? 255 : static_cast<unsigned long long>(x)) << x;
    }
  }
}

TEST(HalfFunctions, FromIntegersRoundsOnceInEveryDirection) {
  std::vector<unsigned long long> in;
  Random random(11);
  for (int bit = 0; bit < 64; ++bit) {
    // A power of two, and ties and their neighbours at both precisions, of both signs.
    for (const int below : {0, 8, 9, 11, 12}) {
      const unsigned long long x = 1ull << bit | (bit >= below ? 1ull << (bit - below) : 0);
      for (const long long delta : {-1, 0, 1}) {
        in.push_back(x + static_cast<unsigned long long>(delta));
        in.push_back(-(x + static_cast<unsigned long long>(delta)));
      }
    }
    for (int i = 0; i < 20; ++i) in.push_back(random.next() >> bit);
  }
  for (const unsigned long long x : {65503ull, 65504ull, 65519ull, 65520ull, 65535ull, 65536ull}) {
    in.push_back(x);
    in.push_back(-x);
  }
  const number::Rounding roundings[] = {number::Rounding::NearestEven, number::Rounding::TowardZero,
                                        number::Rounding::Down, number::Rounding::Up};
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    for (const IntegerType& type : kTypes) {
      for (int direction = 0; direction < 4; ++direction) {
        std::vector<std::uint16_t> out(in.size());
        Stream stream;
        host::half_from_integer(stream, type.number, direction, bfloat16, static_cast<int>(in.size()), in.data(),
                                out.data());
        for (std::size_t i = 0; i < in.size(); ++i) {
          unsigned long long magnitude = in[i];
          if (type.bits < 64) magnitude &= (1ull << type.bits) - 1;
          const bool negative = type.is_signed && (magnitude >> (type.bits - 1) & 1) != 0;
          if (negative) {
            magnitude = 0 - magnitude;
            if (type.bits < 64) magnitude &= (1ull << type.bits) - 1;
          }
          number::EncodeOptions options;
          options.rounding = roundings[direction];
          ASSERT_EQ(out[i], number::encode(format, negative, magnitude, 0, false, options))
              << in[i] << " as type " << type.number << " direction " << direction;
        }
      }
    }
  }
}

TEST(HalfFunctions, PairsWorkOnEachElement) {
  Random random(5);
  for (const bool bfloat16 : {false, true}) {
    const number::Format& format = format_of(bfloat16);
    const auto inf = static_cast<std::uint16_t>(number::infinity(format));
    const auto one = static_cast<std::uint16_t>(number::one(format));
    const std::vector<std::uint16_t> edges = {0,
                                              0x8000,
                                              1,
                                              0x8001,
                                              inf,
                                              static_cast<std::uint16_t>(inf | 0x8000),
                                              0x7fff,
                                              0xffff,
                                              one,
                                              static_cast<std::uint16_t>(one | 0x8000),
                                              static_cast<std::uint16_t>(one + 1)};
    std::vector<std::uint32_t> in;
    const auto any = [&]() -> std::uint32_t {
      return random.one_in(2) ? edges[random.below(edges.size())] : static_cast<std::uint32_t>(random.next() & 0xffff);
    };
    for (int i = 0; i < 3 * 30000; ++i) in.push_back(any() | any() << 16);
    std::vector<std::uint32_t> out(in.size() / 3 * kPairResults);
    Stream stream;
    host::half_pairs(stream, bfloat16, static_cast<int>(in.size() / 3), in.data(), out.data());
    ASSERT_TRUE(stream.ok());
    const auto single = [&](HalfFunction function, std::vector<std::uint16_t> a, std::vector<std::uint16_t> b,
                            std::vector<std::uint16_t> c) {
      std::vector<std::uint16_t> result(a.size());
      Stream other;
      host::half_function(other, function, bfloat16, static_cast<int>(a.size()), a.data(), b.data(), c.data(),
                          result.data());
      return result;
    };
    // The functions of one element are tested against exact arithmetic in half_test.cpp.
    std::vector<std::uint16_t> a, b, c;
    for (std::size_t i = 0; i < in.size(); i += 3) {
      for (const unsigned shift : {0u, 16u}) {
        a.push_back(static_cast<std::uint16_t>(in[i] >> shift));
        b.push_back(static_cast<std::uint16_t>(in[i + 1] >> shift));
        c.push_back(static_cast<std::uint16_t>(in[i + 2] >> shift));
      }
    }
    const std::array singles = {single(HalfFunction::Add, a, b, c), single(HalfFunction::Sub, a, b, c),
                                single(HalfFunction::Mul, a, b, c), single(HalfFunction::Div, a, b, c),
                                single(HalfFunction::Fma, a, b, c)};
    const auto saturated = [&](std::uint16_t x) -> std::uint16_t {
      const double value = number::to_double(format, x);
      return !(value > 0) ? 0 : value > 1 ? one : x;
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
      const unsigned* row = out.data() + i / 2 * kPairResults;
      const auto half = [&](unsigned k) { return static_cast<std::uint16_t>(row[k] >> (16 * (i % 2))); };
      const double x = number::to_double(format, a[i]);
      const double y = number::to_double(format, b[i]);
      for (unsigned k = 0; k < 5; ++k) ASSERT_EQ(half(k), singles[k][i]) << k << " of " << x << ' ' << y;
      for (const auto& [k, of] : {std::pair{5u, 0u}, {6u, 1u}, {7u, 2u}, {8u, 4u}}) {
        ASSERT_EQ(half(k), saturated(singles[of][i])) << k << " of " << x << ' ' << y;
      }
      const std::uint16_t fused = singles[4][i];
      ASSERT_EQ(half(9), number::is_nan(format, fused) ? 0x7fff : (fused & 0x8000) != 0 ? 0 : fused);
      const bool unordered = std::isnan(x) || std::isnan(y);
      if (unordered) {
        ASSERT_EQ(half(10), 0x7fff);
        ASSERT_EQ(half(11), 0x7fff);
      }
      ASSERT_EQ(half(12), std::isnan(x) ? 0x7fff : a[i] & 0x7fff);
      ASSERT_EQ(half(13), std::isnan(x) ? 0x7fff : a[i] ^ 0x8000);
      ASSERT_EQ(half(14), std::isnan(x) ? one : 0);
      ASSERT_EQ(half(15), unordered ? 0 : one);
      ASSERT_EQ(half(16), x < y ? 0xffff : 0);
      ASSERT_EQ(half(17), x <= y || unordered ? 0xffff : 0);
      const std::uint16_t other = a[i ^ 1];
      ASSERT_EQ(half(19), other);
      if (i % 2 == 1) {
        const double u = number::to_double(format, a[i - 1]);
        const double v = number::to_double(format, b[i - 1]);
        const bool any_nan = unordered || std::isnan(u) || std::isnan(v);
        const bool equal = u == v && x == y;
        const bool differ = u != v && x != y && !any_nan;
        ASSERT_EQ(row[18] & 1, equal ? 1u : 0u);
        ASSERT_EQ(row[18] & 2, differ ? 2u : 0u);
        ASSERT_EQ(row[18] & 4, u > v && x > y ? 4u : 0u);
        ASSERT_EQ(row[18] & 8, !(u < v) && !(x < y) ? 8u : 0u);
        ASSERT_EQ(row[18] & 16, equal ? 16u : 0u);
        ASSERT_EQ(row[18] & 32, u != v && x != y ? 32u : 0u);  // unlike ! of the one above
        ASSERT_EQ(row[18] & 64, u < v && x < y ? 64u : 0u);
      }
    }
  }
}

}  // namespace
}  // namespace negzero_tests

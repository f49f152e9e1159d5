// Operands for tests of sums: encodings of adversarial kinds, taken apart, and the methods compared on them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/exact/methods.hpp>
#include <negzero/exact/sum.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::exact {

inline bool operator==(const ProductSum& a, const ProductSum& b) {
  return a.positive == b.positive && a.negative == b.negative && a.nonzero == b.nonzero && a.lowest_bit == b.lowest_bit;
}

inline void PrintTo(const ProductSum& sum, std::ostream* out) {
  *out << "P " << sum.positive.to_string() << ", N " << sum.negative.to_string() << ", m " << sum.nonzero << ", g 2^"
       << sum.lowest_bit;
}

/// Two vectors of operands and the window of their products.
struct Operands {
  std::vector<std::int64_t> a_significand, b_significand;
  std::vector<std::int32_t> a_exponent, b_exponent;
  Window window;

  [[nodiscard]] Factors a() const { return {a_significand.data(), a_exponent.data(), a_significand.size()}; }
  [[nodiscard]] Factors b() const { return {b_significand.data(), b_exponent.data(), b_significand.size()}; }

  void add(std::int64_t x, int x_exponent, std::int64_t y, int y_exponent) {
    a_significand.push_back(x);
    a_exponent.push_back(x_exponent);
    b_significand.push_back(y);
    b_exponent.push_back(y_exponent);
  }
};

inline Operands take_apart(const number::Format& a_format, const std::vector<std::uint64_t>& a,
                           const number::Format& b_format, const std::vector<std::uint64_t>& b) {
  Operands operands;
  operands.a_significand.resize(a.size());
  operands.a_exponent.resize(a.size());
  operands.b_significand.resize(b.size());
  operands.b_exponent.resize(b.size());
  const Window a_window = take_apart(a_format, a, operands.a_significand.data(), operands.a_exponent.data());
  const Window b_window = take_apart(b_format, b, operands.b_significand.data(), operands.b_exponent.data());
  operands.window = product_window(a_window, b_window, a.size());
  return operands;
}

inline ProductSum sum_by(const Method& method, const Operands& operands) {
  // Results are written into what an earlier sum left, as callers reuse them.
  ProductSum result{Dyadic(7, 400) + Dyadic(1), Dyadic(-1), 99, -99};
  method.sum(operands.a(), operands.b(), operands.window, result);
  return result;
}

/// The same by factors that carry what prepare() writes; nothing where it refuses them.
inline std::optional<ProductSum> sum_prepared(const Method& method, const Operands& operands) {
  const std::size_t count = operands.a_significand.size();
  std::vector<double> values(2 * count);
  std::vector<std::int32_t> places(2 * count);
  Factors a = operands.a(), b = operands.b();
  if (!prepare(a, values.data(), places.data()) || !prepare(b, values.data() + count, places.data() + count)) return {};
  a.value = values.data();
  a.place = places.data();
  b.value = values.data() + count;
  b.place = places.data() + count;
  ProductSum result{Dyadic(7, 400) + Dyadic(1), Dyadic(-1), 99, -99};
  method.sum(a, b, operands.window, result);
  return result;
}

/// How many sums of which method were compared: a test that compared none has shown nothing.
struct Compared {
  std::size_t fixed128 = 0, ladder = 0, prepared = 0, bins = 0;
};

/// Holds every method that accepts the window, at every level of this machine, against the reference.
inline void expect_all_agree(const Operands& operands, Compared& compared) {
  const ProductSum reference = sum_by(multiprecision(), operands);
  for (const Level level : available_levels()) {
    SCOPED_TRACE(testing::Message() << "level " << static_cast<int>(level) << ", " << operands.a_significand.size()
                                    << " terms");
    if (fixed128(level).accepts(operands.window)) {
      ASSERT_EQ(sum_by(fixed128(level), operands), reference) << "fixed128";
      ++compared.fixed128;
    }
    if (ladder(level).accepts(operands.window)) {
      ASSERT_EQ(sum_by(ladder(level), operands), reference) << "ladder";
      ++compared.ladder;
      if (const auto sum = sum_prepared(ladder(level), operands)) {
        ASSERT_EQ(*sum, reference) << "ladder, prepared";
        ++compared.prepared;
      }
    }
    if (bins(level).accepts(operands.window)) {
      ASSERT_EQ(sum_by(bins(level), operands), reference) << "bins";
      ++compared.bins;
    }
  }
}

/// The largest significand of so many bits.
inline std::int64_t ones(int width) { return (std::int64_t{1} << width) - 1; }

/// Kinds of operands. Each asks for another way of going wrong.
enum class Kind {
  Bits,         ///< uniform bit patterns that are finite
  Subnormals,   ///< subnormal numbers and zeros
  Extremes,     ///< the largest and the smallest magnitudes
  HugeAndTiny,  ///< one largest number among the smallest ones
  SmallSpan,    ///< full significands within few exponents
  Sparse,       ///< mostly zeros
  Alternating,  ///< one magnitude, signs in turns
  Zeros,        ///< zeros of both signs
};
inline constexpr Kind kKinds[] = {Kind::Bits,      Kind::Subnormals, Kind::Extremes,    Kind::HugeAndTiny,
                                  Kind::SmallSpan, Kind::Sparse,     Kind::Alternating, Kind::Zeros};

inline std::uint64_t draw_finite(const number::Format& format, base::Random& random) {
  for (;;) {
    const std::uint64_t word = random.next() & format.word_mask();
    if (number::decode(format, word).is_finite()) return word;
  }
}

inline std::uint64_t draw_word(const number::Format& format, Kind kind, std::size_t i, std::size_t count,
                               base::Random& random) {
  const bool negative = random.one_in(2);
  const std::uint64_t fraction_mask = (std::uint64_t{1} << (format.fraction_bits + format.unused_bits)) - 1;
  switch (kind) {
    case Kind::Bits:
      break;
    case Kind::Subnormals:
      if (format.is_integer()) return random.below(16);
      return (random.next() & fraction_mask) | (negative ? format.sign_mask() : 0);
    case Kind::Extremes:
      if (random.one_in(2)) return number::max_finite(format, negative);
      return random.one_in(2) ? number::min_subnormal(format, negative) : number::max_subnormal(format, negative);
    case Kind::HugeAndTiny:
      return i == count / 2 ? number::max_finite(format, negative) : number::min_subnormal(format, negative);
    case Kind::SmallSpan:
      if (format.is_integer()) return random.next() & 0xffff;
      return (number::one(format, negative) & ~fraction_mask) | (random.next() & fraction_mask);
    case Kind::Sparse:
      if (!random.one_in(9)) return number::zero(format, negative && !format.is_integer());
      break;
    case Kind::Alternating:
      return number::max_finite(format, i % 2 != 0);
    case Kind::Zeros:
      return number::zero(format, negative && !format.is_integer());
  }
  return draw_finite(format, random);
}

inline std::vector<std::uint64_t> draw_words(const number::Format& format, Kind kind, std::size_t count,
                                             base::Random& random) {
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = draw_word(format, kind, i, count, random);
  return words;
}

}  // namespace negzero::exact

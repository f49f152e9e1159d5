// Decimal text reads back, has no digit too many, and hexadecimal text has every digit.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

using reference::Exact;
using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

/// A positive decimal as digits * 10^exponent.
struct Decimal {
  Integer digits;
  int exponent = 0;

  [[nodiscard]] Rational value() const {
    const Integer scale = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
    return exponent < 0 ? Rational(digits, scale) : Rational(digits * scale);
  }
};

Decimal parse(const std::string& text) {
  Decimal decimal;
  bool point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'e') {
      decimal.exponent += std::stoi(text.substr(i + 1));
      break;
    }
    if (text[i] == '.') {
      point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') throw std::invalid_argument(text);
    decimal.digits = decimal.digits * 10 + (text[i] - '0');
    decimal.exponent -= point ? 1 : 0;
  }
  return decimal;
}

/// `value` rounded half to even to one place less than `decimal`, which has at least two digits, has.
Decimal with_one_digit_less(const Rational& value, const Decimal& decimal) {
  const Integer floor = decimal.digits / 10;
  const Decimal low{floor, decimal.exponent + 1};
  const Decimal high{floor + 1, decimal.exponent + 1};
  const Rational to_low = value - low.value();
  const Rational to_high = high.value() - value;
  if (to_low == to_high) return floor % 2 == 0 ? low : high;
  return to_low < to_high ? low : high;
}

Rational rational(const Exact& exact) { return Rational(Integer(exact), Integer(reference::power(0))); }

/// The open interval of numbers nearer to a positive encoding than to any other.
struct Interval {
  Rational low, high;
  [[nodiscard]] bool holds(const Rational& x) const { return low < x && x < high; }
};

/// Requires a word whose magnitude's predecessor is `word - step`.
Interval around(FormatId id, std::uint64_t word, std::uint64_t step) {
  const Rational value = rational(reference::value_of(id, word).magnitude);
  const Rational below = rational(reference::value_of(id, word - step).magnitude);
  const reference::Value next = reference::value_of(id, word + step);
  const Rational above = next.kind >= Class::Infinity ? Rational(value + (value - below)) : rational(next.magnitude);
  return {(value + below) / 2, (value + above) / 2};
}

class Text : public testing::TestWithParam<FormatId> {};

TEST_P(Text, ReadsBackAndHasNoDigitTooMany) {
  const Format& f = format(GetParam());
  const std::uint64_t step = std::uint64_t{1} << f.unused_bits;
  std::size_t checked = 0;
  for (const std::uint64_t raw : reference::sample(GetParam(), 20'000, 14)) {
    const std::uint64_t word = raw & ~f.sign_mask() & ~(step - 1);
    const reference::Value value = reference::value_of(GetParam(), word);
    if (value.kind == Class::Zero || value.kind >= Class::Infinity) continue;
    const std::string text = to_decimal(f, word);
    ASSERT_EQ(to_decimal(f, word | f.sign_mask()), std::string("-").append(text));
    const Interval interval = around(GetParam(), word, step);
    const Decimal decimal = parse(text);
    ASSERT_TRUE(interval.holds(decimal.value())) << reference::hex(word) << " as " << text;

    if (text.find_first_of(".e") == std::string::npos) {
      ASSERT_EQ(decimal.value(), rational(value.magnitude)) << text << ": an integer is written exactly";
      continue;
    }
    if (decimal.digits < 10) continue;
    ++checked;
    const Decimal fewer = with_one_digit_less(rational(value.magnitude), decimal);
    ASSERT_FALSE(interval.holds(fewer.value())) << reference::hex(word) << " as " << text;
  }
  EXPECT_GT(checked, 50u);
}

INSTANTIATE_TEST_SUITE_P(Formats, Text,
                         testing::Values(FormatId::TF32, FormatId::F16, FormatId::BF16, FormatId::F8_E4M3,
                                         FormatId::F8_E5M2),
                         [](const auto& tested) { return reference::facts(tested.param).name; });

TEST(TextWide, ReadsBackByTheHost) {
  for (const std::uint64_t word : reference::sample(FormatId::F32, 50'000, 15)) {
    if (reference::value_of(FormatId::F32, word).kind >= Class::Infinity) continue;
    const float read = std::strtof(to_decimal(format(FormatId::F32), word).c_str(), nullptr);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(read), word);
  }
  for (const std::uint64_t word : reference::sample(FormatId::F64, 50'000, 16)) {
    if (reference::value_of(FormatId::F64, word).kind >= Class::Infinity) continue;
    const double read = std::strtod(to_decimal(format(FormatId::F64), word).c_str(), nullptr);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read), word);
  }
  for (const std::uint64_t word : reference::sample(FormatId::I32, 1'000, 17)) {
    ASSERT_EQ(static_cast<std::uint32_t>(std::stoi(to_decimal(format(FormatId::I32), word))), word);
  }
}

TEST(TextNamed, Specials) {
  for (const Format& f : all_formats()) {
    if (f.is_integer() || f.only_stores()) continue;
    EXPECT_EQ(to_decimal(f, zero(f)), "0");
    EXPECT_EQ(to_decimal(f, zero(f, true)), "-0");
    EXPECT_EQ(to_decimal(f, canonical_nan(f)), "nan");
    EXPECT_EQ(to_decimal(f, canonical_nan(f) | f.sign_mask()), "nan");
    EXPECT_EQ(to_decimal(f, one(f, true)), "-1");
    if (f.has_infinity) {
      EXPECT_EQ(to_decimal(f, infinity(f)), "inf");
      EXPECT_EQ(to_decimal(f, infinity(f, true)), "-inf");
    }
  }
  EXPECT_EQ(to_decimal(format(FormatId::F8_E4M3), 0x7e), "448");
  EXPECT_EQ(to_decimal(format(FormatId::F8_E4M3), 0x20), "0.125");
  EXPECT_EQ(to_decimal(format(FormatId::F8_E5M2), 0x7b), "57344");
  EXPECT_EQ(to_decimal(format(FormatId::BF16), 0x7f7f), "3.39e+38");
  EXPECT_EQ(to_decimal(format(FormatId::F16), 0x0001), "6e-08");
  EXPECT_EQ(to_decimal(format(FormatId::F16), 0x3555), "0.3333");
  EXPECT_EQ(to_decimal(format(FormatId::F32), 0x3dcccccd), "0.1");
  EXPECT_EQ(to_decimal(format(FormatId::I32), 0x80000000), "-2147483648");
}

TEST(TextSmall, EveryEncodingReadsBack) {
  for (const FormatId id : {FormatId::F4, FormatId::F6_E2M3, FormatId::F6_E3M2, FormatId::F8_E8M0}) {
    const Format& f = format(id);
    for (std::uint64_t word = 0; word <= f.word_mask(); ++word) {
      if (is_nan(f, word)) continue;
      const std::string text = to_decimal(f, word);
      EXPECT_EQ(from_double(f, std::strtod(text.c_str(), nullptr)), word) << f.name << " " << text;
      EXPECT_LE(text.size(), 7u) << text;
    }
  }
  EXPECT_EQ(to_decimal(format(FormatId::F4), 0xd), "-3");
  EXPECT_EQ(to_decimal(format(FormatId::F6_E3M2), 1), "0.0625");
  EXPECT_EQ(to_decimal(format(FormatId::F8_E8M0), 128), "2");
  EXPECT_EQ(to_decimal(format(FormatId::I4), 8), "-8");
  EXPECT_EQ(to_decimal(format(FormatId::U4), 8), "8");
}

TEST(TextNamed, HexHasEveryDigit) {
  EXPECT_EQ(to_hex(format(FormatId::U4), 10), "0xa");
  EXPECT_EQ(to_hex(format(FormatId::F6_E3M2), 0x3f), "0x3f");
  EXPECT_EQ(to_hex(format(FormatId::F64), 1), "0x0000000000000001");
  EXPECT_EQ(to_hex(format(FormatId::F32), 0x80000000), "0x80000000");
  EXPECT_EQ(to_hex(format(FormatId::TF32), 0x7fffe000), "0x7fffe000");
  EXPECT_EQ(to_hex(format(FormatId::F16), 0xabc), "0x0abc");
  EXPECT_EQ(to_hex(format(FormatId::F8_E4M3), 0x7f), "0x7f");
  EXPECT_EQ(to_hex(format(FormatId::I32), 0xffffffff), "0xffffffff");
}

}  // namespace
}  // namespace negzero::number

// What encodings mean: every one of up to 16 bits, and special, boundary and random ones of wider formats.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

using reference::Exact;
using reference::Value;

class Decode : public testing::TestWithParam<FormatId> {
 protected:
  const Format& format_ = format(GetParam());
  const std::vector<std::uint64_t> words_ = reference::sample(GetParam(), 50'000, 1);
};

/// The exact value of a finite double, by the host's frexp.
Exact exact(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return reference::scaled(significand, exponent - 53);
}

TEST_P(Decode, GivesKindSignAndExactValue) {
  std::size_t kinds[5] = {};
  for (const std::uint64_t word : words_) {
    const Value expected = reference::value_of(GetParam(), word);
    const Decoded observed = decode(format_, word);
    ASSERT_EQ(observed.kind, expected.kind) << reference::hex(word);
    ASSERT_EQ(observed.negative, expected.negative) << reference::hex(word);
    ASSERT_EQ(reference::scaled(observed.significand, observed.exponent), expected.magnitude) << reference::hex(word);
    ASSERT_EQ(observed.is_finite(), expected.kind != Class::Infinity && expected.kind != Class::Nan);
    ASSERT_EQ(classify(format_, word), expected.kind);
    ASSERT_EQ(is_nan(format_, word), expected.kind == Class::Nan) << reference::hex(word);
    ASSERT_EQ(is_infinity(format_, word), expected.kind == Class::Infinity) << reference::hex(word);
    ASSERT_EQ(is_zero(format_, word), expected.kind == Class::Zero) << reference::hex(word);
    ASSERT_EQ(is_negative(format_, word), expected.negative) << reference::hex(word);
    ++kinds[static_cast<int>(expected.kind)];
  }
  const bool integer = format_.is_integer();
  EXPECT_EQ(kinds[static_cast<int>(Class::Zero)] > 0, !format_.is_power());
  EXPECT_GT(kinds[static_cast<int>(Class::Normal)], 0u);
  EXPECT_EQ(kinds[static_cast<int>(Class::Subnormal)] > 0, !integer && !format_.is_power());
  EXPECT_EQ(kinds[static_cast<int>(Class::Nan)] > 0, format_.nan_codes != NanCodes::None);
  EXPECT_EQ(kinds[static_cast<int>(Class::Infinity)] > 0, format_.has_infinity);
}

TEST_P(Decode, KeepsTheWeightOfTheLastBit) {
  for (const std::uint64_t word : words_) {
    const Decoded observed = decode(format_, word);
    if (observed.kind == Class::Subnormal) {
      ASSERT_EQ(observed.exponent, format_.eta_exponent()) << reference::hex(word);
    } else if (observed.kind == Class::Normal && !format_.is_integer()) {
      ASSERT_EQ(observed.significand >> format_.fraction_bits, 1u) << reference::hex(word);
    }
  }
}

TEST_P(Decode, ToDoubleIsExact) {
  for (const std::uint64_t word : words_) {
    const Value expected = reference::value_of(GetParam(), word);
    const double observed = to_double(format_, word);
    ASSERT_EQ(std::isnan(observed), expected.kind == Class::Nan) << reference::hex(word);
    if (expected.kind == Class::Nan) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &observed, sizeof bits);
      ASSERT_EQ(bits >> 51 & 1, 1u) << "a signalling NaN from " << reference::hex(word);
      continue;
    }
    ASSERT_EQ(std::signbit(observed), expected.negative) << reference::hex(word);
    ASSERT_EQ(std::isinf(observed), expected.kind == Class::Infinity) << reference::hex(word);
    if (!std::isinf(observed)) {
      const reference::Exact error = abs(exact(observed) - expected.magnitude);
      const bool fits = format_.precision() <= 53;
      ASSERT_LE(fits ? error : error << 53, fits ? reference::Exact(0) : expected.magnitude) << reference::hex(word);
    }
  }
}

std::vector<FormatId> ids() {
  std::vector<FormatId> all;
  for (const reference::Facts& facts : reference::every_format()) all.push_back(facts.id);
  return all;
}

std::string name(const testing::TestParamInfo<FormatId>& tested) { return reference::facts(tested.param).name; }

INSTANTIATE_TEST_SUITE_P(Formats, Decode, testing::ValuesIn(ids()), name);

TEST(DecodeAnyWord, IgnoresBitsAboveTheWord) {
  for (const Format& f : all_formats()) {
    if (f.bits == 64) continue;  // No bits above.
    for (const std::uint64_t word : reference::sample(f.id, 5'000, 18)) {
      const std::uint64_t dirty = word | ~f.word_mask();
      ASSERT_EQ(decode(f, dirty), decode(f, word)) << reference::hex(word);
      ASSERT_EQ(next_up(f, dirty), next_up(f, word)) << reference::hex(word);
      ASSERT_EQ(next_down(f, dirty), next_down(f, word)) << reference::hex(word);
      ASSERT_EQ(to_decimal(f, dirty), to_decimal(f, word)) << reference::hex(word);
      ASSERT_EQ(to_hex(f, dirty), to_hex(f, word)) << reference::hex(word);
      ASSERT_EQ(is_zero(f, dirty), is_zero(f, word)) << reference::hex(word);
    }
  }
}

TEST(NamedEncodings, HaveTheDocumentedWords) {
  struct Row {
    FormatId id;
    std::uint64_t one, infinity, max_finite, min_normal, max_subnormal, min_subnormal, nan;
  };
  const Row rows[] = {
      {FormatId::F64, 0x3ff0000000000000, 0x7ff0000000000000, 0x7fefffffffffffff, 0x0010000000000000,
       0x000fffffffffffff, 1, 0x7ff8000000000000},
      {FormatId::F32, 0x3f800000, 0x7f800000, 0x7f7fffff, 0x00800000, 0x007fffff, 1, 0x7fffffff},
      {FormatId::TF32, 0x3f800000, 0x7f800000, 0x7f7fe000, 0x00800000, 0x007fe000, 0x2000, 0x7fffe000},
      {FormatId::F16, 0x3c00, 0x7c00, 0x7bff, 0x0400, 0x03ff, 1, 0x7fff},
      {FormatId::BF16, 0x3f80, 0x7f80, 0x7f7f, 0x0080, 0x007f, 1, 0x7fff},
      {FormatId::F8_E4M3, 0x38, 0x7e, 0x7e, 0x08, 0x07, 1, 0x7f},
      {FormatId::F8_E5M2, 0x3c, 0x7c, 0x7b, 0x04, 0x03, 1, 0x7f},
  };
  for (const Row& row : rows) {
    const Format& f = format(row.id);
    const std::uint64_t sign = std::uint64_t{1} << (f.bits - 1);
    EXPECT_EQ(zero(f), 0u) << f.name;
    EXPECT_EQ(zero(f, true), sign) << f.name;
    for (const bool negative : {false, true}) {
      const std::uint64_t s = negative ? sign : 0;
      EXPECT_EQ(one(f, negative), row.one | s) << f.name;
      EXPECT_EQ(infinity(f, negative), row.infinity | s) << f.name;
      EXPECT_EQ(max_finite(f, negative), row.max_finite | s) << f.name;
      EXPECT_EQ(min_normal(f, negative), row.min_normal | s) << f.name;
      EXPECT_EQ(max_subnormal(f, negative), row.max_subnormal | s) << f.name;
      EXPECT_EQ(min_subnormal(f, negative), row.min_subnormal | s) << f.name;
    }
    EXPECT_EQ(canonical_nan(f), row.nan) << f.name;
    EXPECT_EQ(reference::value_of(row.id, row.nan).kind, Class::Nan) << f.name;
  }
}

TEST(NamedEncodings, OfFormatsThatOnlyStore) {
  struct Row {
    FormatId id;
    std::uint64_t one, max_finite, min_normal, max_subnormal, min_subnormal, nan;
  };
  // OCP MX 1.0, tables 3 to 6.
  for (const Row& row :
       {Row{FormatId::F4, 2, 7, 2, 1, 1, 7}, Row{FormatId::F6_E2M3, 8, 0x1f, 8, 7, 1, 0x1f},
        Row{FormatId::F6_E3M2, 12, 0x1f, 4, 3, 1, 0x1f}, Row{FormatId::F8_E8M0, 127, 254, 0, 0, 0, 255}}) {
    const Format& f = format(row.id);
    EXPECT_TRUE(f.only_stores()) << f.name;
    EXPECT_EQ(zero(f), 0u) << f.name;
    EXPECT_EQ(one(f), row.one) << f.name;
    EXPECT_EQ(infinity(f), row.max_finite) << f.name;
    EXPECT_EQ(max_finite(f), row.max_finite) << f.name;
    EXPECT_EQ(max_finite(f, true), f.is_power() ? 0 : row.max_finite | f.sign_mask()) << f.name;
    EXPECT_EQ(min_normal(f), row.min_normal) << f.name;
    EXPECT_EQ(max_subnormal(f), row.max_subnormal) << f.name;
    EXPECT_EQ(min_subnormal(f), row.min_subnormal) << f.name;
    EXPECT_EQ(canonical_nan(f), row.nan) << f.name;
  }
  EXPECT_EQ(to_double(format(FormatId::F4), 7), 6.0);
  EXPECT_EQ(to_double(format(FormatId::F6_E2M3), 0x1f), 7.5);
  EXPECT_EQ(to_double(format(FormatId::F6_E3M2), 0x3f), -28.0);
  EXPECT_EQ(to_double(format(FormatId::F8_E8M0), 0), 0x1p-127);
  EXPECT_EQ(max_finite(format(FormatId::I4), true), 8u);
  EXPECT_EQ(max_finite(format(FormatId::U4)), 15u);
}

TEST(NamedEncodings, OfIntegers) {
  const Format& f = format(FormatId::I32);
  EXPECT_EQ(zero(f, true), 0u);
  EXPECT_EQ(one(f), 1u);
  EXPECT_EQ(one(f, true), 0xffffffffu);
  EXPECT_EQ(max_finite(f), 0x7fffffffu);
  EXPECT_EQ(max_finite(f, true), 0x80000000u);
  EXPECT_EQ(infinity(f), 0x7fffffffu);
  EXPECT_EQ(infinity(f, true), 0x80000000u);
  EXPECT_EQ(min_normal(f, true), 0xffffffffu);
  EXPECT_EQ(min_subnormal(f), 1u);
  EXPECT_EQ(max_subnormal(f, true), 0u);
  EXPECT_EQ(canonical_nan(f), 0u);
}

TEST(Tf32, DropsTheLowBitsBeforeAnythingElse) {
  const Format& f = format(FormatId::TF32);
  EXPECT_EQ(classify(f, 0x7f800001), Class::Infinity);
  EXPECT_EQ(classify(f, 0x00001fff), Class::Zero);
  EXPECT_EQ(to_double(f, 0x3f801fff), 1.0);
  EXPECT_EQ(ordinal(f, 0x80002001), -1);
  EXPECT_EQ(to_decimal(f, 0x3f801fff), "1");
  EXPECT_EQ(next_up(f, 0x3f801fff), 0x3f802000u);
}

}  // namespace
}  // namespace negzero::number

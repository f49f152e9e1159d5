// The table of formats against the standards and against the host's own types.

#include <limits>

#include <gtest/gtest.h>

#include <negzero/number/format.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

TEST(Format, TableMatchesTheStandards) {
  ASSERT_EQ(all_formats().size(), reference::every_format().size());
  for (const reference::Facts& facts : reference::every_format()) {
    const Format& f = format(facts.id);
    EXPECT_EQ(f.id, facts.id);
    EXPECT_EQ(f.name, facts.name);
    EXPECT_EQ(f.bits, facts.bits);
    EXPECT_EQ(f.exponent_bits, facts.exponent_bits);
    EXPECT_EQ(f.fraction_bits, facts.fraction_bits);
    EXPECT_EQ(f.unused_bits, facts.unused_bits);
    EXPECT_EQ(f.bias, facts.bias);
    EXPECT_EQ(f.has_infinity, facts.has_infinity);
    const int sign_bits = f.is_signed() ? 1 : 0, always_zero = f.id == FormatId::BOOL ? 7 : 0;
    EXPECT_EQ(f.bits, sign_bits + f.exponent_bits + f.fraction_bits + f.unused_bits + always_zero);
    EXPECT_EQ(f.is_signed(), !f.name.starts_with('U') && f.id != FormatId::BOOL && f.id != FormatId::F8_E8M0);
  }
}

template <typename T>
void expect_like(FormatId id) {
  using Limits = std::numeric_limits<T>;
  const Format& f = format(id);
  EXPECT_EQ(f.precision(), Limits::digits);
  EXPECT_EQ(f.unit_roundoff_exponent(), -Limits::digits);
  // numeric_limits counts significands in [1/2, 1), hence the ones.
  EXPECT_EQ(f.min_normal_exponent(), Limits::min_exponent - 1);
  EXPECT_EQ(f.max_exponent(), Limits::max_exponent - 1);
  EXPECT_EQ(f.eta_exponent(), Limits::min_exponent - Limits::digits);
}

TEST(Format, DerivedExponentsMatchTheHost) {
  expect_like<double>(FormatId::F64);
  expect_like<float>(FormatId::F32);
}

TEST(Format, DerivedExponentsOfNarrowFormats) {
  struct Row {
    FormatId id;
    int precision, min_normal, eta, max;
  };
  // OCP OFP8 1.0 table 1 for F8, OCP MX 1.0 for F4, F6 and F8_E8M0; the exponent range of F32 for BF16 and TF32.
  for (const Row& row :
       {Row{FormatId::F16, 11, -14, -24, 15}, Row{FormatId::BF16, 8, -126, -133, 127},
        Row{FormatId::TF32, 11, -126, -136, 127}, Row{FormatId::F8_E4M3, 4, -6, -9, 8},
        Row{FormatId::F8_E5M2, 3, -14, -16, 15}, Row{FormatId::I32, 31, 0, 0, 30}, Row{FormatId::I64, 63, 0, 0, 62},
        Row{FormatId::I16, 15, 0, 0, 14}, Row{FormatId::I8, 7, 0, 0, 6}, Row{FormatId::U32, 32, 0, 0, 31},
        Row{FormatId::U16, 16, 0, 0, 15}, Row{FormatId::U8, 8, 0, 0, 7}, Row{FormatId::BOOL, 1, 0, 0, 0},
        Row{FormatId::I4, 3, 0, 0, 2}, Row{FormatId::U4, 4, 0, 0, 3}, Row{FormatId::F4, 2, 0, -1, 2},
        Row{FormatId::F6_E2M3, 4, 0, -3, 2}, Row{FormatId::F6_E3M2, 3, -2, -4, 4},
        Row{FormatId::F8_E8M0, 1, -127, -127, 127}}) {
    const Format& f = format(row.id);
    EXPECT_EQ(f.precision(), row.precision) << f.name;
    EXPECT_EQ(f.min_normal_exponent(), row.min_normal) << f.name;
    EXPECT_EQ(f.eta_exponent(), row.eta) << f.name;
    EXPECT_EQ(f.max_exponent(), row.max) << f.name;
  }
}

TEST(Format, NamesParseExactly) {
  for (const Format& f : all_formats()) EXPECT_EQ(parse_format(f.name), f.id);
  for (const char* const wrong :
       {"", "f32", "F32 ", "F3", "F320", "F8", "F8_E4M3FN", "F3_X", "F4_E2M1", "F6", "I2", "U64"}) {
    EXPECT_EQ(parse_format(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace negzero::number

// Conversions between all pairs of formats: every encoding of up to 16 bits, boundaries and random ones of wider.

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

class Convert : public testing::TestWithParam<FormatId> {};

TEST_P(Convert, ToEveryFormat) {
  const Format& from = format(GetParam());
  const std::vector<std::uint64_t> words = reference::sample(GetParam(), 20'000, 6);
  const std::vector<EncodeOptions>& all_options = reference::every_options();
  for (const reference::Facts& target : reference::every_format()) {
    const Format& to = format(target.id);
    reference::Disagreements disagreements;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const reference::Value value = reference::value_of(GetParam(), words[i]);
      const reference::Place place = reference::locate(target.id, value.magnitude);
      // All options for 8-bit sources; wider ones take every third, a different set for each of three words.
      const std::size_t stride = from.bits == 8 ? 1 : 3;
      for (std::size_t o = i % stride; o < all_options.size(); o += stride) {
        const std::uint64_t expected = reference::converted(target.id, value, place, all_options[o]);
        const auto where = [&] {
          return std::string(from.name) + " " + reference::hex(words[i]) + " to " + target.name + " " +
                 reference::describe(all_options[o]);
        };
        disagreements.expect_equal(convert(from, words[i], to, all_options[o]), expected, where);
        if (from.id == FormatId::F64) {
          disagreements.expect_equal(from_double(to, std::bit_cast<double>(words[i]), all_options[o]), expected, where);
        }
      }
    }
  }
}

TEST_P(Convert, RoundTripThroughItselfAndThroughDouble) {
  const Format& f = format(GetParam());
  reference::Disagreements disagreements;
  for (const std::uint64_t raw : reference::sample(GetParam(), 100'000, 7)) {
    const std::uint64_t word = raw & ~((std::uint64_t{1} << f.unused_bits) - 1);
    if (f.id == FormatId::BOOL && word > 1) continue;  // none of its encodings
    const bool nan = reference::value_of(GetParam(), word).kind == Class::Nan;
    const std::uint64_t expected = nan ? canonical_nan(f) : word;
    const auto where = [&] { return std::string(f.name) + " " + reference::hex(word); };
    for (const Rounding rounding :
         {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up}) {
      const EncodeOptions options{rounding, Overflow::Ieee, false};
      disagreements.expect_equal(convert(f, word, f, options), expected, where);
      if (f.precision() <= 53) {
        disagreements.expect_equal(from_double(f, to_double(f, word), options), expected, where);
      }
      if (nan) continue;
      const Decoded number = decode(f, word);
      if (number.is_finite()) {
        disagreements.expect_equal(encode(f, number.negative, number.significand, number.exponent, false, options),
                                   expected, where);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Convert,
                         testing::Values(FormatId::F64, FormatId::F32, FormatId::TF32, FormatId::F16, FormatId::BF16,
                                         FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::I32, FormatId::I64,
                                         FormatId::I16, FormatId::I8, FormatId::U32, FormatId::U16, FormatId::U8,
                                         FormatId::BOOL, FormatId::I4, FormatId::U4, FormatId::F4, FormatId::F6_E2M3,
                                         FormatId::F6_E3M2, FormatId::F8_E8M0),
                         [](const auto& tested) { return reference::facts(tested.param).name; });

TEST(ConvertSpecials, AsDocumented) {
  const Format& f32 = format(FormatId::F32);
  const Format& e5m2 = format(FormatId::F8_E5M2);
  const Format& e4m3 = format(FormatId::F8_E4M3);
  const Format& i32 = format(FormatId::I32);
  const auto saturate = EncodeOptions{Rounding::NearestEven, Overflow::Saturate, false};
  EXPECT_EQ(convert(f32, 0xff800000, e5m2, {}), 0xfcu);
  EXPECT_EQ(convert(f32, 0xff800000, e5m2, saturate), 0xfbu);
  EXPECT_EQ(convert(f32, 0x7f800000, e4m3, {}), 0x7fu);
  EXPECT_EQ(convert(f32, 0x7f800000, e4m3, saturate), 0x7eu);
  EXPECT_EQ(convert(f32, 0xffc00001, e4m3, saturate), 0x7fu);
  EXPECT_EQ(convert(f32, 0x7fc00000, i32, {}), 0u);
  EXPECT_EQ(convert(f32, 0xff800000, i32, {}), 0x80000000u);
  EXPECT_EQ(convert(i32, 0x80000000, f32, {}), 0xcf000000u);
}

// Usable in constant expressions, as tables of the modules above may want.
static_assert(from_double(format(FormatId::F16), 1.5) == 0x3e00);
static_assert(to_double(format(FormatId::F8_E4M3), 0xfe) == -448.0);

}  // namespace
}  // namespace negzero::number

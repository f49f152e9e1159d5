// Rounding of any 64-bit significand at any exponent, with and without sticky, to every format under every option.

#include <algorithm>
#include <climits>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

using reference::Disagreements;
using reference::Exact;

struct Draw {
  std::uint64_t significand = 0;
  int exponent = 0;
};

std::string describe(const Format& f, const Draw& draw, bool negative, bool sticky, const EncodeOptions& options) {
  return std::string(f.name) + " " + (negative ? "-" : "+") + reference::hex(draw.significand) + " * 2^" +
         std::to_string(draw.exponent) + (sticky ? " sticky " : " ") + reference::describe(options);
}

/// Significands of every length whose bits below the format's last are zero, half, half +- 1 or random, at exponents
/// around the smallest subnormal, the smallest normal, one, and the overflow threshold.
Draw draw(const Format& f, std::mt19937_64& random) {
  const int length = 1 + static_cast<int>(random() % 64);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - length);
  std::uint64_t significand = random() & all;
  significand |= std::uint64_t{1} << (length - 1);
  const int around[] = {f.eta_exponent(), f.min_normal_exponent(), 0, f.max_exponent() + 1, 31};
  int top = around[random() % 5] + static_cast<int>(random() % 7) - 3;
  if (random() % 4 == 0) {
    const int low = f.eta_exponent() - 70;
    top = low + static_cast<int>(random() % static_cast<std::uint64_t>(f.max_exponent() + 80 - low));
  }
  const int exponent = top - length + 1;
  const int last = f.is_integer() ? 0 : std::max(top - f.fraction_bits, f.eta_exponent());
  const int drop = last - exponent;
  if (random() % 8 == 0) significand = all;
  if (drop > 0 && drop <= 64) {
    const std::uint64_t below = ~std::uint64_t{0} >> (64 - drop);
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    switch (random() % 6) {
      case 0:
        significand &= ~below;
        break;
      case 1:
        significand = (significand & ~below) | half;
        break;
      case 2:
        significand = (significand & ~below) | ((half + 1) & below);
        break;
      case 3:
        significand = (significand & ~below) | (half - 1);
        break;
      default:
        break;
    }
  }
  return {significand, exponent};
}

void compare(Disagreements& disagreements, const Format& f, const Draw& number, bool sticky, const Exact& exact) {
  const reference::Place place = reference::locate(f.id, exact);
  for (const EncodeOptions& options : reference::every_options()) {
    for (const bool negative : {false, true}) {
      disagreements.expect_equal(encode(f, negative, number.significand, number.exponent, sticky, options),
                                 reference::resolve(f.id, negative, place, options),
                                 [&] { return describe(f, number, negative, sticky, options); });
    }
  }
}

class Encode : public testing::TestWithParam<FormatId> {
 protected:
  const Format& format_ = format(GetParam());
};

TEST_P(Encode, RoundsDrawnNumbersOnce) {
  std::mt19937_64 random(3);
  Disagreements disagreements;
  for (int i = 0; i < 20'000; ++i) {
    const Draw number = draw(format_, random);
    compare(disagreements, format_, number, false, reference::scaled(number.significand, number.exponent));
  }
}

TEST_P(Encode, StickyStandsForAnythingBetweenTwoUnits) {
  std::mt19937_64 random(4);
  Disagreements disagreements;
  std::size_t decided_count = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Draw number = draw(format_, random);
    const Exact unit = reference::power(number.exponent);
    const Exact base = reference::scaled(number.significand, number.exponent);
    const bool long_enough = !format_.is_integer() && number.significand >> format_.precision() != 0;
    const bool decided =
        long_enough || number.exponent < format_.eta_exponent() - 1;  // Flushing looks one bit further.
    if (decided) {
      ++decided_count;
      for (const Exact& epsilon : {Exact(unit >> 40), Exact(unit >> 1), Exact(unit - (unit >> 40))}) {
        compare(disagreements, format_, number, true, base + epsilon);
      }
    } else if (number.exponent <= 70) {
      // Below every half step of the result, for each format: a significand has at most 64 bits.
      compare(disagreements, format_, number, true, base + (unit >> 75));
    }
  }
  EXPECT_GT(decided_count, 1'000u);
}

TEST_P(Encode, ZeroSignificand) {
  Disagreements disagreements;
  for (const int exponent : {INT_MIN, -2000, -1, 0, 1, 2000, INT_MAX}) {
    compare(disagreements, format_, {0, exponent}, false, Exact(0));
    compare(disagreements, format_, {0, exponent}, true, Exact(1));
  }
}

TEST_P(Encode, ExponentsAtTheEndsOfInt) {
  Disagreements disagreements;
  for (const std::uint64_t significand : {std::uint64_t{1}, std::uint64_t{3}, ~std::uint64_t{0}}) {
    for (const bool sticky : {false, true}) {
      for (const int exponent : {INT_MIN, INT_MIN + 1, INT_MIN + 70, -100'000}) {
        compare(disagreements, format_, {significand, exponent}, sticky, Exact(1));
      }
    }
    for (const int exponent : {INT_MAX, INT_MAX - 63, INT_MAX - 64, 100'000}) {
      // 2^1100 exceeds every format, and is a multiple of 2^32 like any larger power of two.
      compare(disagreements, format_, {significand, exponent}, false, reference::power(1100));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Encode,
                         testing::Values(FormatId::F64, FormatId::F32, FormatId::TF32, FormatId::F16, FormatId::BF16,
                                         FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::I32, FormatId::I64,
                                         FormatId::I16, FormatId::I8, FormatId::U32, FormatId::U16, FormatId::U8,
                                         FormatId::BOOL, FormatId::I4, FormatId::U4, FormatId::F4, FormatId::F6_E2M3,
                                         FormatId::F6_E3M2, FormatId::F8_E8M0),
                         [](const auto& tested) { return reference::facts(tested.param).name; });

TEST(EncodeDirected, StickyNeedsOnlyTheBitsOfTheFormat) {
  for (const Format& f : all_formats()) {
    if (f.is_integer()) continue;  // Said of floating-point formats.
    std::mt19937_64 random(5);
    Disagreements disagreements;
    for (int i = 0; i < 10'000; ++i) {
      Draw number = draw(f, random);
      // Exactly p bits, or a last bit that weighs eta.
      number.significand = (random() >> (64 - f.precision())) | (std::uint64_t{1} << (f.precision() - 1));
      if (i % 2 == 0) number = {number.significand >> random() % 64, f.eta_exponent()};
      const Exact unit = reference::power(number.exponent);
      for (const Exact& epsilon : {Exact(unit >> 40), Exact(unit >> 1), Exact(unit - (unit >> 40))}) {
        const Exact exact = reference::scaled(number.significand, number.exponent) + epsilon;
        const reference::Place place = reference::locate(f.id, exact);
        for (const Rounding rounding : {Rounding::TowardZero, Rounding::Down, Rounding::Up}) {
          const EncodeOptions options{rounding, Overflow::Ieee, false};
          for (const bool negative : {false, true}) {
            disagreements.expect_equal(encode(f, negative, number.significand, number.exponent, true, options),
                                       reference::resolve(f.id, negative, place, options),
                                       [&] { return describe(f, number, negative, true, options); });
          }
        }
      }
    }
  }
}

/// A finite magnitude of a narrow format as an integer of units of 2^unit.
std::uint64_t integer_of(FormatId id, std::uint64_t word, int unit) {
  return static_cast<std::uint64_t>(Exact(reference::value_of(id, word).magnitude >> (unit + reference::kPoint)));
}

TEST(EncodeNarrow, EveryMidpointAndItsSurroundings) {
  for (const FormatId id : {FormatId::F16, FormatId::BF16, FormatId::F8_E4M3, FormatId::F8_E5M2}) {
    const Format& f = format(id);
    Disagreements disagreements;
    const auto codes = static_cast<std::uint64_t>(reference::facts(id).finite_codes);
    for (std::uint64_t code = 0; code < codes; ++code) {
      const reference::Value value = reference::value_of(id, code);
      // The step above a magnitude is that of its binade: eta, doubled once for each exponent field above 1.
      const std::uint64_t field = code >> f.fraction_bits;
      const int step = f.eta_exponent() + static_cast<int>(field > 1 ? field - 1 : 0);
      const std::uint64_t steps = integer_of(id, code, step);
      for (const std::uint64_t eighth : {1u, 4u, 5u, 6u, 7u}) {
        const Draw number{steps * 8 + eighth, step - 3};
        const Exact exact = value.magnitude + eighth * reference::power(step - 3);
        const reference::Place place = reference::locate(id, exact);
        for (const Rounding rounding :
             {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up}) {
          for (const bool flushes : {false, true}) {
            const EncodeOptions options{rounding, Overflow::Ieee, flushes};
            for (const bool negative : {false, true}) {
              disagreements.expect_equal(encode(f, negative, number.significand, number.exponent, false, options),
                                         reference::resolve(id, negative, place, options),
                                         [&] { return describe(f, number, negative, false, options); });
            }
          }
        }
      }
    }
  }
}

TEST(EncodeNamed, DocumentedBoundaries) {
  const Format& e4m3 = format(FormatId::F8_E4M3);
  const auto to_e4m3 = [&](std::uint64_t value, Rounding rounding, Overflow overflow) {
    return encode(e4m3, false, value, 0, false, {rounding, overflow, false});
  };
  // 464 is half way between 448 and the 480 that OFP8 gave to NaN; 448 is even.
  EXPECT_EQ(to_e4m3(464, Rounding::NearestEven, Overflow::Ieee), 0x7eu);
  EXPECT_EQ(to_e4m3(465, Rounding::NearestEven, Overflow::Ieee), 0x7fu);
  EXPECT_EQ(to_e4m3(465, Rounding::NearestEven, Overflow::Saturate), 0x7eu);
  EXPECT_EQ(to_e4m3(465, Rounding::NearestEven, Overflow::Infinity), 0x7fu);
  EXPECT_EQ(to_e4m3(1'000'000, Rounding::TowardZero, Overflow::Ieee), 0x7eu);
  EXPECT_EQ(to_e4m3(1'000'000, Rounding::TowardZero, Overflow::Nan), 0x7fu);

  const Format& f16 = format(FormatId::F16);
  EXPECT_EQ(encode(f16, false, 65519, 0, true, {}), 0x7bffu);
  EXPECT_EQ(encode(f16, false, 65520, 0, false, {}), 0x7c00u);
  // eta / 2 exactly is a tie to zero; anything above it is eta.
  EXPECT_EQ(encode(f16, false, 1, -25, false, {}), 0u);
  EXPECT_EQ(encode(f16, true, 1, -25, true, {}), 0x8001u);
  // A tiny result that rounds to the smallest normal number is not flushed.
  const EncodeOptions flush{Rounding::NearestEven, Overflow::Ieee, true};
  EXPECT_EQ(encode(f16, false, 4095, -26, false, flush), 0x0400u);
  EXPECT_EQ(encode(f16, true, 1023, -24, false, flush), 0x8000u);

  // Seen on an H200, mul.rn.ftz.f32 and fma.rn.ftz.f32: (2^24 - 1 + f) 2^-150 is flushed below f = 1/2, though the
  // subnormals' grid would round it up as well.
  const Format& f32 = format(FormatId::F32);
  const std::uint64_t quarters = ((std::uint64_t{1} << 24) - 1) * 4;
  EXPECT_EQ(encode(f32, false, quarters, -152, false, {}), 0x00800000u);
  EXPECT_EQ(encode(f32, false, quarters, -152, false, flush), 0u);
  EXPECT_EQ(encode(f32, false, quarters + 1, -152, true, flush), 0u);
  EXPECT_EQ(encode(f32, false, quarters + 2, -152, false, flush), 0x00800000u);
  EXPECT_EQ(encode(f32, true, quarters + 3, -152, false, flush), 0x80800000u);
  EXPECT_EQ(encode(f32, true, quarters, -152, false, {Rounding::Down, Overflow::Ieee, true}), 0x80000000u);
  EXPECT_EQ(encode(f32, true, quarters, -152, true, {Rounding::Down, Overflow::Ieee, true}), 0x80800000u);

  const Format& i32 = format(FormatId::I32);
  EXPECT_EQ(encode(i32, false, 5, -1, false, {}), 2u);
  EXPECT_EQ(encode(i32, true, 5, -1, false, {Rounding::NearestAway, Overflow::Ieee, false}), 0xfffffffdu);
  EXPECT_EQ(encode(i32, false, std::uint64_t{1} << 31, 0, false, {}), 0x80000000u);
  EXPECT_EQ(encode(i32, false, (std::uint64_t{1} << 32) + 7, 0, false, {}), 7u);
  const Format& i64 = format(FormatId::I64);
  EXPECT_EQ(encode(i64, true, 1, 0, false, {}), ~std::uint64_t{0});
  EXPECT_EQ(encode(i64, false, 1, 63, false, {Rounding::NearestEven, Overflow::Saturate, false}),
            ~std::uint64_t{0} / 2);
  EXPECT_EQ(encode(i64, true, 1, 63, false, {Rounding::NearestEven, Overflow::Saturate, false}),
            std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace negzero::number

// Against the conversions of the host's hardware and compiler, under every rounding mode that the host has.

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

using reference::Disagreements;

struct HostMode {
  int host;
  Rounding rounding;
};
constexpr HostMode kHostModes[] = {{FE_TONEAREST, Rounding::NearestEven},
                                   {FE_TOWARDZERO, Rounding::TowardZero},
                                   {FE_DOWNWARD, Rounding::Down},
                                   {FE_UPWARD, Rounding::Up}};

/// Sets the host's rounding mode for the life of the object.
class ScopedRounding {
 public:
  explicit ScopedRounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~ScopedRounding() { std::fesetround(before_); }
  ScopedRounding(const ScopedRounding&) = delete;
  ScopedRounding& operator=(const ScopedRounding&) = delete;

 private:
  int before_;
};

/// Doubles whose exponents cover a format of `low` to `high`, half of them with few significand bits below the 24th.
double draw(std::mt19937_64& random, int low, int high) {
  const std::uint64_t exponent =
      static_cast<std::uint64_t>(1023 + low) + random() % static_cast<std::uint64_t>(high - low);
  std::uint64_t fraction = random() >> 12;
  if (random() % 2 == 0) fraction &= ~std::uint64_t{0} << (20 + random() % 30);
  return std::bit_cast<double>((random() >> 63 << 63) | exponent << 52 | (fraction & ((std::uint64_t{1} << 52) - 1)));
}

TEST(Host, DoubleToFloat) {
  std::mt19937_64 random(8);
  Disagreements disagreements;
  const Format& f32 = format(FormatId::F32);
  for (const HostMode& mode : kHostModes) {
    for (int i = 0; i < 200'000; ++i) {
      const double value = draw(random, -155, 132);
      volatile double source = value;
      volatile float target = 0;
      {
        const ScopedRounding scoped(mode.host);
        target = static_cast<float>(source);
      }
      const float rounded = target;
      disagreements.expect_equal(
          from_double(f32, value, {mode.rounding, Overflow::Ieee, false}), std::bit_cast<std::uint32_t>(rounded),
          [&] { return reference::hex(std::bit_cast<std::uint64_t>(value)) + " mode " + std::to_string(mode.host); });
    }
  }
}

TEST(Host, SixtyFourBitSignificandToDoubleAndFloat) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is too short here";
  std::mt19937_64 random(9);
  Disagreements disagreements;
  for (const HostMode& mode : kHostModes) {
    for (int i = 0; i < 200'000; ++i) {
      std::uint64_t significand = random() >> random() % 64;
      if (random() % 2 == 0) significand &= ~std::uint64_t{0} << random() % 64;
      const bool narrow = random() % 2 == 0;
      const int exponent = narrow ? -220 + static_cast<int>(random() % 360) : -1150 + static_cast<int>(random() % 2200);
      const bool negative = random() % 2 == 0;
      volatile long double source = std::ldexp(static_cast<long double>(significand), exponent);
      if (negative) source = -source;
      volatile double wide = 0;
      volatile float single = 0;
      {
        const ScopedRounding scoped(mode.host);
        wide = static_cast<double>(source);
        single = static_cast<float>(source);
      }
      const double as_double = wide;
      const float as_float = single;
      const EncodeOptions options{mode.rounding, Overflow::Ieee, false};
      const auto where = [&] {
        return std::string(negative ? "-" : "+").append(reference::hex(significand)) + " * 2^" +
               std::to_string(exponent) + " mode " + std::to_string(mode.host);
      };
      disagreements.expect_equal(encode(format(FormatId::F64), negative, significand, exponent, false, options),
                                 std::bit_cast<std::uint64_t>(as_double), where);
      disagreements.expect_equal(encode(format(FormatId::F32), negative, significand, exponent, false, options),
                                 std::bit_cast<std::uint32_t>(as_float), where);
    }
  }
}

TEST(Host, NearbyIntToI32) {
  std::mt19937_64 random(10);
  Disagreements disagreements;
  for (const HostMode& mode : kHostModes) {
    for (int i = 0; i < 200'000; ++i) {
      const double value = draw(random, -3, 34);
      volatile double source = value;
      volatile double target = 0;
      {
        const ScopedRounding scoped(mode.host);
        target = std::nearbyint(source);
      }
      const auto whole = static_cast<std::int64_t>(target);
      const auto saturated = static_cast<std::int32_t>(std::clamp<std::int64_t>(whole, INT32_MIN, INT32_MAX));
      const auto where = [&] {
        return reference::hex(std::bit_cast<std::uint64_t>(value)) + " mode " + std::to_string(mode.host);
      };
      const Format& i32 = format(FormatId::I32);
      disagreements.expect_equal(from_double(i32, value, {mode.rounding, Overflow::Saturate, false}),
                                 static_cast<std::uint32_t>(saturated), where);
      disagreements.expect_equal(from_double(i32, value, {mode.rounding, Overflow::Ieee, false}),
                                 static_cast<std::uint32_t>(whole), where);
    }
  }
}

TEST(Host, ToDoubleOfEveryExponentOfFloat) {
  Disagreements disagreements;
  for (const std::uint64_t word : reference::sample(FormatId::F32, 200'000, 11)) {
    volatile float source = std::bit_cast<float>(static_cast<std::uint32_t>(word));
    const double widened = source;
    if (std::isnan(widened)) continue;
    disagreements.expect_equal(std::bit_cast<std::uint64_t>(to_double(format(FormatId::F32), word)),
                               std::bit_cast<std::uint64_t>(widened), [&] { return reference::hex(word); });
  }
}

TEST(Host, ResultsDoNotDependOnTheRoundingModeOfTheHost) {
  std::mt19937_64 random(12);
  Disagreements disagreements;
  for (int i = 0; i < 50'000; ++i) {
    const double value = draw(random, -30, 20);
    const std::uint64_t expected = from_double(format(FormatId::F16), value);
    const ScopedRounding scoped(kHostModes[1 + i % 3].host);
    volatile double source = value;
    disagreements.expect_equal(from_double(format(FormatId::F16), source), expected,
                               [&] { return reference::hex(std::bit_cast<std::uint64_t>(value)); });
  }
}

#if defined(__FLT16_MANT_DIG__) && !defined(__clang__)
TEST(Host, CompilerHalf) {
  std::mt19937_64 random(13);
  Disagreements disagreements;
  const Format& f16 = format(FormatId::F16);
  for (int i = 0; i < 500'000; ++i) {
    const double value = draw(random, -30, 20);
    const auto half = static_cast<_Float16>(value);
    disagreements.expect_equal(from_double(f16, value), std::bit_cast<std::uint16_t>(half),
                               [&] { return reference::hex(std::bit_cast<std::uint64_t>(value)); });
  }
  for (std::uint64_t word = 0; word < 0x10000; ++word) {
    const auto widened = static_cast<double>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(word)));
    if (std::isnan(widened)) continue;
    disagreements.expect_equal(std::bit_cast<std::uint64_t>(to_double(f16, word)),
                               std::bit_cast<std::uint64_t>(widened), [&] { return reference::hex(word); });
  }
}
#endif

}  // namespace
}  // namespace negzero::number

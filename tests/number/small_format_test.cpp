// Formats that no hardware has: the description alone decides, so that the oracle's rules can be enumerated on them.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

// The id is that of no small format on purpose: nothing may look at it.
constexpr Format kThreeBits{FormatId::F64, "E3M2", 6, 3, 2, 0, 3, true, NanCodes::Ieee};
constexpr Format kTwoBits{FormatId::F32, "E4M1", 6, 4, 1, 0, 7, true, NanCodes::Ieee};
constexpr Format kUnused{FormatId::F64, "E3M3x2", 9, 3, 3, 2, 3, true, NanCodes::Ieee};
constexpr Format kFinite{FormatId::F64, "E2M1", 4, 2, 1, 0, 1, false, NanCodes::None};

/// Every finite magnitude by its textbook formula, then the first that is too large; exact in double.
std::vector<double> magnitudes(const Format& f) {
  std::vector<double> all;
  const int fields = (1 << f.exponent_bits) - (f.nan_codes == NanCodes::Ieee ? 1 : 0);
  for (int field = 0; field < fields; ++field) {
    for (int fraction = 0; fraction < 1 << f.fraction_bits; ++fraction) {
      const double significand = std::ldexp(fraction, -f.fraction_bits) + (field == 0 ? 0.0 : 1.0);
      all.push_back(std::ldexp(significand, (field == 0 ? 1 : field) - f.bias));
    }
  }
  all.push_back(std::ldexp(1.0, fields - f.bias));
  return all;
}

std::uint64_t expected_code(const Format& f, const std::vector<double>& all, double x, bool negative, Rounding mode) {
  std::size_t low = 0;
  while (low + 1 < all.size() && all[low + 1] <= x) ++low;
  const std::size_t end = all.size() - 1;
  std::size_t code = low;
  if (low < end && all[low] < x) {
    const double below = x - all[low];
    const double above = all[low + 1] - x;
    const bool up = mode == Rounding::Up     ? !negative
                    : mode == Rounding::Down ? negative
                    : mode == Rounding::TowardZero
                        ? false
                        : below > above || (below == above && (mode == Rounding::NearestAway || low % 2 == 1));
    code += up ? 1 : 0;
  }
  if (code < end) return code;
  const bool saturates = mode == Rounding::TowardZero || mode == (negative ? Rounding::Up : Rounding::Down);
  return saturates || f.nan_codes == NanCodes::None ? end - 1 : end;
}

TEST(SmallFormat, EveryNumberOnAFineGridUnderEveryMode) {
  for (const Format& f : {kThreeBits, kTwoBits, kUnused, kFinite}) {
    const std::vector<double> all = magnitudes(f);
    reference::Disagreements disagreements;
    const int unit = f.eta_exponent() - 3;
    const auto count = static_cast<std::uint64_t>(std::ldexp(all.back() * 1.25, -unit));
    for (std::uint64_t n = 1; n <= count; ++n) {
      const double x = std::ldexp(static_cast<double>(n), unit);
      for (const Rounding mode :
           {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up}) {
        for (const bool negative : {false, true}) {
          const std::uint64_t sign = negative ? std::uint64_t{1} << (f.bits - 1) : 0;
          const std::uint64_t expected = (expected_code(f, all, x, negative, mode) << f.unused_bits) | sign;
          const auto where = [&] { return std::string(f.name) + (negative ? " -" : " +") + std::to_string(x); };
          const EncodeOptions options{mode, Overflow::Ieee, false};
          disagreements.expect_equal(encode(f, negative, n, unit, false, options), expected, where);
          disagreements.expect_equal(from_double(f, negative ? -x : x, options), expected, where);
        }
      }
    }
  }
}

TEST(SmallFormat, DecodesAndStepsByTheDescription) {
  for (const Format& f : {kThreeBits, kTwoBits, kUnused, kFinite}) {
    const std::vector<double> all = magnitudes(f);
    for (std::size_t code = 0; code + 1 < all.size(); ++code) {
      const std::uint64_t word = code << f.unused_bits;
      EXPECT_EQ(to_double(f, word), all[code]) << f.name << " " << code;
      EXPECT_EQ(to_double(f, word | f.sign_mask()), -all[code]) << f.name << " " << code;
      EXPECT_EQ(ordinal(f, word), static_cast<std::int64_t>(code));
      EXPECT_FALSE(is_nan(f, word));
      EXPECT_EQ(std::strtod(to_decimal(f, one(f)).c_str(), nullptr), 1.0);
    }
    const std::uint64_t last = max_finite(f);
    EXPECT_EQ(to_double(f, last), all[all.size() - 2]) << f.name;
    EXPECT_EQ(next_up(f, last), f.has_infinity ? infinity(f) : last) << f.name;
  }
  EXPECT_EQ(to_double(kThreeBits, 0x1c), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(to_double(kThreeBits, 0x1d)));
  EXPECT_EQ(canonical_nan(kThreeBits), 0x1fu);
  EXPECT_EQ(canonical_nan(kUnused), 0xfcu);
}

}  // namespace
}  // namespace negzero::number

// Adds and rounds single numbers in integers of two words.

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <negzero/exact/wide.hpp>
#include <negzero/oracle/one_number.hpp>

namespace negzero::oracle {
namespace {

using exact::Wide;

constexpr int kMostBits = 62;
/// Bits that a sum of two shifted numbers may have: a carry and a sign are left.
constexpr int kMostSpan = 126;

int width_of(std::int64_t value) { return std::bit_width(static_cast<std::uint64_t>(std::abs(value))); }

/// The number sum * 2^exponent, rounded. The sum is not zero.
template <class Unsigned, class Signed>
std::optional<OneNumber> rounded(const number::Format& format, Signed sum, int exponent, int grid) noexcept {
  const auto width = [](Unsigned value) {
    if constexpr (sizeof value == sizeof(Wide)) return exact::bit_width(value);
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  };
  const bool negative = sum < 0;
  Unsigned magnitude = negative ? -static_cast<Unsigned>(sum) : static_cast<Unsigned>(sum);
  const int last = std::max(exponent + width(magnitude) - format.precision(), format.eta_exponent());
  if (const int drop = last - exponent; drop > 0) {
    if (drop >= static_cast<int>(sizeof magnitude) * 8 - 1) return std::nullopt;
    const Unsigned half = static_cast<Unsigned>(1) << (drop - 1), rest = magnitude & (2 * half - 1);
    magnitude >>= drop;
    magnitude += rest > half || (rest == half && (magnitude & 1) != 0) ? 1 : 0;
    if (magnitude == 0) return std::nullopt;
    exponent = last;
  }
  // (Not every format has all numbers of its highest exponent.)
  if (exponent + width(magnitude) > format.max_exponent()) return std::nullopt;
  const auto significand = static_cast<std::int64_t>(magnitude);
  return OneNumber{negative ? -significand : significand, exponent, std::max(grid, format.eta_exponent())};
}

}  // namespace

std::optional<OneNumber> OneNumber::of(const Set& set) {
  if (!set.finite || set.any_infinity() || set.nan || set.has_gaps() || set.low.is_zero() || set.low != set.high) {
    return std::nullopt;
  }
  std::uint64_t limb = 0;
  if (set.low.magnitude_limbs({&limb, 1}) != 1 || std::bit_width(limb) > kMostBits) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(limb);
  return OneNumber{set.low.sign() < 0 ? -magnitude : magnitude, set.low.exponent(), set.grid};
}

std::optional<OneNumber> OneNumber::product(std::int64_t a, int a_exponent, std::int64_t b, int b_exponent) {
  if (a == 0 || b == 0) return OneNumber{};
  if (width_of(a) + width_of(b) > kMostBits) return std::nullopt;
  const std::int64_t significand = a * b;
  const int exponent = a_exponent + b_exponent;
  return OneNumber{significand, exponent, exponent + std::countr_zero(static_cast<std::uint64_t>(significand))};
}

Set OneNumber::set() const { return Set::interval({significand, exponent}, {significand, exponent}, grid); }

bool rounds_plainly(const Arithmetic& arithmetic) noexcept {
  return arithmetic.rounding() == contract::AccumulateRounding::Nearest && !arithmetic.may_flush() &&
         !arithmetic.format().is_integer();
}

std::optional<OneNumber> rounded_sum(const number::Format& format, const OneNumber& x, const OneNumber& y) noexcept {
  const int grid = std::min(x.grid, y.grid);
  if (const int lowest = std::min(x.exponent, y.exponent), x_up = x.exponent - lowest, y_up = y.exponent - lowest;
      x_up < kMostBits && y_up < kMostBits && width_of(x.significand) + x_up <= kMostBits &&
      width_of(y.significand) + y_up <= kMostBits) {
    const std::int64_t sum = x.significand * (std::int64_t{1} << x_up) + y.significand * (std::int64_t{1} << y_up);
    if (sum == 0) return std::nullopt;
    return rounded<std::uint64_t>(format, sum, lowest, grid);
  }
  const bool x_is_above = y.significand == 0 || (x.significand != 0 && x.exponent + width_of(x.significand) >=
                                                                           y.exponent + width_of(y.significand));
  const OneNumber &above = x_is_above ? x : y, &below = x_is_above ? y : x;
  if (above.significand == 0) return std::nullopt;
  const int top = above.exponent + width_of(above.significand);
  __int128 sum = 0;
  int exponent = above.exponent;
  if (below.significand == 0) {
    sum = above.significand;
  } else if (exponent = std::min(above.exponent, below.exponent); top - exponent <= kMostSpan) {
    sum = (static_cast<__int128>(above.significand) << (above.exponent - exponent)) +
          (static_cast<__int128>(below.significand) << (below.exponent - exponent));
  } else {
    // 64 bits and one unit of the other's sign: it is smaller than that unit, and every number of the format, and the
    // middle between two, has at most 54 of these bits.
    exponent = top - exact::kLimbBits;
    sum = (static_cast<__int128>(above.significand) << (above.exponent - exponent)) + (below.significand < 0 ? -1 : 1);
  }
  if (sum == 0) return std::nullopt;
  return rounded<Wide>(format, sum, exponent, grid);
}

}  // namespace negzero::oracle

// Exact addition, multiplication and rounding on 128-bit integers.

#include "softfloat.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace negzero::oracle_cross {

namespace {

/// Position of the highest set bit. Requires a value that is not zero.
int top_bit(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<std::uint64_t>(value));
}

Number nan() {
  Number result;
  result.kind = Number::Kind::Nan;
  return result;
}

}  // namespace

Number make_number(std::int64_t significand, int exponent) {
  Number result;
  result.negative = significand < 0;
  result.significand = result.negative ? -static_cast<Wide>(significand) : static_cast<Wide>(significand);
  result.exponent = exponent;
  return result;
}

Number multiply(const Number& a, const Number& b) {
  using Kind = Number::Kind;
  if (a.kind == Kind::Nan || b.kind == Kind::Nan) return nan();
  Number result;
  result.negative = a.negative != b.negative;
  if (a.kind == Kind::Infinity || b.kind == Kind::Infinity) {
    if (a.is_zero() || b.is_zero()) return nan();
    result.kind = Kind::Infinity;
    return result;
  }
  assert((a.significand >> 64) == 0 && (b.significand >> 64) == 0);
  result.significand = a.significand * b.significand;
  result.exponent = a.exponent + b.exponent;
  return result;
}

Number add(const Number& a, const Number& b) {
  using Kind = Number::Kind;
  if (a.kind == Kind::Nan || b.kind == Kind::Nan) return nan();
  if (a.kind == Kind::Infinity || b.kind == Kind::Infinity) {
    if (a.kind == b.kind && a.negative != b.negative) return nan();
    return a.kind == Kind::Infinity ? a : b;
  }
  if (a.is_zero() && b.is_zero()) {
    Number result;
    result.free_sign = a.negative != b.negative || a.free_sign || b.free_sign;
    result.negative = a.negative && !result.free_sign;
    return result;
  }
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;

  // The larger magnitude's top bit goes to bit 124; what of the other falls below bit 0 is jammed into it. When the
  // tops are fewer than two binades apart nothing falls below, so cancellation is exact.
  const int a_top = top_bit(a.significand) + a.exponent;
  const int b_top = top_bit(b.significand) + b.exponent;
  const Number& large = a_top >= b_top ? a : b;
  const Number& small = a_top >= b_top ? b : a;
  const int unit = std::max(a_top, b_top) - 124;
  const Wide x = large.significand << (large.exponent - unit);
  Wide y = 0;
  if (small.exponent >= unit) {
    y = small.significand << (small.exponent - unit);
  } else {
    const int drop = unit - small.exponent;
    const Wide kept = drop < 128 ? small.significand >> drop : 0;
    const bool lost = drop >= 128 || (kept << drop) != small.significand;
    y = lost ? kept | 1 : kept;
  }
  Number result;
  result.exponent = unit;
  if (large.negative == small.negative) {
    result.negative = large.negative;
    result.significand = x + y;
  } else if (x == y) {
    result.free_sign = true;
  } else {
    result.negative = x > y ? large.negative : small.negative;
    result.significand = x > y ? x - y : y - x;
  }
  return result;
}

SmallFormat SmallFormat::ieee(int precision, int min_exponent, int max_exponent) {
  SmallFormat format{precision, min_exponent, 0, true};
  const auto binades = static_cast<Code>(max_exponent - min_exponent + 1);
  format.max_magnitude = ((binades + 1) << (precision - 1)) - 1;
  return format;
}

SmallFormat SmallFormat::raised() const {
  SmallFormat format = *this;
  constexpr int kMostBits = 24;
  if (precision <= kMostBits) format.max_magnitude += Code{64} << (precision - 1);
  return format;
}

Number SmallFormat::decode(Code code) const {
  if (code == kNan) return nan();
  Number result;
  result.negative = (code & kSignBit) != 0;
  const Code magnitude = code & ~kSignBit;
  if (magnitude > max_magnitude) {
    result.kind = Number::Kind::Infinity;
    return result;
  }
  const Code fraction = magnitude & (min_normal() - 1);
  const int binade = static_cast<int>(magnitude >> (precision - 1));
  result.significand = binade == 0 ? fraction : fraction | min_normal();
  result.exponent = eta_exponent() + (binade == 0 ? 0 : binade - 1);
  return result;
}

bool SmallFormat::is_subnormal(Code code) const {
  const Code magnitude = code & ~kSignBit;
  return magnitude != 0 && magnitude < min_normal();
}

void tidy(Codes& codes) {
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
}

void Rounder::overflow(bool negative, bool away, Codes& out) const {
  const Code sign = negative ? kSignBit : 0;
  const Code largest = format.max_magnitude | sign;
  const Code infinite = format.has_infinity ? format.infinity() | sign : kNan;
  switch (on_overflow) {
    case OnOverflow::Ieee:
      out.push_back(away ? infinite : largest);
      return;
    case OnOverflow::Saturate:
      out.push_back(largest);
      return;
    case OnOverflow::Nan:
      out.push_back(kNan);
      return;
    case OnOverflow::Either:
      out.insert(out.end(), {away ? infinite : largest, largest, kNan});
      return;
  }
}

void Rounder::round_magnitude(const Number& exact, bool gradual, Codes& out) const {
  const int eta = format.eta_exponent();
  const int natural = top_bit(exact.significand) + exact.exponent - format.precision + 1;
  const int unit = gradual ? std::max(natural, eta) : natural;
  Wide below = 0;
  bool inexact = false;
  int against_half = -1;  // sign of (exact - below) - unit / 2
  if (exact.exponent >= unit) {
    below = exact.significand << (exact.exponent - unit);
  } else {
    const int drop = unit - exact.exponent;
    below = drop < 128 ? exact.significand >> drop : 0;
    const Wide rest = drop < 128 ? exact.significand - (below << drop) : exact.significand;
    inexact = rest != 0;
    if (drop <= 128) {
      const Wide half = Wide{1} << (drop - 1);
      against_half = rest == half ? 0 : (rest > half ? 1 : -1);
    }
  }
  bool take_below = !inexact;
  bool take_above = false;
  if (inexact) {
    switch (mode) {
      case Mode::NearestEven:
        take_above = against_half > 0 || (against_half == 0 && (below & 1) != 0);
        break;
      case Mode::NearestAway:
        take_above = against_half >= 0;
        break;
      case Mode::TowardZero:
        break;
      case Mode::Down:
        take_above = exact.negative;
        break;
      case Mode::Up:
        take_above = !exact.negative;
        break;
      case Mode::Faithful:
        take_below = take_above = true;
        break;
    }
    if (!take_above) take_below = true;
  }
  const bool away =
      mode != Mode::TowardZero && (mode != Mode::Down || exact.negative) && (mode != Mode::Up || !exact.negative);
  const Code sign = exact.negative ? kSignBit : 0;
  for (const bool above : {false, true}) {
    if (above ? !take_above : !take_below) continue;
    const Wide count = below + (above ? 1 : 0);
    if (!gradual) {
      // Without a lower limit on the exponent: a result below the smallest normal number is flushed, one that rounds up
      // to it is not.
      const bool reaches_normal = unit + format.precision == format.min_exponent && (count >> format.precision) != 0;
      out.push_back((reaches_normal ? format.min_normal() : 0) | sign);
      continue;
    }
    const auto magnitude = (static_cast<Code>(unit - eta) << (format.precision - 1)) + static_cast<Code>(count);
    if (unit - eta < (1 << 20) && magnitude <= format.max_magnitude) {
      out.push_back(magnitude | sign);
      continue;
    }
    overflow(exact.negative, away, out);
    if (mode == Mode::Faithful) out.push_back(format.max_magnitude | sign);
  }
}

void Rounder::round(const Number& exact, Codes& out) const {
  if (exact.kind == Number::Kind::Nan) {
    out.push_back(kNan);
    return;
  }
  const Code sign = exact.negative ? kSignBit : 0;
  if (exact.kind == Number::Kind::Infinity) {
    if (on_overflow == OnOverflow::Saturate || on_overflow == OnOverflow::Either) {
      out.push_back(format.max_magnitude | sign);
    }
    if (on_overflow != OnOverflow::Saturate) out.push_back(format.has_infinity ? format.infinity() | sign : kNan);
    return;
  }
  if (exact.significand == 0) {
    const bool both = exact.free_sign && mode == Mode::Faithful;
    if (!exact.free_sign || both) out.push_back(sign);
    if (exact.free_sign) out.push_back(mode == Mode::Down || both ? kSignBit : 0);
    return;
  }
  const bool small = top_bit(exact.significand) + exact.exponent < format.min_exponent;
  if (!small || flush != Flush::Flush) round_magnitude(exact, true, out);
  if (small && flush != Flush::Keep) round_magnitude(exact, false, out);
}

Code Rounder::round(const Number& exact) const {
  Codes all;
  round(exact, all);
  assert(all.size() == 1);
  return all.front();
}

}  // namespace negzero::oracle_cross

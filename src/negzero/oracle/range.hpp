// What a computed value may be on its way through an accumulator: an interval, signs of zero, infinities, NaN.

#pragma once

#include <negzero/exact/dyadic.hpp>

namespace negzero::oracle {

/// The values that a computed quantity may take: the hull of the finite ones and flags for the rest.
///
/// Every rounding is monotone, so a hull survives a chain of operations by its ends alone.
struct Range {
  /// The granularity of zero: every power of two divides it.
  static constexpr int kNoGrid = 1 << 20;

  bool finite = false;        ///< whether [low, high] holds
  exact::Dyadic low, high;    ///< both included
  int granularity = kNoGrid;  ///< every number in the range is a multiple of 2^granularity
  bool plus_zero = false;     ///< which signs a zero may carry, where 0 lies in [low, high]
  bool minus_zero = false;
  bool plus_infinity = false, minus_infinity = false, nan = false;

  /// One number. A zero gets the signs given.
  [[nodiscard]] static Range value(const exact::Dyadic& number, bool plus_zero = true, bool minus_zero = false);
  [[nodiscard]] static Range interval(const exact::Dyadic& low, const exact::Dyadic& high, int granularity);
  [[nodiscard]] static Range only_nan();
  [[nodiscard]] static Range infinity(bool negative);

  [[nodiscard]] bool holds_zero() const { return finite && low.sign() <= 0 && high.sign() >= 0; }
  [[nodiscard]] bool any_infinity() const { return plus_infinity || minus_infinity; }
  [[nodiscard]] bool single() const {
    return finite ? low == high && !any_infinity() && !nan : plus_infinity + minus_infinity + nan == 1;
  }
  /// The hull of both.
  void join(const Range& other);
  /// Makes [low, high] hold the interval too; leaves the signs of zero alone.
  void join_interval(const exact::Dyadic& other_low, const exact::Dyadic& other_high, int other_granularity);
};

}  // namespace negzero::oracle

// Reads overflow off the sums of the terms of each sign.

#include <algorithm>

#include <negzero/oracle/overflow.hpp>

namespace negzero::oracle {

using exact::Dyadic;

Overflows overflows(const Sum& sum, const Arithmetic& arithmetic, const Prefix& terms, const Facts& facts,
                    const Leaves& leaves, bool no_rounding) {
  const std::uint64_t additions = sum.additions(terms, facts.nonzero);
  Dyadic p = reach(arithmetic, facts.positive, leaves.positive, no_rounding, additions);
  Dyadic n = reach(arithmetic, facts.negative, leaves.negative, no_rounding, additions);
  if (sum.is_compensated() && !no_rounding) {
    // A term is added together with the compensation of the step before, to which terms of both signs contribute.
    const Dyadic bound = compensated_bound(arithmetic, facts.magnitude(), leaves.all(), terms.size(), false);
    p = facts.positive + bound;
    n = facts.negative + bound;
  }
  Overflows result;
  result.plus = arithmetic.can_overflow(p);
  result.minus = arithmetic.can_overflow(n);
  if (arithmetic.max_finite() < p) result.above = p - arithmetic.max_finite();
  if (arithmetic.max_finite() < n) result.below = n - arithmetic.max_finite();
  return result;
}

void permit_overflow(const Arithmetic& arithmetic, const Overflows& over, Set& set) {
  if (!over.plus && !over.minus) return;
  if (!arithmetic.format().has_infinity) {
    set.nan = true;
    return;
  }
  set.plus_infinity |= over.plus;
  set.minus_infinity |= over.minus;
  set.nan |= over.plus && over.minus;
}

Set set_of(const Arithmetic& arithmetic, const Hull& hull, int grid) {
  Set set;
  const auto beyond = [&](bool negative) {
    if (!arithmetic.format().has_infinity) {
      set.nan = true;
    } else {
      (negative ? set.minus_infinity : set.plus_infinity) = true;
    }
  };
  if (hull.high.overflow && hull.high.value.sign() > 0) beyond(false);
  if (hull.low.overflow && hull.low.value.sign() < 0) beyond(true);
  const bool only_above = hull.low.overflow && hull.low.value.sign() > 0;
  const bool only_below = hull.high.overflow && hull.high.value.sign() < 0;
  if (!only_above && !only_below) set.join_interval(hull.low.value, hull.high.value, grid);
  return set;
}

}  // namespace negzero::oracle

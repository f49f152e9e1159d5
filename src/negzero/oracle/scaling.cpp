// The composed bound.

#include <algorithm>
#include <utility>

#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/scaling.hpp>
#include <negzero/oracle/sum_bound.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using exact::Dyadic;

namespace {

/// How far `magnitude` exceeds the largest number.
Dyadic excess(const Arithmetic& arithmetic, const Dyadic& magnitude) {
  return arithmetic.max_finite() < magnitude ? magnitude - arithmetic.max_finite() : Dyadic();
}

Signed scaled(const Signed& terms, const Dyadic& alpha) {
  Signed result{terms.positive * alpha.abs(), terms.negative * alpha.abs()};
  if (alpha.sign() < 0) std::swap(result.positive, result.negative);
  return result;
}

}  // namespace

bool scales_exactly(const Arithmetic& arithmetic, const Facts& facts, const Dyadic& alpha) {
  const int shift = alpha.floor_log2();
  if (alpha.lowest_bit() != shift) return false;
  if (facts.nonzero == 0) return true;
  const int lowest = std::max(facts.lowest_bit, arithmetic.eta_exponent());
  const int floor = arithmetic.floor_exponent();
  // Computed partial sums stay below twice S while the bound of rule c stays below S; where it does not, nothing is
  // near the top of the exponents either, unless this says so.
  const Dyadic largest = facts.magnitude().scaled(1);
  const Dyadic& most = arithmetic.max_finite();
  return lowest + std::min(shift, 0) >= floor && largest <= most && largest.scaled(shift) <= most;
}

Set scaled_anywhere(const ScaledSum& sum) {
  const Arithmetic& arithmetic = sum.arithmetic;
  const auto m = static_cast<std::int64_t>(sum.facts.nonzero);
  const std::int64_t additions = static_cast<std::int64_t>(sum.additions) + (sum.c != nullptr ? 1 : 0);
  const std::int64_t path = additions + 1 + (sum.inexact ? 1 : 0) + (sum.compensated ? 1 : 0);
  Dyadic grown(1);
  for (const Arithmetic& each : sum.widths) {
    const int unit = each.rounding() == AccumulateRounding::Nearest ? 0 : 1;
    grown = grown + grown * compound_growth(unit - each.precision(), static_cast<std::uint64_t>(path));
  }
  const Dyadic growth = grown - Dyadic(1);

  const Signed before{sum.facts.positive, sum.facts.negative};
  Signed after = scaled(before, sum.alpha);
  if (sum.c != nullptr) (sum.c->sign() < 0 ? after.negative : after.positive) += sum.c->abs();

  // Products and scalings underflow by eta at most; every value may be flushed, and in compensated steps more (see
  // compensated_bound).
  Dyadic lost;
  if (arithmetic.may_flush()) {
    const std::int64_t values = 2 * m + 3 + (sum.compensated ? static_cast<std::int64_t>(10 * sum.terms) : 0);
    lost = (Dyadic(1) + sum.alpha.abs()) * Dyadic(values, arithmetic.format().min_normal_exponent());
  } else {
    lost = (sum.alpha.abs() * Dyadic(m) + Dyadic(m + 1)) * Dyadic::power_of_two(arithmetic.eta_exponent());
  }
  const Dyadic bound = growth * after.magnitude() + grown * lost;

  Dyadic low = sum.facts.sum_low * sum.alpha, high = sum.facts.sum_high * sum.alpha;
  if (sum.alpha.sign() < 0) std::swap(low, high);
  if (sum.c != nullptr) {
    low += *sum.c;
    high += *sum.c;
  }
  low -= bound;
  high += bound;
  const auto computed = [&](const Dyadic& exact) { return grown * (exact + lost); };
  if (arithmetic.may_saturate()) {
    const Signed excess_before{excess(arithmetic, computed(before.positive)),
                               excess(arithmetic, computed(before.negative))};
    const Signed lost_before = scaled(excess_before, sum.alpha);
    low -= grown * (lost_before.positive + excess(arithmetic, computed(after.positive)));
    high += grown * (lost_before.negative + excess(arithmetic, computed(after.negative)));
  }
  Set set = sum.real_ends ? Set::interval(low, high, sum.held.eta_exponent())
                          : inward(sum.held, low, high, sum.held.eta_exponent());
  set.plus_zero = set.minus_zero = true;
  if (!arithmetic.may_overflow()) return set;
  const auto over = [&](const Dyadic& exact) { return arithmetic.can_overflow(computed(exact)); };
  bool plus = over(before.positive), minus = over(before.negative);
  if (sum.alpha.sign() < 0) std::swap(plus, minus);
  plus |= over(after.positive);
  minus |= over(after.negative);
  // The compensation of an overflow is an infinity of the other sign.
  if (sum.compensated) plus = minus = plus || minus;
  if (plus || minus) {
    set.nan |= !arithmetic.format().has_infinity || (plus && minus);
    if (arithmetic.format().has_infinity) {
      set.plus_infinity |= plus;
      set.minus_infinity |= minus;
    }
  }
  return set;
}

}  // namespace negzero::oracle

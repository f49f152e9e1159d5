// Rule 2e. What a step can lose, and what bounds the magnitudes that it is lost from.
//
// A step with the largest exponent E truncates each product and the accumulator to a multiple of 2^(E-F), towards zero,
// adds exactly, and rounds once. 2^E is at most the largest |a|' |b|' of its products, |x|' = max(|x|, 2^emin) as a
// subnormal keeps the exponent of the smallest normal number; or at most the accumulator, or 2^emin of its format. So
// what is lost adds up term by term: a truncation less than 2^-F of that, a rounding at most d |r| + e.
//
// Magnitudes: truncation towards zero moves no partial sum away from zero, so that every accumulator lies in [-N, P]; a
// rounding to nearest, or an addition, lets them grow by 1 + u each. They are all bounded by
// X = (1 + G) (max(P, N, the largest |a|' |b|') + T e), 1 + G the growth of all roundings to nearest.

// Stored sums of slices (rule 2f): what is stored has grown by 1 + u_G and by what underflows upward. So
// X' = (1 + u_G) (1 + G) (max(P, N, the largest |a|' |b|') + T e + R e_G) bounds every magnitude, slices included.

#include <algorithm>

#include <negzero/oracle/few_steps.hpp>
#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/stepped.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

/// e: half of the smallest subnormal, or all of it where the unit truncates.
Dyadic absolute_error(const Unit& unit, const number::Format& format) {
  const int last = format.min_normal_exponent() - (unit.result_bits - 1);
  return Dyadic::power_of_two(unit.nearest ? last - 1 : last);
}

Dyadic times(const Dyadic& x, std::uint64_t count) { return x * Dyadic(static_cast<std::int64_t>(count)); }

StepCounts counts_of(const Arithmetic& arithmetic, const SteppedTerms& terms, const Stepping& stepping) {
  return counts_of(stepping.unit, arithmetic.format(), terms.products, terms.depth, stepping.slices, terms.with_c);
}

/// The most that partial sums below `size` can become by rounding.
Dyadic grown(const Arithmetic& arithmetic, const Unit& unit, const StepCounts& counts, const Dyadic& size) {
  const std::uint64_t roundings = counts.additions + (unit.nearest ? counts.steps : 0);
  const Dyadic below = unit.nearest ? size + times(absolute_error(unit, arithmetic.format()), counts.steps) : size;
  return below + below * compound_growth(-arithmetic.precision(), roundings);
}

/// The same where slices' sums are stored on the way: each store adds u_G of what it stores, and what underflows
/// upward grows as everything else does.
Dyadic grown_stored(const Arithmetic& arithmetic, const Unit& unit, const StepCounts& counts, const Dyadic& size,
                    const SliceStores& stores) {
  return (Dyadic(1) + stores.unit) * grown(arithmetic, unit, counts, size + stores.underflow);
}

/// |significand * 2^exponent|', or less where it is a normal number: those count in P and N.
Dyadic raised(std::int64_t significand, int exponent, int least) {
  const Dyadic value = Dyadic(significand, exponent).abs();
  return value.floor_log2() < least ? Dyadic::power_of_two(least) : value;
}

bool is_exact(const Arithmetic& arithmetic, const SteppedTerms& terms, const Facts& facts, const Unit& unit) {
  if (facts.nonzero == 0) return true;
  const int min_normal = arithmetic.format().min_normal_exponent();
  const int floor = arithmetic.may_flush() ? min_normal : min_normal - std::min(unit.kept_bits, unit.result_bits - 1);
  return terms.c_error.is_zero() && facts.lowest_bit >= floor &&
         std::max(facts.magnitude(), terms.largest) < Dyadic::power_of_two(facts.lowest_bit + unit.exact_bits()) &&
         std::max(facts.positive, facts.negative) <= arithmetic.max_finite();
}

/// A sum that cancels or truncates to zero is +0; where all terms are -0 that is not known, so either is permitted.
/// (beta * c may underflow to that -0.)
void sign_zero(const Sum& sum, const Terms& terms, const SteppedTerms& stepped, Set& set) {
  const Arithmetic& arithmetic = sum.arithmetic;
  set.plus_zero = true;
  set.minus_zero = !sum.tells_zeros || arithmetic.may_flush() || terms.any_optional();
  if (stepped.products != 0 || set.minus_zero) return;
  if (stepped.with_c && !arithmetic.greatest(terms.value(stepped.depth)).value.is_zero()) return;
  set.minus_zero = true;
  for (std::size_t i = 0; i < terms.size(); ++i) set.minus_zero &= (terms.flags(i) & kNegative) != 0;
}

}  // namespace

StepCounts counts_of(const Unit& unit, const number::Format& format, std::uint64_t products, std::uint64_t depth,
                     std::int64_t slices, bool with_c) noexcept {
  const std::uint64_t c = with_c ? 1 : 0;
  StepCounts counts{products, products + (unit.result_bits < format.precision() ? c : 0), 0};
  std::uint64_t parts = products;
  if (slices > 0) {
    parts = std::min(parts, static_cast<std::uint64_t>(slices));
    const auto length = static_cast<std::uint64_t>(unit.shortest);
    counts.steps = std::min(counts.steps, std::max(c, (depth + parts * (length - 1)) / length));
  }
  counts.additions = parts == 0 ? 0 : parts - 1 + c;
  return counts;
}

Dyadic lost_share(const Unit& unit, const number::Format& format, const StepCounts& counts) {
  const Dyadic kept = Dyadic::power_of_two(-unit.kept_bits);
  const Dyadic rounding = Dyadic::power_of_two(unit.nearest ? -unit.result_bits : 1 - unit.result_bits);
  const Dyadic addition = std::max(Dyadic::power_of_two(-format.precision()) - kept, Dyadic());
  return times(kept, counts.products + counts.steps) + times(rounding, counts.steps) +
         times(addition, counts.additions);
}

void SteppedTerms::join(const SteppedTerms& other) {
  positive = std::max(positive, other.positive);
  negative = std::max(negative, other.negative);
  largest = std::max(largest, other.largest);
  c_error = std::max(c_error, other.c_error);
}

SteppedTerms inspect_stepped(const Sum& sum, const Terms& terms, const Facts& facts) {
  const Stepping& stepping = sum.unit_steps()->stepping;
  const bool last_is_c = sum.c != CAt::None;
  SteppedTerms result;
  result.positive = facts.positive;
  result.negative = facts.negative;
  result.with_c = last_is_c;
  result.depth = terms.size() - (last_is_c ? 1 : 0);
  const exact::Factors a = terms.a(), b = terms.b();
  for (std::size_t i = 0; i < result.depth; ++i) {
    if (terms.is_zero(i)) continue;
    ++result.products;
    const Dyadic x = raised(a.significand[i], a.exponent[i], stepping.least_a);
    const Dyadic y = raised(b.significand[i], b.exponent[i], stepping.least_b);
    result.largest = std::max(result.largest, x * y);
  }
  if (last_is_c && !terms.is_zero(result.depth)) {
    const Dyadic c = terms.value(result.depth);
    if (!sum.arithmetic.holds(c)) result.c_error = ulp(sum.arithmetic.format(), c).scaled(-1);
  }
  return result;
}

Dyadic stepped_bound(const Arithmetic& arithmetic, const SteppedTerms& terms, const Stepping& stepping,
                     const std::optional<SliceStores>& stores) {
  const Unit& unit = stepping.unit;
  const StepCounts counts = counts_of(arithmetic, terms, stepping);
  const int min_normal = arithmetic.format().min_normal_exponent();
  const Dyadic size = std::max({terms.positive, terms.negative, terms.largest}) + terms.c_error;
  const Dyadic x =
      stores ? grown_stored(arithmetic, unit, counts, size, *stores) : grown(arithmetic, unit, counts, size);
  Dyadic bound = lost_share(unit, arithmetic.format(), counts) * x + terms.c_error;
  bound += times(Dyadic::power_of_two(min_normal - unit.kept_bits), counts.products + counts.steps);
  bound += times(absolute_error(unit, arithmetic.format()), counts.steps);
  if (arithmetic.may_flush()) bound += times(Dyadic::power_of_two(min_normal), counts.additions + 1);
  if (!stores) return bound;
  const Dyadic sums = terms.positive + terms.negative + stepped_bound(arithmetic, terms, stepping, std::nullopt);
  return bound + stores->lost(sums);
}

Overflows stepped_overflows(const Arithmetic& arithmetic, const SteppedTerms& terms, const Stepping& stepping,
                            const std::optional<SliceStores>& stores) {
  const StepCounts counts = counts_of(arithmetic, terms, stepping);
  const auto overflows = [&](const Dyadic& one_sign) {
    const Dyadic size = one_sign + terms.c_error, reached = grown(arithmetic, stepping.unit, counts, size);
    if (!stores) return arithmetic.can_overflow(reached);
    return arithmetic.in(stores->format->id).can_overflow(reached) ||
           arithmetic.can_overflow(grown_stored(arithmetic, stepping.unit, counts, size, *stores));
  };
  return {.plus = overflows(terms.positive), .minus = overflows(terms.negative)};
}

SumResult evaluate_stepped(const Sum& sum, const Terms& terms, const Facts& facts) {
  const Arithmetic& arithmetic = sum.arithmetic;
  const Stepping& stepping = sum.unit_steps()->stepping;
  SumResult result;
  result.facts = facts;
  const SteppedTerms stepped = inspect_stepped(sum, terms, facts);
  const int grid = facts.nonzero == 0 ? kNoGrid : facts.lowest_bit;
  const auto stores = stores_of(sum, facts);
  if (is_exact(arithmetic, stepped, facts, stepping.unit) && (!stores || stores_exactly(arithmetic, *stores, facts))) {
    result.set = Set::interval(facts.sum_low, facts.sum_high, grid);
    result.rule = "sum.exact";
    // Zeros of another sign may come of sums in the ordinary way.
    result.exact = !result.set.holds_zero();
  } else {
    result.bound = stepped_bound(arithmetic, stepped, stepping, stores);
    // Neither truncation nor any rounding takes a sum of terms of one sign to the other.
    const Dyadic low = facts.sum_low - result.bound, high = facts.sum_high + result.bound;
    result.set =
        inward(arithmetic, facts.negative.is_zero() ? std::max(low, Dyadic()) : low,
               facts.positive.is_zero() ? std::min(high, Dyadic()) : high, std::max(grid, arithmetic.eta_exponent()));
    const Overflows over = stepped_overflows(arithmetic, stepped, stepping, stores);
    permit_overflow(arithmetic, over, result.set);
    if (!over.plus && !over.minus && !stores && !terms.any_optional()) {
      if (sum.detail == Detail::Results) {
        if (const auto few = results_of_steps(sum, terms, stepped)) result.set = *few;
      }
    }
    result.rule = over.plus || over.minus ? "sum.overflow" : stores ? kSliced : kStepped;
  }
  sign_zero(sum, terms, stepped, result.set);
  // A slice's sum may underflow to -0 in the format that it is stored in.
  if (stores && stores->underflow.sign() > 0) result.set.minus_zero = true;
  return result;
}

}  // namespace negzero::oracle

// Chooses the rule that decides a sum.

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/hull.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using contract::Contraction;
using contract::Order;
using contract::Start;
using contract::Subnormals;
using exact::Dyadic;

namespace {

/// Section 3: what can overflow on the way.
struct Overflows {
  bool plus = false, minus = false;  ///< P' and N' reach the threshold
  Dyadic above, below;               ///< how far P' and N' exceed the largest number
};

Overflows overflows(const Arithmetic& arithmetic, const Terms& terms, const Facts& facts, const Leaves& leaves,
                    bool no_rounding, bool compensated) {
  Dyadic p = reach(arithmetic, facts.positive, leaves.positive, no_rounding);
  Dyadic n = reach(arithmetic, facts.negative, leaves.negative, no_rounding);
  if (compensated && !no_rounding) {
    // A term is added together with the compensation of the step before, to which terms of both signs contribute.
    const bool zero_terms = terms.size() > facts.nonzero;
    const Dyadic bound = compensated_bound(arithmetic, facts.magnitude(), leaves.all(), zero_terms, false);
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

void permit_overflow(const Arithmetic& arithmetic, const Overflows& over, Range& range) {
  if (!over.plus && !over.minus) return;
  if (!arithmetic.format().has_infinity) {
    range.nan = true;
    return;
  }
  range.plus_infinity |= over.plus;
  range.minus_infinity |= over.minus;
  range.nan |= over.plus && over.minus;
}

/// Whether a product, or a fused join with one, can give a zero that is not exact: the product is so small that it
/// rounds to zero, or so near to a number of the format that what a cancellation leaves does.
bool can_vanish(const Arithmetic& arithmetic, const Terms& terms, bool fused) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms.is_zero(i)) continue;
    const Dyadic magnitude = terms.value(i).abs();
    if (magnitude.lowest_bit() >= arithmetic.eta_exponent()) continue;
    if (arithmetic.least(magnitude).value.is_zero()) return true;
    if (!fused) continue;
    const Dyadic below = Dyadic::from_encoding(
        arithmetic.format(), magnitude.round_to(arithmetic.format(), {.rounding = number::Rounding::TowardZero}));
    const Dyadic above = below + ulp(arithmetic.format(), magnitude);
    if (arithmetic.least(magnitude - below).value.is_zero()) return true;
    if (arithmetic.least(above - magnitude).value.is_zero()) return true;
  }
  return false;
}

/// Signs of a zero sum (section 4).
void sign_zero(const Arithmetic& arithmetic, const Terms& terms, const SumQuery& query, const Facts& facts,
               const Leaves& leaves, Range& range) {
  const contract::Contract& contract = *query.contract;
  if (contract.compensated && facts.nonzero == 0) {
    // Among zeros the compensation is a zero of either sign.
    range.plus_zero = range.minus_zero = true;
    return;
  }
  if (facts.nonzero > 0) {
    range.plus_zero = true;
    // A term that may be dropped leaves a zero of its sign.
    range.minus_zero = contract.zero_sign != contract::ZeroSign::Ieee || terms.any_optional();
    if (range.minus_zero || !range.holds_zero()) return;
    const bool fused = query.fusable && contract.contraction != Contraction::Separate;
    const bool flushed = arithmetic.may_flush() && facts.lowest_bit < arithmetic.format().min_normal_exponent();
    range.minus_zero = flushed || arithmetic.rounding() == AccumulateRounding::Faithful ||
                       (leaves.below_eta && can_vanish(arithmetic, terms, fused));
    return;
  }
  bool positive = false, negative = false;
  for (std::size_t i = 0; i < terms.size(); ++i) ((terms.flags(i) & kNegative) != 0 ? negative : positive) = true;
  const bool may_start_at_zero = contract.start == Start::PlusZero || contract.start == Start::Any;
  range.plus_zero = positive || !negative || may_start_at_zero;
  range.minus_zero = negative && !positive && contract.start != Start::PlusZero;
  if (arithmetic.rounding() == AccumulateRounding::Faithful) range.minus_zero |= negative;
}

/// The bound of a sum in blocks: the blocks' own bounds, then that of the outer sum over numbers of size |s_b| + B_b.
struct PromotedBound {
  Dyadic bound;
  bool plus = false, minus = false;  ///< whether a block or the outer sum can overflow
  bool nan = false;                  ///< whether a block can, in a format without Inf
};

PromotedBound promoted_bound(const Arithmetic& arithmetic, const Arithmetic& outer, const Terms& terms,
                             const SumQuery& query, std::size_t every) {
  PromotedBound result;
  Dyadic outer_magnitude, outer_positive, outer_negative;
  LeafCount blocks;
  const auto add_block = [&](const Terms& block, const Arithmetic& in) {
    const Facts facts = facts_of(block, query.exact_method);
    if (facts.nonzero == 0) return;
    const Leaves leaves = inspect(in, block);
    const bool joins_flush = facts.lowest_bit < in.format().min_normal_exponent();
    const bool no_rounding = needs_no_rounding(in, facts);
    const Dyadic bound = no_rounding ? Dyadic() : sum_bound(in, facts.magnitude(), leaves.all(), joins_flush);
    const Dyadic p = reach(in, facts.positive, leaves.positive, no_rounding);
    const Dyadic n = reach(in, facts.negative, leaves.negative, no_rounding);
    const bool plus = in.can_overflow(p), minus = in.can_overflow(n);
    result.plus |= plus && in.format().has_infinity;
    result.minus |= minus && in.format().has_infinity;
    result.nan |= (plus || minus) && !in.format().has_infinity;
    outer_positive += p;
    outer_negative += n;
    result.bound += bound;
    outer_magnitude += std::max(facts.sum_low.abs(), facts.sum_high.abs()) + bound;
    ++blocks.nonzero;
  };
  const std::size_t products = terms.size() - (query.last_is_c ? 1 : 0);
  for (std::size_t begin = 0; begin < products; begin += every) {
    add_block(terms.slice(begin, std::min(begin + every, products)), arithmetic);
  }
  if (query.last_is_c) add_block(terms.slice(products, products + 1), outer);
  result.bound += sum_bound(outer, outer_magnitude, blocks, true);
  result.plus |= outer.can_overflow(outer_positive + sum_bound(outer, outer_positive, blocks, false));
  result.minus |= outer.can_overflow(outer_negative + sum_bound(outer, outer_negative, blocks, false));
  return result;
}

SumResult special(const Arithmetic& arithmetic, const Terms& terms, const SumQuery& query) {
  SumResult result;
  result.rule = "sum.special";
  if (terms.nan() || (terms.infinity(false) && terms.infinity(true))) {
    result.range = Range::only_nan();
    return result;
  }
  const bool negative = terms.infinity(true);
  result.range = Range::infinity(negative);
  // The finite terms of the other sign may have overflowed before they meet this Inf.
  result.facts = facts_of(terms, query.exact_method);
  const Overflows over = overflows(arithmetic, terms, result.facts, inspect(arithmetic, terms), false, false);
  const bool other_overflows = arithmetic.may_overflow() && (negative ? over.plus : over.minus);
  result.range.nan = terms.maybe_nan() || other_overflows || query.contract->compensated;
  return result;
}

ChainStarts chain_starts(Start start) {
  // A slice that does not hold C starts as it likes.
  return {start != Start::FirstTerm, start != Start::PlusZero};
}

/// The sum as if exponents had no upper end: everything scaled down by a power of two, and back. Nothing where the
/// scaled terms would reach the lower end, which scales differently.
std::optional<SumResult> without_overflow(const Arithmetic& arithmetic, const Terms& terms, const SumQuery& query,
                                          const Facts& facts) {
  // No partial sum reaches 8 S: bounds that large say nothing anyway.
  const int shift = facts.magnitude().floor_log2() + 4 - arithmetic.format().max_exponent();
  const int floor = arithmetic.may_flush() ? arithmetic.format().min_normal_exponent() : arithmetic.eta_exponent();
  if (shift <= 0 || facts.lowest_bit - shift < floor) return std::nullopt;
  SumQuery bounded = query;
  bounded.unbounded = false;
  SumResult result = evaluate_sum(arithmetic, terms.scaled(-shift), bounded);
  result.range.low = result.range.low.scaled(shift);
  result.range.high = result.range.high.scaled(shift);
  result.range.granularity += shift;
  result.bound = result.bound.scaled(shift);
  result.facts = facts;
  return result;
}

/// Follows the chain; a chain that may begin at either end of the choices gives the hull.
Range follow(const Arithmetic& arithmetic, const Terms& terms, const SumQuery& query) {
  const contract::Contract& contract = *query.contract;
  const Contraction contraction = query.fusable ? contract.contraction : Contraction::Separate;
  if (!query.starts_at_c) {
    return chain_of(arithmetic, terms, contraction, chain_starts(contract.start), std::nullopt, contract.promote);
  }
  const std::size_t products = terms.size() - 1;
  const Arithmetic first = contract.promote ? arithmetic.in(contract.promote->format) : arithmetic;
  return chain_of(arithmetic, terms.slice(0, products), contraction, {}, leaf_range(first, terms, products),
                  contract.promote);
}

Range from_hull(const Arithmetic& arithmetic, const Hull& hull, int granularity) {
  Range range;
  const auto beyond = [&](bool negative) {
    if (!arithmetic.format().has_infinity) {
      range.nan = true;
    } else {
      (negative ? range.minus_infinity : range.plus_infinity) = true;
    }
  };
  if (hull.high.overflow && hull.high.value.sign() > 0) beyond(false);
  if (hull.low.overflow && hull.low.value.sign() < 0) beyond(true);
  const bool only_above = hull.low.overflow && hull.low.value.sign() > 0;
  const bool only_below = hull.high.overflow && hull.high.value.sign() < 0;
  if (!only_above && !only_below) range.join_interval(hull.low.value, hull.high.value, granularity);
  return range;
}

}  // namespace

Range inward(const Arithmetic& arithmetic, const Dyadic& low, const Dyadic& high, int granularity) {
  const number::Format& format = arithmetic.format();
  const Dyadic& largest = arithmetic.max_finite();
  if (largest < low || high < -largest) return {};
  const auto to_grid = [&](const Dyadic& x, number::Rounding rounding) {
    const Dyadic clipped = std::clamp(x, -largest, largest);
    return Dyadic::from_encoding(format, clipped.round_to(format, {.rounding = rounding}));
  };
  Range range;
  const Dyadic bottom = to_grid(low, number::Rounding::Up), top = to_grid(high, number::Rounding::Down);
  if (!(top < bottom)) range.join_interval(bottom, top, granularity);
  return range;
}

SumResult evaluate_sum(const Arithmetic& arithmetic, const Terms& terms, const SumQuery& query) {
  const contract::Contract& contract = *query.contract;
  const bool infinite = terms.infinity(false) || terms.infinity(true);
  bool chain = contract.order == Order::Ascending && !contract.compensated && !query.real_ends;
  if (terms.nan() || (infinite && (!chain || terms.maybe_nan()))) return special(arithmetic, terms, query);

  SumResult result;
  if (infinite) {
    result.facts = facts_of(terms, query.exact_method);
    result.range = follow(arithmetic, terms, query);
    result.rule = "sum.special";
    return result;
  }
  const Facts& facts = result.facts = facts_of(terms, query.exact_method);
  const Leaves leaves = inspect(arithmetic, terms);
  const bool no_rounding = needs_no_rounding(arithmetic, facts);
  const Overflows over = overflows(arithmetic, terms, facts, leaves, no_rounding, contract.compensated);
  if (query.unbounded && !query.real_ends && (over.plus || over.minus)) {
    if (auto scaled = without_overflow(arithmetic, terms, query, facts)) return *scaled;
  }
  // Without an upper end to the exponent no grid is needed either: the result is divided next.
  const bool real_ends = query.real_ends || (query.unbounded && (over.plus || over.minus));
  chain = chain && !real_ends;
  // Sums of multiples of g are such multiples, and rounding keeps to the grid of eta.
  const int granularity = std::max(facts.nonzero == 0 ? Range::kNoGrid : facts.lowest_bit, arithmetic.eta_exponent());
  const auto finish = [&](const Range& range, std::string_view rule) {
    result.range = range;
    result.rule = result.range.any_infinity() || result.range.nan ? "sum.overflow" : rule;
    if (!chain && result.range.finite) sign_zero(arithmetic, terms, query, facts, leaves, result.range);
    return result;
  };

  if (chain && (facts.nonzero == 0 || !no_rounding || contract.zero_sign == contract::ZeroSign::Ieee ||
                arithmetic.max_finite() < std::max(facts.positive, facts.negative))) {
    return finish(follow(arithmetic, terms, query), no_rounding ? "sum.exact" : "sum.ascending");
  }
  if (no_rounding && (real_ends || std::max(facts.positive, facts.negative) <= arithmetic.max_finite())) {
    result.exact = true;
    finish(Range::interval(facts.sum_low, facts.sum_high, facts.nonzero == 0 ? Range::kNoGrid : facts.lowest_bit),
           "sum.exact");
    return result;
  }

  if (contract.promote && !real_ends) {
    const Arithmetic outer = arithmetic.promoted(contract.promote->format);
    const auto every = static_cast<std::size_t>(contract.promote->every);
    if (every < terms.size()) {
      const PromotedBound promoted = promoted_bound(arithmetic, outer, terms, query, every);
      result.bound = promoted.bound;
      Range range = inward(outer, facts.sum_low - promoted.bound, facts.sum_high + promoted.bound, granularity);
      if (arithmetic.may_overflow()) {
        permit_overflow(outer, {promoted.plus, promoted.minus, {}, {}}, range);
        range.nan |= promoted.nan;
      }
      return finish(range, "sum.any_order");
    }
  }

  // Joins of terms that are all multiples of the smallest normal number give such multiples: nothing to flush.
  const bool joins_flush = facts.lowest_bit < arithmetic.format().min_normal_exponent();
  result.bound = contract.compensated ? compensated_bound(arithmetic, facts.magnitude(), leaves.all(),
                                                          terms.size() > facts.nonzero, joins_flush)
                                      : sum_bound(arithmetic, facts.magnitude(), leaves.all(), joins_flush);
  Dyadic low = facts.sum_low - result.bound, high = facts.sum_high + result.bound;
  if (arithmetic.may_saturate() && !query.unbounded) {
    low -= over.above;
    high += over.below;
  }
  if (real_ends) {
    Range range = Range::interval(low, high, arithmetic.eta_exponent());
    if (!query.unbounded && arithmetic.may_overflow()) permit_overflow(arithmetic, over, range);
    return finish(range, "sum.any_order");
  }
  Range range = inward(arithmetic, low, high, granularity);
  const bool undecided_nan = arithmetic.may_overflow() && over.plus && over.minus;
  if (facts.nonzero <= static_cast<std::uint64_t>(query.hull_terms) && !contract.compensated && !undecided_nan) {
    const bool fused = query.fusable && contract.contraction != Contraction::Separate;
    const bool zero_terms = terms.size() > facts.nonzero;
    // One term among zeros is never the result as it stands: it goes through an addition, rounded before or not.
    const bool alone = facts.nonzero == 1 && zero_terms;
    const bool separate = alone || !query.fusable || contract.contraction != Contraction::Fused;
    ChainStarts leaf_starts = chain_starts(contract.start);
    leaf_starts.plus_zero |= zero_terms;
    if (alone) leaf_starts.first_term = false;
    std::vector<HullLeaf> hull_leaves;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms.is_zero(i)) continue;
      hull_leaves.push_back(hull_leaf(arithmetic, terms, i, fused, separate, leaf_starts));
    }
    Range hull = from_hull(arithmetic, hull_of(arithmetic, hull_leaves, fused, zero_terms), granularity);
    // Where a result may overflow, the bound still says how large the finite ones can be.
    if (hull.finite && range.finite && (over.plus || over.minus)) {
      hull.low = std::max(hull.low, range.low);
      hull.high = std::min(hull.high, range.high);
    }
    return finish(hull, "sum.hull");
  }
  if (arithmetic.may_overflow()) permit_overflow(arithmetic, over, range);
  // The compensation of an overflow is an infinity of the other sign, or NaN.
  if (contract.compensated && (over.plus || over.minus)) permit_overflow(arithmetic, {true, true, {}, {}}, range);
  return finish(range, "sum.any_order");
}

}  // namespace negzero::oracle

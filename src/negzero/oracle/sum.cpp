// Chooses the rule that decides a sum.

#include <algorithm>
#include <limits>
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

/// P' of one sign: P where nothing rounds or truncation shrinks, else the smaller of P + B and P (1 + kappa).
Dyadic reach(const Arithmetic& arithmetic, const Dyadic& one_sign, const SumBound& bound, bool no_rounding) {
  if (no_rounding || arithmetic.rounding() == AccumulateRounding::TowardZero) return one_sign;
  const Dyadic absolute = one_sign + bound.bound;
  if (Dyadic(1) < bound.relative) return absolute;
  return std::min(absolute, one_sign + one_sign * bound.relative + bound.absolute);
}

Overflows overflows(const Arithmetic& arithmetic, const Dyadic& p, const Dyadic& n) {
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

/// Signs of a zero sum (section 4).
void sign_zero(const Arithmetic& arithmetic, const Terms& terms, const SumQuery& query, const Facts& facts,
               const Leaves& leaves, Range& range) {
  if (facts.nonzero > 0) {
    const bool flushed = arithmetic.may_flush() && facts.lowest_bit < arithmetic.format().min_normal_exponent();
    range.plus_zero = true;
    range.minus_zero = leaves.below_eta || flushed || arithmetic.rounding() == AccumulateRounding::Faithful;
    return;
  }
  bool positive = false, negative = false;
  for (std::size_t i = 0; i < terms.size(); ++i) ((terms.flags(i) & kNegative) != 0 ? negative : positive) = true;
  const Start start = query.contract->start;
  const bool may_start_at_zero = start == Start::PlusZero || start == Start::Any;
  const bool must_start_at_zero = start == Start::PlusZero;
  range.plus_zero = positive || !negative || may_start_at_zero;
  range.minus_zero = negative && !positive && !must_start_at_zero;
  if (arithmetic.rounding() == AccumulateRounding::Faithful) range.minus_zero |= negative;
}

/// The bound of a sum in blocks: the blocks' own bounds, then that of the outer sum over numbers of size |s_b| + B_b.
struct PromotedBound {
  Dyadic bound;
  bool plus = false, minus = false;  ///< whether a block or the outer sum can overflow
};

PromotedBound promoted_bound(const Arithmetic& arithmetic, const Arithmetic& outer, const Terms& terms,
                             const SumQuery& query, std::size_t every) {
  PromotedBound result;
  Facts outer_facts;
  Dyadic outer_positive, outer_negative;
  const auto add_block = [&](const Facts& facts, const SumBound& bound, const Arithmetic& in) {
    if (facts.nonzero == 0) return;
    const Dyadic p = reach(in, facts.positive, bound, false), n = reach(in, facts.negative, bound, false);
    result.plus |= in.can_overflow(p);
    result.minus |= in.can_overflow(n);
    outer_positive += p;
    outer_negative += n;
    result.bound += bound.bound;
    outer_facts.positive += std::max(facts.sum_low.abs(), facts.sum_high.abs()) + bound.bound;
    ++outer_facts.nonzero;
  };
  const std::size_t products = terms.size() - (query.last_is_c ? 1 : 0);
  for (std::size_t begin = 0; begin < products; begin += every) {
    const Terms block = terms.slice(begin, std::min(begin + every, products));
    const Facts facts = facts_of(block, query.exact_method);
    add_block(facts, sum_bound(arithmetic, facts, inspect(arithmetic, block), false), arithmetic);
  }
  if (query.last_is_c) {
    const Terms c = terms.slice(products, products + 1);
    const Facts facts = facts_of(c, query.exact_method);
    add_block(facts, sum_bound(outer, facts, inspect(outer, c), false), outer);
  }
  outer_facts.lowest_bit = arithmetic.eta_exponent();
  const SumBound last = sum_bound(outer, outer_facts, Leaves{}, false);
  result.bound += last.bound;
  result.plus |= outer.can_overflow(outer_positive + last.bound);
  result.minus |= outer.can_overflow(outer_negative + last.bound);
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
  const SumBound bound = sum_bound(arithmetic, result.facts, inspect(arithmetic, terms), query.contract->compensated);
  const Dyadic& other = negative ? result.facts.positive : result.facts.negative;
  const bool overflows = arithmetic.may_overflow() && arithmetic.can_overflow(reach(arithmetic, other, bound, false));
  result.range.nan = terms.maybe_nan() || overflows || query.contract->compensated;
  return result;
}

ChainStarts chain_starts(Start start) {
  return {start == Start::PlusZero || start == Start::Any, start == Start::FirstTerm || start == Start::Any};
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

Range from_hull(const Arithmetic& arithmetic, const Hull& hull) {
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
  if (!only_above && !only_below) range.join_interval(hull.low.value, hull.high.value);
  return range;
}

}  // namespace

Range inward(const Arithmetic& arithmetic, const Dyadic& low, const Dyadic& high) {
  const number::Format& format = arithmetic.format();
  const Dyadic& largest = arithmetic.max_finite();
  if (largest < low || high < -largest) return {};
  const auto to_grid = [&](const Dyadic& x, number::Rounding rounding) {
    const Dyadic clipped = std::clamp(x, -largest, largest);
    return Dyadic::from_encoding(format, clipped.round_to(format, {.rounding = rounding}));
  };
  Range range;
  const Dyadic bottom = to_grid(low, number::Rounding::Up), top = to_grid(high, number::Rounding::Down);
  if (!(top < bottom)) range.join_interval(bottom, top);
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
  const SumBound bound = sum_bound(arithmetic, facts, leaves, contract.compensated);
  const Overflows over = overflows(arithmetic, reach(arithmetic, facts.positive, bound, no_rounding),
                                   reach(arithmetic, facts.negative, bound, no_rounding));
  // Without an upper end to the exponent no grid is needed either: the result is divided next.
  const bool real_ends = query.real_ends || (query.unbounded && (over.plus || over.minus));
  chain = chain && !real_ends;
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
    finish(Range::interval(facts.sum_low, facts.sum_high), "sum.exact");
    return result;
  }

  if (contract.promote && !real_ends) {
    const Arithmetic outer = arithmetic.in(contract.promote->format);
    const auto every = static_cast<std::size_t>(contract.promote->every);
    if (every < terms.size()) {
      const PromotedBound promoted = promoted_bound(arithmetic, outer, terms, query, every);
      result.bound = promoted.bound;
      Range range = inward(outer, facts.sum_low - promoted.bound, facts.sum_high + promoted.bound);
      if (arithmetic.may_overflow()) permit_overflow(outer, {promoted.plus, promoted.minus, {}, {}}, range);
      return finish(range, "sum.any_order");
    }
  }

  result.bound = bound.bound;
  Dyadic low = facts.sum_low - bound.bound, high = facts.sum_high + bound.bound;
  if (arithmetic.may_saturate() && !query.unbounded) {
    low -= over.above;
    high += over.below;
  }
  if (real_ends) {
    Range range = Range::interval(low, high);
    if (!query.unbounded && arithmetic.may_overflow()) permit_overflow(arithmetic, over, range);
    return finish(range, "sum.any_order");
  }
  Range range = inward(arithmetic, low, high);
  const bool undecided_nan = arithmetic.may_overflow() && over.plus && over.minus;
  if (facts.nonzero <= static_cast<std::uint64_t>(query.hull_terms) && !contract.compensated && !undecided_nan) {
    std::vector<HullLeaf> hull_leaves;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms.is_zero(i)) continue;
      hull_leaves.push_back(
          hull_leaf(arithmetic, terms.value(i), (terms.flags(i) & kLoaded) != 0, (terms.flags(i) & kOptional) != 0));
    }
    const bool fused = query.fusable && contract.contraction != Contraction::Separate;
    Range hull = from_hull(arithmetic, hull_of(arithmetic, hull_leaves, fused));
    // Where a result may overflow, the bound still says how large the finite ones can be.
    if (hull.finite && range.finite && hull.any_infinity()) {
      hull.low = std::max(hull.low, range.low);
      hull.high = std::min(hull.high, range.high);
    }
    return finish(hull, "sum.hull");
  }
  if (arithmetic.may_overflow()) permit_overflow(arithmetic, over, range);
  if (contract.compensated && (over.plus || over.minus)) range.nan = true;
  return finish(range, "sum.any_order");
}

}  // namespace negzero::oracle

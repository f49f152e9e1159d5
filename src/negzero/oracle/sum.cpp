// Chooses the rule that decides a sum.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <negzero/oracle/between.hpp>
#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/hull.hpp>
#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/sliced.hpp>
#include <negzero/oracle/stepped.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/zero_sign.hpp>

namespace negzero::oracle {

using contract::Contraction;
using contract::Order;
using contract::Start;
using exact::Dyadic;

namespace {

SumResult special(const Arithmetic& arithmetic, Prefix& terms, const SumQuery& query) {
  SumResult result;
  result.rule = "sum.special";
  const TermKinds& kinds = terms.kinds();
  if (kinds.nan() || (kinds.infinity(false) && kinds.infinity(true))) {
    result.range = Range::only_nan();
    if (kinds.nan_may_be_infinity() && arithmetic.format().has_infinity) {
      result.range.plus_infinity = result.range.minus_infinity = true;
    }
    return result;
  }
  const bool negative = kinds.infinity(true);
  result.range = arithmetic.format().has_infinity ? Range::infinity(negative) : Range::only_nan();
  // The finite terms of the other sign may have overflowed before they meet this Inf.
  result.facts = terms.facts(query.exact_method);
  bool other_overflows = false;
  if (query.stepping) {
    const SteppedTerms stepped = inspect_stepped(arithmetic, terms.terms(), result.facts, query);
    const Overflows over =
        stepped_overflows(arithmetic, stepped, *query.stepping, stores_of(arithmetic, *query.contract, result.facts));
    other_overflows = negative ? over.plus : over.minus;
  } else {
    const Leaves leaves = terms.leaves(arithmetic);
    Overflows over = overflows(arithmetic, terms.size(), result.facts, leaves, false, false);
    if (const auto stores = stores_of(arithmetic, *query.contract, result.facts)) {
      over = sliced_overflows(arithmetic, result.facts, leaves, *stores);
    }
    other_overflows = !query.unbounded && arithmetic.may_overflow() && (negative ? over.plus : over.minus);
  }
  if (query.promote && !query.unbounded) {
    // Blocks stay below twice what rule c says of one sign, and meet in another arithmetic.
    const Leaves leaves = terms.leaves(arithmetic);
    const Dyadic other = negative ? reach(arithmetic, result.facts.positive, leaves.positive, false)
                                  : reach(arithmetic, result.facts.negative, leaves.negative, false);
    result.range.nan |= arithmetic.promoted(query.promote->format).can_overflow(other.scaled(1));
  }
  result.range.nan |= terms.kinds().maybe_nan() || other_overflows || query.contract->compensated;
  return result;
}

ChainStarts chain_starts(Start start) {
  // A slice that does not hold C starts as it likes.
  return {start != Start::FirstTerm, start != Start::PlusZero};
}

SumResult evaluate_unsliced(const Arithmetic& arithmetic, Prefix& terms, const SumQuery& query);

/// The sum as if exponents had no upper end: everything scaled down by a power of two, and back. Nothing where the
/// scaled terms would reach the lower end, which scales differently.
std::optional<SumResult> without_overflow(const Arithmetic& arithmetic, Prefix& terms, const SumQuery& query,
                                          const Facts& facts) {
  // No partial sum reaches 8 S: bounds that large say nothing anyway.
  const int shift = facts.magnitude().floor_log2() + 4 - arithmetic.format().max_exponent();
  const int floor = arithmetic.floor_exponent();
  if (shift <= 0 || facts.lowest_bit - shift < floor) return std::nullopt;
  SumQuery bounded = query;
  bounded.unbounded = false;
  const Terms lowered = terms.terms().scaled(-shift);
  Prefix all(lowered);
  SumResult result = evaluate_unsliced(arithmetic, all, bounded);
  result.range.low = result.range.low.scaled(shift);
  result.range.high = result.range.high.scaled(shift);
  result.range.granularity += shift;
  result.bound = result.bound.scaled(shift);
  result.facts = facts;
  return result;
}

/// Follows the chain; a chain that may begin at either end of the choices gives the hull.
Range follow(const Arithmetic& arithmetic, Prefix& terms, const SumQuery& query) {
  const contract::Contract& contract = *query.contract;
  const Contraction contraction = query.fusable ? contract.contraction : Contraction::Separate;
  if (!query.starts_at_c) {
    return terms.chain(arithmetic, contraction, chain_starts(contract.start), query.promote);
  }
  const std::size_t products = terms.size() - 1;
  const Arithmetic first = query.promote ? arithmetic.promoted(query.promote->format) : arithmetic;
  Chain chain(arithmetic, contraction, {}, leaf_range(first, terms.terms(), products), query.promote);
  for (std::size_t i = 0; i < products; ++i) chain.add(terms.terms(), i);
  return chain.value();
}

/// evaluate_sum() where no slice's sum is stored. (Those of matrix units are in evaluate_stepped().)
SumResult evaluate_unsliced(const Arithmetic& arithmetic, Prefix& terms, const SumQuery& query) {
  const contract::Contract& contract = *query.contract;
  const bool infinite = terms.kinds().any_infinity();
  bool chain = contract.order == Order::Ascending && !contract.compensated && !query.real_ends;
  // A chain may overflow before it meets an infinity, but where nothing overflows that infinity is all that counts.
  const bool decides = !chain || terms.kinds().maybe_nan() || query.unbounded;
  if (terms.kinds().nan() || (infinite && decides)) return special(arithmetic, terms, query);

  SumResult result;
  if (infinite) {
    result.facts = terms.facts(query.exact_method);
    result.range = follow(arithmetic, terms, query);
    result.rule = "sum.special";
    return result;
  }
  const Facts& facts = result.facts = terms.facts(query.exact_method);
  if (query.stepping) return evaluate_stepped(arithmetic, terms.terms(), query, facts);
  const Leaves leaves = terms.leaves(arithmetic);
  const bool no_rounding = needs_no_rounding(arithmetic, facts);
  const Overflows over = overflows(arithmetic, terms.size(), facts, leaves, no_rounding, contract.compensated);
  const bool saturates = arithmetic.may_saturate() && (over.above.sign() > 0 || over.below.sign() > 0);
  const bool beyond = over.plus || over.minus || saturates;
  if (query.unbounded && !query.real_ends && beyond) {
    if (auto scaled = without_overflow(arithmetic, terms, query, facts)) return *scaled;
  }
  // Without an upper end to the exponent no grid is needed either: the result is divided next.
  const bool real_ends = query.real_ends || (query.unbounded && beyond);
  chain = chain && !real_ends;
  // Sums of multiples of g are such multiples, and rounding keeps to the grid of eta.
  const int granularity = std::max(facts.nonzero == 0 ? Range::kNoGrid : facts.lowest_bit, arithmetic.eta_exponent());
  const auto finish = [&](const Range& range, verdict::Rule rule) {
    result.range = range;
    result.rule = result.range.any_infinity() || result.range.nan ? "sum.overflow" : rule;
    if (!chain && result.range.finite) sign_zero(arithmetic, terms, query, facts, leaves, result.range);
    return result;
  };

  if (chain && (facts.nonzero == 0 || !no_rounding || contract.zero_sign == contract::ZeroSign::Ieee ||
                arithmetic.max_finite() < std::max(facts.positive, facts.negative))) {
    return finish(follow(arithmetic, terms, query),
                  no_rounding ? verdict::Rule("sum.exact") : verdict::Rule("sum.ascending"));
  }
  const bool in_range = std::max(facts.positive, facts.negative) <= arithmetic.max_finite();
  if (no_rounding && (in_range || (query.unbounded && real_ends))) {
    result.exact = true;
    finish(Range::interval(facts.sum_low, facts.sum_high, facts.nonzero == 0 ? Range::kNoGrid : facts.lowest_bit),
           "sum.exact");
    return result;
  }

  if (query.promote && !real_ends) return evaluate_promoted(arithmetic, terms, query);

  // Joins of terms that are all multiples of the smallest normal number give such multiples: nothing to flush.
  const bool joins_flush = facts.lowest_bit < arithmetic.format().min_normal_exponent();
  result.bound = contract.compensated
                     ? compensated_bound(arithmetic, facts.magnitude(), leaves.all(), terms.size(), joins_flush)
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
    Range hull = range_of(arithmetic, terms.hull(arithmetic, fused, separate, leaf_starts), granularity);
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

}  // namespace

verdict::Rule weaker(verdict::Rule a, verdict::Rule b) {
  const auto rank = [](verdict::Rule rule) {
    if (rule == "sum.exact") return 0;
    if (rule == "sum.hull" || rule == "sum.ascending") return 1;
    if (rule == "sum.any_order") return 2;
    if (rule == kStepped) return 3;
    return rule == kSliced ? 4 : 5;
  };
  return rank(a) < rank(b) ? b : a;
}

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
  Prefix all(terms);
  return evaluate_sum(arithmetic, all, query);
}

SumResult evaluate_sum(const Arithmetic& arithmetic, Prefix& terms, const SumQuery& query) {
  SumResult result = evaluate_unsliced(arithmetic, terms, query);
  if (query.stepping || !terms.finite()) return result;
  const auto stores = stores_of(arithmetic, *query.contract, result.facts);
  if (!stores) return result;
  return with_stored_slices(arithmetic, terms, query, *stores, std::move(result));
}

}  // namespace negzero::oracle

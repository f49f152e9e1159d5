// Joins the sums of the lower ends and of the upper ends.

#include <algorithm>
#include <utility>

#include <negzero/oracle/between.hpp>
#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/sliced.hpp>
#include <negzero/oracle/stepped.hpp>
#include <negzero/oracle/sum_bound.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

/// Everything from one end of `low` to the other of `high`. An end whose terms leave no number at all goes as far as
/// `bounded`, which holds every result that no partial sum of overflows.
Set between(const Set& low, const Set& high, const Set& bounded) {
  const bool plus = low.plus_infinity || high.plus_infinity, minus = low.minus_infinity || high.minus_infinity;
  Set set;
  const bool numbers = low.finite || high.finite || (low.minus_infinity && high.plus_infinity);
  if (numbers && ((low.finite && high.finite) || bounded.finite)) {
    const Dyadic bottom = low.finite ? low.low : bounded.low;
    const Dyadic top = high.finite ? high.high : bounded.high;
    set = Set::interval(std::min(bottom, top), std::max(bottom, top), bounded.grid);
    // What lies between the two lists may underflow or cancel where neither of them does.
    set.plus_zero = set.minus_zero = true;
  }
  set.plus_infinity = plus;
  set.minus_infinity = minus;
  set.nan = low.nan || high.nan || (plus && minus);
  return set;
}

/// The most terms that are not zero, whichever are chosen: one whose near end is zero counts in one list alone. `end`
/// is behind the last of them.
std::uint64_t most_nonzero(const TermIntervals& terms, std::size_t end) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < end; ++i) count += terms.low.is_zero(i) && terms.high.is_zero(i) ? 0 : 1;
  return count;
}

/// The bound of compensated sums for every choice of the terms.
Dyadic compensated_bound_between(const Arithmetic& arithmetic, const TermIntervals& terms, const Facts& low,
                                 const Facts& high) {
  const LeafCount a = inspect(arithmetic, terms.low).all(), b = inspect(arithmetic, terms.high).all();
  LeafCount leaves;
  leaves.nonzero = most_nonzero(terms, terms.low.size());
  leaves.inexact = std::min(leaves.nonzero, a.inexact + b.inexact);
  leaves.underflowing = std::min(leaves.nonzero, a.underflowing + b.underflowing);
  leaves.below_eta = std::min(leaves.nonzero, a.below_eta + b.below_eta);
  const Dyadic magnitude = std::max(low.positive, high.positive) + std::max(low.negative, high.negative);
  return compensated_bound(arithmetic, magnitude, leaves, terms.low.size(), true);
}

/// What is known of the terms in a matrix unit, whichever are chosen.
SteppedTerms stepped_between(const Sum& sum, const TermIntervals& terms, const Facts& low, const Facts& high) {
  SteppedTerms both = inspect_stepped(sum, terms.low, low);
  both.join(inspect_stepped(sum, terms.high, high));
  both.products = most_nonzero(terms, both.depth);
  return both;
}

/// Compensated sums, and those of matrix units, are no monotone trees, but lie within their bounds for the terms
/// chosen.
SumResult bounded_between(const Sum& sum, const TermIntervals& terms, SumResult low, const SumResult& high) {
  const Arithmetic& arithmetic = sum.arithmetic;
  Overflows over;
  verdict::Rule rule = "sum.any_order";
  if (const UnitSteps* const steps = sum.unit_steps()) {
    const SteppedTerms both = stepped_between(sum, terms, low.facts, high.facts);
    Facts facts;
    facts.nonzero = most_nonzero(terms, terms.low.size());
    // Terms between the two ends may have any lowest bit.
    facts.lowest_bit = -kNoGrid;
    const auto stores = stores_of(sum, facts);
    low.bound = stepped_bound(arithmetic, both, steps->stepping, stores);
    over = stepped_overflows(arithmetic, both, steps->stepping, stores);
    rule = stores ? kSliced : kStepped;
  } else {
    low.bound = compensated_bound_between(arithmetic, terms, low.facts, high.facts);
  }
  Set set =
      inward(arithmetic, low.facts.sum_low - low.bound, high.facts.sum_high + low.bound, arithmetic.eta_exponent());
  set.plus_zero = set.minus_zero = true;
  set.plus_infinity = low.set.plus_infinity || high.set.plus_infinity;
  set.minus_infinity = low.set.minus_infinity || high.set.minus_infinity;
  set.nan = low.set.nan || high.set.nan;
  permit_overflow(arithmetic, over, set);
  low.set = set;
  low.rule = set.any_infinity() || set.nan ? "sum.overflow" : rule;
  return low;
}

/// One end of a block's set as a number of `format`, which holds it.
Real end_of(const number::Format& format, const Set& set, bool upper) {
  if (!set.finite) {
    if (set.nan) return {number::Class::Nan, false, {}};
    return {number::Class::Infinity, upper ? !set.plus_infinity : set.minus_infinity, {}};
  }
  const Dyadic& end = upper ? set.high : set.low;
  if (end.is_zero()) return {number::Class::Zero, upper ? !set.plus_zero : set.minus_zero, {}};
  return {number::Class::Normal, end.sign() < 0, Dyadic::from_encoding(format, end.round_to(format))};
}

}  // namespace

SumResult evaluate_between(const Sum& sum, const TermIntervals& terms, std::string_view exact_method) {
  const Arithmetic& arithmetic = sum.arithmetic;
  SumResult result = evaluate(sum, terms.low, exact_method);
  if (!terms.same) {
    const SumResult high = evaluate(sum, terms.high, exact_method);
    const bool finite = result.rule != "sum.special" && high.rule != "sum.special";
    if ((sum.is_compensated() || sum.unit_steps() != nullptr) && finite) {
      result = bounded_between(sum, terms, std::move(result), high);
    } else {
      Set bounded = Set::interval(-arithmetic.max_finite(), arithmetic.max_finite(), arithmetic.eta_exponent());
      const Dyadic both = result.bound + high.bound;
      if (finite && !arithmetic.may_saturate()) {
        bounded =
            inward(arithmetic, result.facts.sum_low - both, high.facts.sum_high + both, arithmetic.eta_exponent());
      }
      result.set = between(result.set, high.set, bounded);
      result.bound = std::max(result.bound, high.bound);
      result.rule = weaker(result.rule, high.rule);
    }
    if (terms.no_number) result.set.finite = false;
    result.facts.sum_high = high.facts.sum_high;
    result.facts.positive = std::max(result.facts.positive, high.facts.positive);
    result.facts.negative = std::max(result.facts.negative, high.facts.negative);
    result.facts.nonzero = std::max(result.facts.nonzero, high.facts.nonzero);
    result.exact = false;
  }
  if (!terms.plus_infinity && !terms.minus_infinity && !terms.nan) return result;
  Set& set = result.set;
  set.nan |= terms.nan || (terms.plus_infinity && (terms.minus_infinity || set.minus_infinity)) ||
             (terms.minus_infinity && set.plus_infinity);
  set.plus_infinity |= terms.plus_infinity;
  set.minus_infinity |= terms.minus_infinity;
  result.rule = "sum.overflow";
  return result;
}

namespace {

/// The sums of blocks as terms of the outer sum.
struct BlockTerms {
  TermIntervals terms{};
  Dyadic bound{};
  verdict::Rule rule{};  ///< of the last block
  bool plus_zero = false, minus_zero = false;

  void add(const number::Format& outer, const Set& set) {
    const Real one{number::Class::Normal, false, Dyadic(1)};
    const bool both_zeros = set.holds_zero() && set.plus_zero && set.minus_zero;
    terms.same &= set.finite ? set.low == set.high && !both_zeros : set.single();
    terms.low.push_product(one, end_of(outer, set, false), false);
    terms.high.push_product(one, end_of(outer, set, true), false);
    plus_zero |= set.holds_zero() && set.plus_zero;
    minus_zero |= set.holds_zero() && set.minus_zero;
    terms.no_number |= !set.finite;
    // One infinity and nothing else is what the ends are.
    if (!set.finite && set.single()) return;
    terms.plus_infinity |= set.plus_infinity;
    terms.minus_infinity |= set.minus_infinity;
    terms.nan |= set.nan;
  }
};

/// `begins`: the first block starts from C; else C is a term of the outer sum.
SumResult sum_blocks(const Sum& sum, const Element& element, bool begins) {
  const Terms& terms = element.terms.terms();
  const contract::Promote& promote = sum.blocks()->promote;
  const bool has_c = sum.c != CAt::None;
  Sum inside = sum;
  inside.order = AnyOrder{};
  inside.c = CAt::None;
  Sum outside = inside;
  outside.arithmetic = sum.arithmetic.promoted(promote.format);
  const number::Format& outer = outside.arithmetic.format();

  BlockTerms blocks;
  const auto every = static_cast<std::size_t>(promote.every);
  const std::size_t products = element.terms.size() - (has_c ? 1 : 0);
  for (std::size_t begin = 0; begin < products; begin += every) {
    Terms inner = terms.slice(begin, std::min(begin + every, products));
    if (begins && begin == 0) inner.push_term(terms, products);
    const SumResult block = evaluate(inside, inner, element.exact_method);
    blocks.bound += block.bound;
    blocks.rule = block.rule;
    blocks.add(outer, sum.arithmetic.moved_to(outer, block.set));
  }
  if (has_c && !begins) {
    blocks.terms.low.push_term(terms, products);
    blocks.terms.high.push_term(terms, products);
  }
  SumResult result = evaluate_between(outside, blocks.terms, element.exact_method);
  result.facts = element.terms.facts(element.exact_method);
  result.bound += blocks.bound;
  result.exact = false;
  result.set.plus_zero |= blocks.plus_zero;
  result.set.minus_zero |= blocks.minus_zero;
  const bool special = result.set.any_infinity() || result.set.nan;
  // One block goes to the outer accumulator as it is.
  result.rule = special ? "sum.overflow" : blocks.terms.low.size() == 1 ? blocks.rule : "sum.any_order";
  return result;
}

}  // namespace

SumResult evaluate_blocks(const Sum& sum, const Element& element) {
  SumResult result = sum_blocks(sum, element, false);
  if (sum.c == CAt::None || element.terms.size() == 1) return result;
  const SumResult other = sum_blocks(sum, element, true);
  result.set.join(other.set);
  result.rule = weaker(result.rule, other.rule);
  result.bound = std::max(result.bound, other.bound);
  return result;
}

}  // namespace negzero::oracle

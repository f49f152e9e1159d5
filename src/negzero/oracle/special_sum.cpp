// Infinities and NaN among the terms of a sum.

#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/sliced.hpp>
#include <negzero/oracle/special_sum.hpp>
#include <negzero/oracle/stepped.hpp>

namespace negzero::oracle {

using exact::Dyadic;

SumResult special_sum(const Sum& sum, const Element& element) {
  const Arithmetic& arithmetic = sum.arithmetic;
  Prefix& terms = element.terms;
  SumResult result;
  result.rule = "sum.special";
  const TermKinds& kinds = terms.kinds();
  if (kinds.nan() || (kinds.infinity(false) && kinds.infinity(true))) {
    result.set = Set::only_nan();
    if (kinds.nan_may_be_infinity() && arithmetic.format().has_infinity) {
      result.set.plus_infinity = result.set.minus_infinity = true;
    }
    return result;
  }
  const bool negative = kinds.infinity(true);
  result.set = arithmetic.format().has_infinity ? Set::infinity(negative) : Set::only_nan();
  // The finite terms of the other sign may have overflowed before they meet this Inf.
  result.facts = terms.facts(element.exact_method);
  const bool is_unbounded = sum.lift == Lift::Unbounded;
  bool other_overflows = false;
  if (const UnitSteps* const steps = sum.unit_steps()) {
    const SteppedTerms stepped = inspect_stepped(sum, terms.terms(), result.facts);
    const Overflows over = stepped_overflows(arithmetic, stepped, steps->stepping, stores_of(sum, result.facts));
    other_overflows = negative ? over.plus : over.minus;
  } else {
    const Leaves leaves = terms.leaves(arithmetic);
    Overflows over = overflows(arithmetic, terms.size(), result.facts, leaves, false, false);
    if (const auto stores = stores_of(sum, result.facts)) {
      over = sliced_overflows(arithmetic, result.facts, leaves, *stores);
    }
    other_overflows = !is_unbounded && arithmetic.may_overflow() && (negative ? over.plus : over.minus);
  }
  if (const Blocks* const blocks = sum.blocks(); blocks != nullptr && !is_unbounded) {
    // Blocks stay below twice what rule c says of one sign, and meet in another arithmetic.
    const Leaves leaves = terms.leaves(arithmetic);
    const Dyadic other = negative ? reach(arithmetic, result.facts.positive, leaves.positive, false)
                                  : reach(arithmetic, result.facts.negative, leaves.negative, false);
    result.set.nan |= arithmetic.promoted(blocks->promote.format).can_overflow(other.scaled(1));
  }
  result.set.nan |= terms.kinds().maybe_nan() || other_overflows || sum.is_compensated();
  return result;
}

}  // namespace negzero::oracle

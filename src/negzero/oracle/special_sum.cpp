// Infinities and NaN among the terms of a sum.

#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/sliced.hpp>
#include <negzero/oracle/special_sum.hpp>
#include <negzero/oracle/stepped.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

/// Whether the finite terms of the other sign may have overflowed before they meet an infinity.
bool others_may_overflow(const Sum& sum, Prefix& terms, const Facts& facts, bool negative) {
  const Arithmetic& arithmetic = sum.arithmetic;
  const auto other = [&](const Overflows& over) { return negative ? over.plus : over.minus; };
  const auto stores = stores_of(sum, facts);
  if (const UnitSteps* const steps = sum.unit_steps()) {
    return other(stepped_overflows(arithmetic, inspect_stepped(sum, terms.terms(), facts), steps->stepping, stores));
  }
  if (sum.lift == Lift::Unbounded) return false;
  for (const Arithmetic& each : sum.widths()) {
    if (!each.may_overflow()) continue;
    const Leaves own = terms.leaves(each);
    const bool overflows_here =
        other(stores ? sliced_overflows(each, facts, own, *stores) : overflows(sum, each, terms, facts, own, false));
    if (overflows_here) return true;
  }
  const Blocks* const blocks = sum.blocks();
  if (blocks == nullptr) return false;
  const Leaves leaves = terms.leaves(arithmetic);
  // Blocks stay below twice what rule c says of one sign, and meet in another arithmetic.
  const Dyadic most = negative ? reach(arithmetic, facts.positive, leaves.positive, false)
                               : reach(arithmetic, facts.negative, leaves.negative, false);
  return arithmetic.promoted(blocks->promote.format).can_overflow(most.scaled(1));
}

}  // namespace

SumResult special_sum(const Sum& sum, const Element& element) {
  Prefix& terms = element.terms;
  const TermKinds& kinds = terms.kinds();
  // An accumulator without infinities has NaN for them.
  const bool has_infinity =
      sum.arithmetic.format().has_infinity || (sum.blocks() == nullptr && sum.held().format().has_infinity);
  const bool lacks_infinity = !sum.arithmetic.format().has_infinity;
  SumResult result;
  result.rule = "sum.special";
  if (kinds.nan() || (kinds.infinity(false) && kinds.infinity(true))) {
    result.set = Set::only_nan();
    result.set.plus_infinity = has_infinity && kinds.nan_may_be_infinity(false);
    result.set.minus_infinity = has_infinity && kinds.nan_may_be_infinity(true);
    return result;
  }
  const bool negative = kinds.infinity(true);
  result.set = has_infinity ? Set::infinity(negative) : Set::only_nan();
  result.facts = terms.facts(element.exact_method);
  result.set.nan |= lacks_infinity || kinds.maybe_nan() || sum.is_compensated() ||
                    others_may_overflow(sum, terms, result.facts, negative);
  return result;
}

}  // namespace negzero::oracle

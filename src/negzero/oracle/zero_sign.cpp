// Signs of zero sums.

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/zero_sign.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using contract::Contraction;
using contract::Start;
using exact::Dyadic;

namespace {

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

}  // namespace

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
                       (leaves.all().below_eta != 0 && can_vanish(arithmetic, terms, fused));
    return;
  }
  bool positive = false, negative = false;
  for (std::size_t i = 0; i < terms.size(); ++i) ((terms.flags(i) & kNegative) != 0 ? negative : positive) = true;
  // A slice that does not hold C starts as it likes.
  const bool may_start_at_zero = contract.start != Start::FirstTerm;
  range.plus_zero = positive || !negative || may_start_at_zero;
  range.minus_zero = negative && !positive && contract.start != Start::PlusZero;
  if (arithmetic.rounding() == AccumulateRounding::Faithful) range.minus_zero |= negative;
}

}  // namespace negzero::oracle

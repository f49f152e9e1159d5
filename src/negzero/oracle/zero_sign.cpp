// Signs of zero sums.

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/zero_sign.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using contract::Start;
using exact::Dyadic;

bool can_vanish(const Arithmetic& arithmetic, const Terms& terms, std::size_t i, bool fused) {
  if (terms.is_zero(i)) return false;
  const Dyadic magnitude = terms.value(i).abs();
  if (magnitude.lowest_bit() >= arithmetic.eta_exponent()) return false;
  if (arithmetic.least(magnitude).value.is_zero()) return true;
  if (!fused) return false;
  const Dyadic below = Dyadic::from_encoding(
      arithmetic.format(), magnitude.round_to(arithmetic.format(), {.rounding = number::Rounding::TowardZero}));
  const Dyadic above = below + ulp(arithmetic.format(), magnitude);
  return arithmetic.least(magnitude - below).value.is_zero() || arithmetic.least(above - magnitude).value.is_zero();
}

void sign_zero(const Sum& sum, Prefix& terms, const Facts& facts, const Leaves& leaves, Set& set) {
  const Arithmetic& arithmetic = sum.arithmetic;
  if (sum.is_compensated() && facts.nonzero == 0) {
    // Among zeros the compensation is a zero of either sign.
    set.plus_zero = set.minus_zero = true;
    return;
  }
  if (facts.nonzero > 0) {
    set.plus_zero = true;
    // A term that may be dropped leaves a zero of its sign.
    set.minus_zero = !sum.tells_zeros || terms.kinds().optional();
    if (set.minus_zero || !set.holds_zero()) return;
    const bool flushed = arithmetic.may_flush() && facts.lowest_bit < arithmetic.format().min_normal_exponent();
    set.minus_zero = flushed || arithmetic.rounding() == AccumulateRounding::Faithful ||
                     (leaves.all().below_eta != 0 && terms.vanishes(arithmetic, sum.fuses()));
    return;
  }
  const bool positive = terms.kinds().any(false), negative = terms.kinds().any(true);
  // A slice that does not hold C starts as it likes.
  const bool may_start_at_zero = sum.start != Start::FirstTerm;
  set.plus_zero = positive || !negative || may_start_at_zero;
  set.minus_zero = negative && !positive && sum.start != Start::PlusZero;
  if (arithmetic.rounding() == AccumulateRounding::Faithful) set.minus_zero |= negative;
}

}  // namespace negzero::oracle

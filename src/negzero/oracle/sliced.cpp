// Rule 2f: what stores between two levels of additions can lose.
//
// Let z be the computed sums of the slices, y = fl_G(z) what is stored, B the bound of rule c for the terms. The slices
// are trees of their own, whose errors add up to at most B, and the |z| to at most S + B. A store errs by at most
// u_G |z| + e_G: all of them by D = u_G (S + B) + R e_G. The |y| add up to at most Y = S + B + D, which S is below.
//
// The additions: R slices of m_r terms err by k_r u S_r each, k_r = m_r - 1, or m_r with rounded products, and as each
// has a term, k_r <= k - R + 1 for k = m - 1, or m. The R - 1 additions of stored sums err by (R - 1) u Y. Together
// that is at most k u Y, and u Y more where beta * c joins the stored sums fused. In the ulp form each of the m - 1
// additions errs by half an ulp of a number below Y + k u Y. So either form is rule c's with Y in the place of S.

#include <algorithm>

#include <negzero/oracle/sliced.hpp>
#include <negzero/oracle/zero_sign.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

int least_exponent(const Arithmetic& arithmetic, const number::Format& stored) {
  return arithmetic.may_flush() ? stored.min_normal_exponent() : stored.eta_exponent();
}

/// What all additions err by where the magnitudes of what is added are at most `magnitudes` in all.
Dyadic additions(const Arithmetic& arithmetic, const LeafCount& leaves, const Dyadic& magnitudes, bool joins_flush) {
  return sum_bound(arithmetic, {magnitudes, {}}, leaves, {joins_flush}) + magnitudes.scaled(-arithmetic.precision());
}

/// P'' of terms of one sign: what sums of their slices' stored sums reach at most. `reached` is what slices do.
Dyadic reach_stored(const Arithmetic& arithmetic, const LeafCount& leaves, const SliceStores& stores,
                    const Dyadic& reached) {
  const Dyadic magnitudes = stores.stored(reached);
  return magnitudes + additions(arithmetic, leaves, magnitudes, false);
}

}  // namespace

std::optional<SliceStores> stores_of(const Sum& sum, const Facts& facts) {
  const Stores* const declared = sum.stores();
  if (declared == nullptr) return std::nullopt;
  const Arithmetic& arithmetic = sum.arithmetic;
  SliceStores stores;
  stores.format = &number::format(declared->format);
  stores.unit = Dyadic::power_of_two(-stores.format->precision());
  const int least = least_exponent(arithmetic, *stores.format);
  if (facts.nonzero == 0 || facts.lowest_bit >= least) return stores;
  const auto most = static_cast<std::int64_t>(facts.nonzero);
  const std::int64_t slices = declared->slices == 0 ? most : std::min(most, declared->slices);
  // What is flushed is below the smallest normal number; what underflows is rounded by half of the smallest.
  stores.underflow = Dyadic(slices, arithmetic.may_flush() ? least : least - 1);
  return stores;
}

bool stores_exactly(const Arithmetic& arithmetic, const SliceStores& stores, const Facts& facts) {
  if (facts.nonzero == 0) return true;
  const number::Format& format = *stores.format;
  return facts.lowest_bit >= least_exponent(arithmetic, format) &&
         facts.magnitude() <= Dyadic::power_of_two(facts.lowest_bit + format.precision()) &&
         std::max(facts.positive, facts.negative) <= arithmetic.in(format.id).max_finite();
}

Overflows sliced_overflows(const Arithmetic& arithmetic, const Facts& facts, const Leaves& leaves,
                           const SliceStores& stores) {
  const Arithmetic narrow = arithmetic.in(stores.format->id);
  const auto overflows = [&](const Dyadic& one_sign, const LeafCount& count) {
    const Dyadic reached = reach(arithmetic, one_sign, count, false);
    return narrow.can_overflow(reached) || arithmetic.can_overflow(reach_stored(arithmetic, count, stores, reached));
  };
  return {.plus = overflows(facts.positive, leaves.positive), .minus = overflows(facts.negative, leaves.negative)};
}

SumResult with_stored_slices(const Sum& sum, const Element& element, const SliceStores& stores, SumResult plain) {
  const Arithmetic& arithmetic = sum.arithmetic;
  const Facts& facts = plain.facts;
  const bool exact = plain.rule == "sum.exact";
  if (exact && stores_exactly(arithmetic, stores, facts)) return plain;
  const Leaves leaves = element.terms.leaves(arithmetic);
  const Dyadic sums = exact ? facts.magnitude() : facts.magnitude() + plain.bound;
  const bool joins_flush = facts.lowest_bit < arithmetic.format().min_normal_exponent();
  const Dyadic bound = stores.lost(sums) + additions(arithmetic, leaves.all(), stores.stored(sums), joins_flush);
  const Dyadic low = facts.sum_low - bound, high = facts.sum_high + bound;
  const bool beyond = arithmetic.max_finite() < std::max(facts.positive, facts.negative) + bound;
  Set set;
  const bool is_unbounded = sum.lift == Lift::Unbounded;
  if (sum.ends == Ends::Real || (is_unbounded && beyond)) {
    set = Set::interval(low, high, arithmetic.eta_exponent());
  } else {
    set = inward(arithmetic, low, high, std::max(facts.lowest_bit, arithmetic.eta_exponent()));
  }
  if (!is_unbounded) permit_overflow(arithmetic, sliced_overflows(arithmetic, facts, leaves, stores), set);
  if (set.finite) {
    sign_zero(sum, element.terms, facts, leaves, set);
    // A slice's sum may underflow to -0, and all of them may.
    set.minus_zero |= stores.underflow.sign() > 0;
  }
  SumResult result = std::move(plain);
  set.join(result.set);
  result.set = set;
  result.bound = bound;
  result.rule = set.any_infinity() || set.nan ? "sum.overflow" : kSliced;
  result.exact = false;
  return result;
}

}  // namespace negzero::oracle

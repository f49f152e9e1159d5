// Sums values as they are, or each divided by their number.

#include <negzero/oracle/between.hpp>
#include <negzero/oracle/value_element.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

/// Each element times fl(1 / count), unrounded.
TermIntervals times_reciprocal(const Arithmetic& arithmetic, const Terms& terms, std::int64_t count) {
  const Real factor = reciprocal(arithmetic.format(), count);
  TermIntervals products;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    products.low.push_product(factor, terms.real(i), (terms.flags(i) & kOptional) != 0, true);
  }
  return products;
}

/// fl(x / count) for each element x: one value, or what faithful rounding and flushing leave to choose from.
TermIntervals divided(const Arithmetic& arithmetic, const Terms& terms, std::int64_t count) {
  const Real one{number::Class::Normal, false, Dyadic(1)};
  const number::Class beyond = arithmetic.format().has_infinity ? number::Class::Infinity : number::Class::Nan;
  TermIntervals quotients;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Real x = terms.real(i);
    const auto held = [&](const Rounded& quotient) -> Real {
      if (x.is_infinite()) return x;
      if (quotient.overflow) return {beyond, x.negative, {}};
      return {quotient.value.is_zero() ? number::Class::Zero : number::Class::Normal, x.negative, quotient.value};
    };
    // The division takes the element.
    const Set taken = arithmetic.operand(Set::value(x.value));
    const Real low = held(arithmetic.least(sticky_quotient(taken.low, count))),
               high = held(arithmetic.greatest(sticky_quotient(taken.high, count)));
    const bool optional = (terms.flags(i) & kOptional) != 0;
    quotients.low.push_product(one, low, optional);
    quotients.high.push_product(one, high, optional);
    quotients.same &= low.kind == high.kind && low.value == high.value;
  }
  return quotients;
}

}  // namespace

SumResult ValueElement::sum(const Path& path) {
  const auto* const averaged = std::get_if<Averaged>(&path.terms.scaled);
  // A NaN among the elements is all that counts, divided or not.
  if (averaged == nullptr || terms_.kinds().nan()) return evaluate(*path.sum, {terms_, exact_method_});
  const auto& scale = averaged->divides ? divided : times_reciprocal;
  return evaluate_between(*path.sum, scale(averaged->arithmetic, terms_.terms(), averaged->count), exact_method_);
}

}  // namespace negzero::oracle

// Sums values as they are, or each divided by their number.

#include <negzero/oracle/between.hpp>
#include <negzero/oracle/value_element.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

/// Element `i`: as it is, or the ends of what a load into the accumulator makes of it.
struct Loaded {
  Real low, high;
};
Loaded loaded(const Averaged& averaged, const Terms& terms, std::size_t i) {
  const Real x = terms.real(i);
  if (!averaged.loads || !x.is_finite()) return {x, x};
  const number::Class beyond = averaged.arithmetic.format().has_infinity ? number::Class::Infinity : number::Class::Nan;
  const Set set = averaged.arithmetic.load(x.value, x.negative);
  const auto end = [&](const Dyadic& value, bool overflows) -> Real {
    if (!set.finite || overflows) return {beyond, x.negative, {}};
    return {value.is_zero() ? number::Class::Zero : number::Class::Normal, x.negative, value};
  };
  return {end(set.low, set.minus_infinity), end(set.high, set.plus_infinity)};
}

/// Whether a multiplication in that arithmetic may take the number for zero; one that must, becomes zero.
bool is_taken_for_zero(const Arithmetic& arithmetic, Real& x) {
  if (!x.is_finite()) return false;
  const Set taken = arithmetic.operand(Set::value(x.value));
  if (taken.single() && taken.low.is_zero()) x = {number::Class::Zero, x.negative, {}};
  return !taken.single();
}

/// Each element times fl(1 / count), unrounded.
TermIntervals times_reciprocal(const Averaged& averaged, const Terms& terms) {
  const Real factor = reciprocal(averaged.arithmetic.format(), averaged.count);
  TermIntervals products;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    Loaded x = loaded(averaged, terms, i);
    bool optional = (terms.flags(i) & kOptional) != 0;
    for (Real* const end : {&x.low, &x.high}) optional |= is_taken_for_zero(averaged.arithmetic, *end);
    products.low.push_product(factor, x.low, optional, true);
    products.high.push_product(factor, x.high, optional, true);
    products.same &= x.low == x.high;
  }
  return products;
}

/// fl(x / count) for each element x: one value, or what faithful rounding and flushing leave to choose from.
TermIntervals divided(const Averaged& averaged, const Terms& terms) {
  const Arithmetic& arithmetic = averaged.arithmetic;
  const std::int64_t count = averaged.count;
  const Real one{number::Class::Normal, false, Dyadic(1)};
  const number::Class beyond = arithmetic.format().has_infinity ? number::Class::Infinity : number::Class::Nan;
  TermIntervals quotients;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Loaded ends = loaded(averaged, terms, i);
    const auto held = [&](const Real& x, const auto& quotient) -> Real {
      if (!x.is_finite()) return x;
      // The division takes the element.
      const Rounded rounded = quotient(arithmetic.operand(Set::value(x.value)));
      if (rounded.overflow) return {beyond, x.negative, {}};
      return {rounded.value.is_zero() ? number::Class::Zero : number::Class::Normal, x.negative, rounded.value};
    };
    const Real low = held(ends.low, [&](const Set&x) { return arithmetic.least(sticky_quotient(x.low, count)); }),
               high = held(ends.high, [&](const Set&x) { return arithmetic.greatest(sticky_quotient(x.high, count)); });
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
  return in_detail(*path.sum, [&](const Sum& sum) {
    if (averaged == nullptr || terms_.kinds().nan()) return evaluate(sum, {terms_, exact_method_});
    const auto& scale = averaged->divides ? divided : times_reciprocal;
    return evaluate_between(sum, scale(*averaged, terms_.terms()), exact_method_);
  });
}

}  // namespace negzero::oracle

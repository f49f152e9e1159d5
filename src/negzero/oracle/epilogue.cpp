// Scales a finished sum and adds C.

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/epilogue.hpp>

namespace negzero::oracle {

using contract::Contraction;
using contract::Subnormals;
using exact::Dyadic;

namespace {

/// C as it is loaded into `arithmetic`.
Set loaded(const Arithmetic& arithmetic, const Real& c) {
  if (c.is_infinite() && !arithmetic.format().has_infinity) return Set::only_nan();
  Set set = c.is_finite() ? arithmetic.load(c.value, c.negative) : c.set();
  if (is_optional(c)) set.unite(Set::value(Dyadic(), !c.negative, c.negative));
  return set;
}

/// alpha * x + added: an addition to `scaled`, which is alpha * x, or an fma with alpha; or `with_product`, the fma
/// with beta.
Set contracted(const AddC& step, const Set& x, const Set& scaled, const Set& added, const Set& with_product) {
  Set result;
  if (step.contraction != Contraction::Fused) result.unite(add(step.arithmetic, scaled, added));
  if (step.contraction != Contraction::Separate) {
    result.unite(with_product);
    if (step.alpha) result.unite(multiply_add(step.arithmetic, x, *step.alpha, added));
  }
  return result;
}

}  // namespace

Real read_c(const number::Format& format, std::uint64_t word, Subnormals flushing) {
  Real c = Real::from_encoding(format, word);
  if (c.kind != number::Class::Subnormal || flushing == Subnormals::Either) return c;
  if (flushing == Subnormals::Flush) return {number::Class::Zero, c.negative, {}};
  c.kind = number::Class::Normal;
  return c;
}

bool loads_exactly(const Arithmetic& arithmetic, const Real& c) {
  if (!c.is_finite()) return true;
  if (c.value.is_zero() || is_optional(c)) return arithmetic.holds(c.value);
  const bool flushed =
      arithmetic.inputs() != Subnormals::Keep && c.value.floor_log2() < arithmetic.format().min_normal_exponent();
  return arithmetic.holds(c.value) && !flushed;
}

std::vector<Real> loaded_leaves(const Arithmetic& arithmetic, const Real& c) {
  if (!c.is_finite() || loads_exactly(arithmetic, c)) return {};
  const Set set = arithmetic.operand(loaded(arithmetic, c));
  std::vector<Real> leaves;
  const auto number = [&](const Dyadic& value) {
    leaves.push_back({value.is_zero() ? number::Class::Zero : number::Class::Normal, c.negative, value});
  };
  if (set.finite) number(set.low);
  if (set.finite && set.low != set.high) number(set.high);
  if (set.plus_infinity) leaves.push_back({number::Class::Infinity, false, {}});
  if (set.minus_infinity) leaves.push_back({number::Class::Infinity, true, {}});
  if (set.nan) leaves.push_back({number::Class::Nan, false, {}});
  return leaves;
}

Set addend(const Arithmetic& arithmetic, const Real& beta, const Real& c) {
  const Set source = loaded(arithmetic, c);
  return beta.is_one() ? source : multiply(arithmetic, source, beta);
}

Set add_c(const AddC& step, const Set& x, const Real& c) {
  const Arithmetic& in = step.arithmetic;
  const Set scaled = !step.alpha || step.alpha->is_one() ? x : multiply(in, x, *step.alpha);
  Set result =
      contracted(step, x, scaled, addend(in, step.beta, c), multiply_add(in, loaded(in, c), step.beta, scaled));
  if (!step.ends_chain || step.beta.is_one() || !step.beta.is_finite() || loads_exactly(in, c)) return result;
  const Dyadic product = step.beta.value * c.value;
  const Set added = in.round(product, product, true, false, product.lowest_bit());
  result.unite(contracted(step, x, scaled, added, add_product(in, scaled, product, product.sign() < 0)));
  return result;
}

}  // namespace negzero::oracle

// Scales a finished sum and adds C.

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/epilogue.hpp>

namespace negzero::oracle {

using contract::Contraction;
using contract::Subnormals;
using exact::Dyadic;
using number::FormatId;

namespace {

FormatId wider_of(FormatId a, FormatId b) {
  return number::format(a).precision() >= number::format(b).precision() ? a : b;
}

/// A scalar in the format that the contract computes it in.
Real scalar_of(const operation::Scalar& scalar, const contract::Contract& contract) {
  const number::Format& own = number::format(scalar.format);
  if (!contract.scalar_format) return Real::from_encoding(own, scalar.bits);
  const number::Format& format = number::format(*contract.scalar_format);
  return Real::from_encoding(format, number::convert(own, scalar.bits, format, {}));
}

}  // namespace

Epilogue::Epilogue(const operation::Gemm& gemm, const contract::Contract& contract)
    : contract_(contract),
      alpha_(scalar_of(gemm.alpha, contract)),
      beta_(scalar_of(gemm.beta, contract)),
      scalar_format_(contract.scalar_format.value_or(wider_of(gemm.alpha.format, gemm.beta.format))),
      reads_c_(!beta_.is_zero() || contract.reads_c()),
      scales_(!(alpha_.is_finite() && alpha_.value.abs() == Dyadic(1))) {}

std::vector<Arithmetic> Epilogue::arithmetics(const Arithmetic& sum) const {
  const FormatId own = sum.format().id, wide = wider_of(own, scalar_format_);
  if (wide == own || contract_.scalar_format) return {sum.in(wide)};
  if (!contract_.wider) return {sum};
  return {sum, sum.in(wide)};
}

Real Epilogue::read(const number::Format& format, std::uint64_t word, Subnormals flushing) {
  Real c = Real::from_encoding(format, word);
  if (c.kind != number::Class::Subnormal || flushing == Subnormals::Either) return c;
  if (flushing == Subnormals::Flush) return {number::Class::Zero, c.negative, {}};
  c.kind = number::Class::Normal;
  return c;
}

bool Epilogue::loads_exactly(const Arithmetic& arithmetic, const Real& c) const {
  if (!c.is_finite()) return true;
  if (c.value.is_zero() || optional(c)) return arithmetic.holds(c.value);
  const bool flushed =
      arithmetic.inputs() != Subnormals::Keep && c.value.floor_log2() < arithmetic.format().min_normal_exponent();
  return arithmetic.holds(c.value) && !flushed;
}

Set Epilogue::loaded(const Arithmetic& arithmetic, const Real& c) const {
  if (c.is_infinite() && !arithmetic.format().has_infinity) return Set::only_nan();
  Set set = c.is_finite() ? arithmetic.load(c.value, c.negative) : c.set();
  if (optional(c)) set.join(Set::value(Dyadic(), !c.negative, c.negative));
  return set;
}

std::vector<Real> Epilogue::loaded_leaves(const Arithmetic& arithmetic, const Real& c) const {
  if (!reads_c_ || beta_.is_one() || !c.is_finite() || loads_exactly(arithmetic, c)) return {};
  const Set set = arithmetic.operand(loaded(arithmetic, c));
  std::vector<Real> leaves;
  const auto number = [&](const Dyadic& value) {
    leaves.push_back({value.is_zero() ? number::Class::Zero : number::Class::Normal, c.negative, value});
  };
  if (set.finite) number(set.low);
  if (set.finite && set.low != set.high) number(set.high);
  if (set.plus_infinity) leaves.push_back({number::Class::Infinity, false, {}});
  if (set.minus_infinity) leaves.push_back({number::Class::Infinity, true, {}});
  return leaves;
}

Set Epilogue::addend(const Arithmetic& arithmetic, const Real& c) const {
  const Set source = loaded(arithmetic, c);
  return beta_.is_one() ? source : multiply(arithmetic, source, beta_);
}

Set Epilogue::scaled(const Arithmetic& arithmetic, const Set& sum, bool alpha) const {
  return !alpha || alpha_.is_one() ? sum : multiply(arithmetic, sum, alpha_);
}

Set Epilogue::contracted(const Arithmetic& arithmetic, const Set& sum, const Set& alpha_sum, bool alpha,
                         const Set& added, const Set& with_product) const {
  Set result;
  if (contract_.contraction != Contraction::Fused) result.join(add(arithmetic, alpha_sum, added));
  if (contract_.contraction != Contraction::Separate) {
    result.join(with_product);
    if (alpha) result.join(multiply_add(arithmetic, sum, alpha_, added));
  }
  return result;
}

Set Epilogue::finish(const Arithmetic& arithmetic, const Set& sum, bool alpha, const Real& c) const {
  const Set alpha_sum = scaled(arithmetic, sum, alpha);
  if (!reads_c_) return alpha_sum;
  return contracted(arithmetic, sum, alpha_sum, alpha, addend(arithmetic, c),
                    multiply_add(arithmetic, loaded(arithmetic, c), beta_, alpha_sum));
}

Set Epilogue::finish_chain(const Arithmetic& arithmetic, const Set& sum, bool alpha, const Real& c) const {
  Set result = finish(arithmetic, sum, alpha, c);
  if (!reads_c_ || beta_.is_one() || !beta_.is_finite() || loads_exactly(arithmetic, c)) return result;
  const Dyadic product = beta_.value * c.value;
  const Set added = arithmetic.round(product, product, true, false, product.lowest_bit());
  const Set alpha_sum = scaled(arithmetic, sum, alpha);
  result.join(contracted(arithmetic, sum, alpha_sum, alpha, added,
                         add_product(arithmetic, alpha_sum, product, product.sign() < 0)));
  return result;
}

}  // namespace negzero::oracle

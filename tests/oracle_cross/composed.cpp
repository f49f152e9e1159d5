// Adds up everything that can be lost.

#include "composed.hpp"

#include <algorithm>

namespace negzero::oracle_cross {

namespace {

/// An interval of values: where flushing leaves a choice, zero is one of them.
struct Ends {
  Rational low = 0, high = 0;

  void hold(const Rational& value) {
    low = std::min<Rational>(low, value);
    high = std::max<Rational>(high, value);
  }
  [[nodiscard]] Rational magnitude() const { return std::max<Rational>(-low, high); }
};

struct Facts {
  Ends sum{};
  Rational magnitude = 0;
  int nonzero = 0;
};

/// Whether the first operation may take the value for zero.
bool may_vanish(const Machine& machine, const Term& term, const Rational& value) {
  return !term.product && machine.inputs != Flush::Keep && abs(value) < power_of_two(machine.format().min_exponent);
}

std::optional<Facts> facts_of(const Machine& machine, const std::vector<Term>& terms) {
  Facts facts;
  for (const Term& term : terms) {
    Rational low = 0;
    Rational high = 0;
    bool first = true;
    for (const Number& number : term.exact) {
      if (number.kind != Number::Kind::Finite) return std::nullopt;
      const Rational value = to_rational(number);
      low = first ? value : std::min<Rational>(low, value);
      high = first ? value : std::max<Rational>(high, value);
      first = false;
      if (!may_vanish(machine, term, value)) continue;
      low = std::min<Rational>(low, 0);
      high = std::max<Rational>(high, 0);
    }
    facts.sum.low += low;
    facts.sum.high += high;
    facts.magnitude += std::max<Rational>(abs(low), abs(high));
    facts.nonzero += low != 0 || high != 0 ? 1 : 0;
  }
  return facts;
}

Rational excess(const SmallFormat& format, const Rational& magnitude) {
  return std::max<Rational>(magnitude - max_finite(format), 0);
}

/// The format that multiplicands are rounded to; nothing where they are exact.
std::optional<SmallFormat> multiplicand_format(contract::Multiplicand multiplicand) {
  using contract::Multiplicand;
  switch (multiplicand) {
    case Multiplicand::Exact:
      return std::nullopt;
    case Multiplicand::Bf16:
      return small_format(number::FormatId::BF16);
    case Multiplicand::F16:
      return small_format(number::FormatId::F16);
    case Multiplicand::Tf32Truncate:
    case Multiplicand::Tf32NearestAway:
    case Multiplicand::Tf32NearestEven:
    case Multiplicand::Tf32Any:
    case Multiplicand::Tf32OrExact:
      break;
  }
  return small_format(number::FormatId::TF32);
}

}  // namespace

std::optional<Composed> composed_bound(const Scenario& scenario, const OperandSet& set, const Machine& machine) {
  const contract::Contract& contract = scenario.contract;
  const SmallFormat& format = machine.stored ? machine.last : machine.format();
  const bool gemm = scenario.shape == Scenario::Shape::Gemm;
  const Number alpha_number = gemm ? scenario.alpha_value() : make_number(1);
  const Number beta = gemm ? scenario.beta_value() : make_number(0);
  if (alpha_number.kind != Number::Kind::Finite || alpha_number.is_zero() || beta.kind != Number::Kind::Finite) {
    return std::nullopt;
  }
  const auto known = facts_of(machine, terms_of(scenario, set, machine));
  if (!known) return std::nullopt;
  const Rational alpha = to_rational(alpha_number);
  Ends addend;
  if (!beta.is_zero()) {
    const Number c = scenario.addend().decode(set.c);
    if (c.kind != Number::Kind::Finite) return std::nullopt;
    const Rational product = to_rational(multiply(beta, c));
    const bool may_vanish =
        scenario.addend().is_subnormal(set.c) && contract.subnormal_inputs != contract::Subnormals::Keep;
    may_vanish ? addend.hold(product) : void(addend = {product, product});
  }
  const Rational magnitude = abs(alpha) * known->magnitude + addend.magnitude();

  const bool flushes = machine.rounder.flush != Flush::Keep || machine.inputs != Flush::Keep;
  const Rational tiny = power_of_two(flushes ? format.min_exponent : format.eta_exponent());
  const Rational delta = power_of_two((machine.rounder.mode == Mode::NearestEven ? 0 : 1) - format.precision);
  const int m = known->nonzero;
  const int depth = m + 2 + (beta.is_zero() ? 0 : 1) + (contract.compensated ? 1 : 0) + (machine.stored ? 1 : 0);
  Rational step = 1 + delta;
  if (mixes(contract)) {
    step = 1;
    for (const Machine& each : mixed_machines(contract)) {
      step *= 1 + power_of_two((each.rounder.mode == Mode::NearestEven ? 0 : 1) - each.format().precision);
    }
  }
  Rational growth = 1;
  for (int i = 0; i < depth; ++i) growth *= step;

  const int values = 3 * m + 3 + (contract.compensated ? 20 * static_cast<int>(set.a.size() + 1) : 0);
  Rational lost = (1 + abs(alpha)) * values * tiny;
  Rational rounded = 0;
  bool operand_overflows = false;
  const bool folds = gemm && alpha != 1 && contract.alpha != contract::AlphaPlace::Epilogue;
  if (folds) {
    const auto multiplicand = multiplicand_format(contract.multiplicand);
    Rational partners = 0;
    const auto visit = [&](number::FormatId id, const Codes& codes) {
      for (const Code code : codes) {
        const Rational value = abs(to_rational(small_format(id).decode(code)));
        partners += value;
        const Rational scaled = abs(alpha) * value * (1 + delta);
        operand_overflows |= scaled >= max_finite(format) ||
                             (multiplicand && scaled * (1 + delta) >= max_finite(*multiplicand) * Rational(255, 256));
      }
    };
    visit(scenario.a, set.a);
    visit(scenario.b, set.b);
    lost += tiny * partners;
    if (multiplicand) {
      rounded = 4 * power_of_two(1 - multiplicand->precision) * magnitude +
                2 * (1 + abs(alpha)) * power_of_two(multiplicand->eta_exponent()) * partners;
    }
  }
  Rational bound = (growth - 1) * magnitude + growth * lost + rounded;

  const Rational before = growth * known->magnitude + growth * lost + rounded;
  const Rational after = growth * magnitude + growth * lost + rounded;
  Composed result;
  result.overflows = operand_overflows || std::max<Rational>(before, after) >= max_finite(format);
  if (machine.rounder.mode != Mode::NearestEven) {
    bound += growth * (abs(alpha) * excess(format, before) + excess(format, after));
  }
  // A folded operand may saturate too, where the accumulator or the multiplicand truncates.
  if (operand_overflows) bound += after;
  const Rational low = alpha > 0 ? known->sum.low : known->sum.high;
  const Rational high = alpha > 0 ? known->sum.high : known->sum.low;
  result.low = alpha * low + addend.low - bound;
  result.high = alpha * high + addend.high + bound;
  return result;
}

}  // namespace negzero::oracle_cross

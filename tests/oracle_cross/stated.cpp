// From bounds to sets, as numerics.md 2d says: round inward to the accumulator's grid, then through the output.

#include "stated.hpp"

#include <algorithm>

#include "composed.hpp"
#include "flushing.hpp"

namespace negzero::oracle_cross {

namespace {

using contract::AlphaPlace;
using contract::BetaPlace;

/// y^ lies within `bound` of `centre`; `largest` bounds every value on the way.
struct Reachable {
  Rational centre, bound, largest;
};

/// An end in a wider accumulator, stored to the declared one. Nothing where it overflows.
std::optional<Rational> stored_end(const Scenario& scenario, const Rational& value) {
  const SmallFormat declared = declared_machine(scenario.contract).last;
  const Code code = Rounder{declared}.round(to_number(value));
  if (!is_finite(declared, code)) return std::nullopt;
  return to_rational(declared.decode(code));
}

bool is_wide(const Scenario& scenario, const Machine& machine) {
  return outer_machine(scenario.contract, machine).format() != declared_machine(scenario.contract).last;
}

/// One number each, which no operation takes for another.
bool decided(const Machine& machine, const std::vector<Term>& terms) {
  const Rational least = power_of_two(machine.format().min_exponent);
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    if (term.exact.size() != 1 || term.exact.front().kind != Number::Kind::Finite) return false;
    return term.product || machine.inputs == Flush::Keep || abs(to_rational(term.exact.front())) >= least ||
           term.exact.front().is_zero();
  });
}

/// Steps of the output for a real end: inward to the accumulator's grid when `grid`, then every output rounding.
Code end_of(const Scenario& scenario, const SmallFormat& format, const Rational& value, bool upper, bool grid) {
  Number number = to_number(value);
  if (grid) {
    const Rounder inward{format, upper ? Mode::Down : Mode::Up};
    number = format.decode(inward.round(number));
  }
  for (Rounder step : output_steps(scenario)) number = step.format.decode(step.round(number));
  return scenario.output().has_infinity || number.kind == Number::Kind::Finite
             ? Rounder{scenario.output()}.round(number)
             : kNan;
}

/// Extends the set by one end; an infinite or NaN end leaves the largest number as the finite end.
void include(const SmallFormat& output, Code code, bool upper, bool first, Stated& set) {
  const auto largest = static_cast<std::int64_t>(output.max_magnitude);
  std::int64_t end = upper ? largest : -largest;
  if (code == kNan) {
    set.nan = true;
  } else if (!is_finite(output, code)) {
    ((code & kSignBit) != 0 ? set.minus_infinity : set.plus_infinity) = true;
    end = (code & kSignBit) != 0 ? -largest : largest;
  } else {
    end = steps(code);
  }
  if (upper) set.high = first ? end : std::max(set.high, end);
  if (!upper) set.low = first ? end : std::min(set.low, end);
}

/// A special result through the output's roundings, which may make it finite.
void include_special(const Scenario& scenario, const SmallFormat& format, Code code, bool first, Stated& set) {
  Number number = format.decode(code);
  Code out = code;
  for (const Rounder& step : output_steps(scenario)) {
    out = step.round(number);
    number = step.format.decode(out);
  }
  if (out != kNan && is_finite(scenario.output(), out)) {
    include(scenario.output(), out, false, first, set);
    include(scenario.output(), out, true, first, set);
  } else {
    (out == kNan ? set.nan : (out & kSignBit) != 0 ? set.minus_infinity : set.plus_infinity) = true;
  }
}

/// Section 3 for a plain sum that may overflow: infinities by P' and N', NaN where both may, ends widened by
/// saturation.
void overflow(const Scenario& scenario, const Machine& machine, const std::vector<Term>& leaves, const Reachable& sum,
              bool first, Stated& set) {
  const SmallFormat& format = machine.format();
  const Mode mode = machine.rounder.mode;
  const SumFacts known = facts(leaves);
  const Rational threshold = overflow_threshold(format, mode);
  const Rational largest = max_finite(format);
  const Rational up = reachable_magnitude(machine, known.positive, sum.bound);
  const Rational down = reachable_magnitude(machine, known.negative, sum.bound);
  const bool saturates = mode != Mode::NearestEven;
  const Rational below = saturates ? std::max<Rational>(up - largest, 0) : Rational(0);
  const Rational above = saturates ? std::max<Rational>(down - largest, 0) : Rational(0);
  const bool grid = machine.format() == declared_machine(scenario.contract).format();
  include(scenario.output(), end_of(scenario, format, sum.centre - sum.bound - below, false, grid), false, first, set);
  include(scenario.output(), end_of(scenario, format, sum.centre + sum.bound + above, true, grid), true, first, set);
  if (mode == Mode::TowardZero) return;
  const bool any = scenario.contract.compensated || !format.has_infinity;
  const bool rises = up >= threshold;
  const bool falls = down >= threshold;
  if (any ? rises || falls : rises && falls) include_special(scenario, format, kNan, false, set);
  if (!format.has_infinity) return;
  const bool both = scenario.contract.compensated && (rises || falls);
  if (rises || both) include_special(scenario, format, format.infinity(), false, set);
  if (falls || both) include_special(scenario, format, format.infinity() | kSignBit, false, set);
}

/// The bound of the sum alone, blocks and outer sum where the contract promotes.
Reachable bound_sum(const Scenario& scenario, const Machine& machine, const std::vector<Term>& terms) {
  const SumFacts known = facts(terms);
  Reachable result{known.sum, 0, known.magnitude};
  if (mixes(scenario.contract) && machine.format() != declared_machine(scenario.contract).format()) {
    std::vector<Machine> mixed = mixed_machines(scenario.contract);
    mixed.front().additions = machine.additions;
    result.bound = mixed_bound(mixed, terms);
  } else if (!scenario.contract.promote) {
    result.bound = sum_bound(machine, terms, scenario.contract.compensated);
  } else {
    const Machine outer = outer_machine(scenario.contract, machine);
    const auto every = static_cast<std::size_t>(scenario.contract.promote->every);
    std::vector<Rational> magnitudes;
    for (std::size_t first = 0; first < terms.size(); first += every) {
      const std::size_t count = std::min(every, terms.size() - first);
      const auto block = std::span(terms).subspan(first, count);
      const Rational bound = sum_bound(machine, block);
      result.bound += bound;
      magnitudes.push_back(abs(facts(block).sum) + bound);
    }
    result.bound += outer_bound(outer, magnitudes);
  }
  result.largest += result.bound;
  return result;
}

/// alpha folded into an operand: u |alpha| S more than the larger of the bounds before and after, and what the scaling
/// itself loses where it underflows. The centre is the unfolded alpha s.
Reachable bound_folded(const Scenario& scenario, const OperandSet& set, const Machine& machine,
                       const std::vector<Term>& folded, int fold) {
  const std::vector<Term> plain = terms_of(scenario, set, machine);
  std::vector<Term> scaled = folded;  // the leaf of beta c, where there is one, stands last and is not scaled
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Number& product = plain[i].exact.front();
    // A product of F64 may have more bits than multiply() takes.
    const bool is_long = (product.significand >> 64) != 0;
    scaled[i].exact = {is_long ? to_number(to_rational(product) * to_rational(scenario.alpha_value()))
                               : multiply(scenario.alpha_value(), product)};
  }
  const Rational scale = to_rational(scenario.alpha_value());
  const Reachable before = bound_sum(scenario, machine, scaled);
  Reachable result = bound_sum(scenario, machine, folded);
  const Rational relative =
      power_of_two((machine.rounder.mode == Mode::NearestEven ? 0 : 1) - machine.format().precision);
  result.bound = std::max<Rational>(before.bound, result.bound);
  result.bound += relative * abs(scale) * facts(plain).magnitude;
  result.largest += relative * abs(scale) * facts(plain).magnitude;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Number value =
        fold == 1 ? small_format(scenario.a).decode(set.a[i]) : small_format(scenario.b).decode(set.b[i]);
    const Number other =
        fold == 1 ? small_format(scenario.b).decode(set.b[i]) : small_format(scenario.a).decode(set.a[i]);
    const Rational magnitude = abs(scale * to_rational(value));
    if (magnitude >= power_of_two(machine.format().min_exponent)) continue;
    const bool flushes = machine.rounder.flush != Flush::Keep || machine.inputs != Flush::Keep;
    const int lost = flushes ? machine.format().min_exponent : machine.format().eta_exponent();
    result.bound += power_of_two(lost) * abs(to_rational(other));
  }
  result.centre = before.centre;
  return result;
}

/// By the rules for single features; nothing where they do not say what several together do.
std::optional<Stated> sharply_stated(const Scenario& scenario, const OperandSet& set) {
  const contract::Contract& contract = scenario.contract;
  if (contract.overflow == contract::OverflowPolicy::Either || contract.alpha == AlphaPlace::Partial)
    return std::nullopt;
  if (!contract.intermediate.empty() && contract.intermediate_at == contract::IntermediateAt::Sum) return std::nullopt;
  const bool gemm = scenario.shape == Scenario::Shape::Gemm;
  const Number alpha = gemm ? scenario.alpha_value() : make_number(1);
  const Number beta = gemm ? scenario.beta_value() : make_number(0);
  if (alpha.kind != Number::Kind::Finite || beta.kind != Number::Kind::Finite || alpha.is_zero()) return std::nullopt;
  const Rational scale = to_rational(alpha);
  const bool has_c = !beta.is_zero();
  const Number c = scenario.addend().decode(set.c);
  if (contract.subnormal_inputs != contract::Subnormals::Keep && scenario.addend().is_subnormal(set.c)) {
    return std::nullopt;
  }
  if (has_c && c.kind != Number::Kind::Finite) return std::nullopt;
  // Where C joins the blocks of a promoted sum nobody declares.
  if (has_c && contract.promote) return std::nullopt;
  const Rational beta_c = has_c ? to_rational(multiply(beta, c)) : Rational(0);
  const bool beta_is_one = to_rational(beta) == 1;

  // What a folded alpha loses beyond u |alpha| S, where it is truncated, flushed or rounded once more, is not stated.
  const Machine declared = declared_machine(contract);
  const bool keeps = declared.rounder.flush == Flush::Keep && declared.inputs == Flush::Keep;
  const bool plain =
      keeps && declared.rounder.mode == Mode::NearestEven && contract.multiplicand == contract::Multiplicand::Exact;
  if (scale != 1 && contract.alpha != AlphaPlace::Epilogue && !plain) return std::nullopt;

  Stated result;
  bool first = true;
  for (const Machine& machine : machines(scenario)) {
    const Machine last = last_machine(contract, machine);
    const Rational limit = overflow_threshold(last.format(), last.rounder.mode);
    const Machine& narrowest = mixes(contract) ? declared : machine;
    const Rational inner_limit = overflow_threshold(narrowest.format(), narrowest.rounder.mode);
    for (int fold = 0; fold < (scale == 1 ? 1 : 3); ++fold) {
      const bool at_place = scale == 1 || contract.alpha == AlphaPlace::Any ||
                            contract.alpha == (fold == 0 ? AlphaPlace::Epilogue : AlphaPlace::Operand);
      const std::vector<Term> terms = terms_of(scenario, set, machine, fold);
      if (!decided(machine, terms)) return std::nullopt;
      const Rational factor = fold == 0 ? scale : Rational(1);
      for (const bool leaf : {false, true}) {
        if (leaf && (!has_c || contract.beta == BetaPlace::Epilogue || factor != 1 || contract.promote)) continue;
        if (!leaf && (!at_place || (has_c && contract.beta == BetaPlace::Leaf))) continue;
        if (leaf && !at_place && scale != -1) continue;
        std::vector<Term> leaves = terms;
        if (leaf) leaves.push_back({.exact = {multiply(beta, c)}, .product = !beta_is_one, .is_c = true});
        Reachable sum =
            fold == 0 ? bound_sum(scenario, machine, leaves) : bound_folded(scenario, set, machine, leaves, fold);
        const bool scaled_or_added = factor != 1 || (has_c && !leaf);
        if (sum.largest >= inner_limit) {
          if (fold != 0 || scaled_or_added || contract.promote) return std::nullopt;
          overflow(scenario, machine, leaves, sum, first, result);
          first = false;
          if (is_wide(scenario, machine)) return std::nullopt;
          continue;
        }
        if (machine.stored) sum.bound = store_bound(last, sum.centre, sum.bound);
        if (!leaf) {
          const Rational scaled = sum.bound;
          const int flushes = machine.rounder.flush != Flush::Keep || machine.inputs != Flush::Keep ? 4 : 0;
          sum.bound = epilogue_bound(last, sum.centre, scaled, factor, beta_c, has_c, beta_is_one);
          if (factor != 1 || has_c) sum.bound += flushes * power_of_two(last.format().min_exponent);
          sum.centre = factor * sum.centre + beta_c;
          sum.largest = abs(factor) * sum.largest + abs(beta_c) + sum.bound;
          if (sum.largest >= limit) return std::nullopt;
        }
        const bool grid = machine.format() == declared_machine(contract).format();
        include(scenario.output(), end_of(scenario, last.format(), sum.centre - sum.bound, false, grid), false, first,
                result);
        include(scenario.output(), end_of(scenario, last.format(), sum.centre + sum.bound, true, grid), true, first,
                result);
        first = false;
        if (!is_wide(scenario, machine)) continue;
        const auto low = stored_end(scenario, sum.centre - sum.bound),
                   high = stored_end(scenario, sum.centre + sum.bound);
        if (!low || !high) return std::nullopt;
        include(scenario.output(), end_of(scenario, last.format(), *low, false, false), false, false, result);
        include(scenario.output(), end_of(scenario, last.format(), *high, true, false), true, false, result);
      }
    }
  }
  return first ? std::nullopt : std::optional(result);
}

/// Whether an element or C is a number that the accumulator does not hold: what its conversion costs is not stated.
bool converts(const Scenario& scenario, const OperandSet& set) {
  const SmallFormat held = declared_machine(scenario.contract).last;
  const auto is_converted = [&](const Number& value) {
    if (value.kind != Number::Kind::Finite) return false;
    const Number loaded = held.decode(Rounder{held}.round(value));
    return loaded.kind != Number::Kind::Finite || to_rational(loaded) != to_rational(value);
  };
  if (scenario.shape == Scenario::Shape::Gemm) {
    return !scenario.beta_value().is_zero() && is_converted(scenario.addend().decode(set.c));
  }
  const SmallFormat format = small_format(scenario.a);
  return std::any_of(set.a.begin(), set.a.end(), [&](Code code) { return is_converted(format.decode(code)); });
}

/// A sum that is stored, or converted then, may be a zero where it is subnormal in F32.
void extend_to_zero(const Scenario& scenario, Stated& set) {
  const SmallFormat output = scenario.output();
  int exponent = -126;
  for (const Rounder& step : output_steps(scenario)) exponent = std::max(exponent, step.format.eta_exponent());
  const auto is_small = [&](std::int64_t end) {
    return abs(to_rational(output.decode(static_cast<Code>(std::abs(end))))) <= power_of_two(exponent);
  };
  if (set.low > 0 && is_small(set.low)) set.low = 0;
  if (set.high < 0 && is_small(set.high)) set.high = 0;
}

/// Where the bounds for single features apply, and the composed one elsewhere.
std::optional<Stated> stated_by_bounds(const Scenario& scenario, const OperandSet& set) {
  if (auto sharp = sharply_stated(scenario, set)) return sharp;
  if (rounds_the_sum(scenario) || scenario.contract.overflow == contract::OverflowPolicy::Either) return std::nullopt;
  Stated result;
  bool first = true;
  for (const Machine& machine : machines(scenario)) {
    const auto composed = composed_bound(scenario, set, machine);
    if (!composed) return std::nullopt;
    const SmallFormat& last = machine.last;
    const bool grid = machine.format() == declared_machine(scenario.contract).format();
    const auto end = [&](const Rational& value, bool upper) {
      const Rational largest = max_finite(last);
      const Rational clipped = std::clamp<Rational>(value, -largest, largest);
      include(scenario.output(), end_of(scenario, last, clipped, upper, grid), upper, first, result);
    };
    end(composed->low, false);
    end(composed->high, true);
    first = false;
    if (is_wide(scenario, machine)) {
      const auto low = stored_end(scenario, composed->low), high = stored_end(scenario, composed->high);
      if (!low || !high) return std::nullopt;
      end(*low, false);
      end(*high, true);
    }
    if (!composed->overflows) continue;
    const Code sign[] = {0, kSignBit};
    for (const Code side : sign) {
      if (last.has_infinity) include_special(scenario, last, last.infinity() | side, false, result);
    }
    include_special(scenario, last, kNan, false, result);
  }
  return first ? std::nullopt : std::optional(result);
}

}  // namespace

std::optional<Stated> stated_set(const Scenario& scenario, const OperandSet& set) {
  if (scenario.mean) return std::nullopt;
  // Neither says what a zero multiplies, nor a sum of nothing.
  const bool has_zero = is_zero(scenario.alpha) || is_zero(scenario.beta) || set.a.empty();
  if (scenario.contract.scalars == contract::Scalars::Formula && has_zero) return std::nullopt;
  if (converts(scenario, set)) return std::nullopt;
  // What arithmetic takes for zero, and one element that nothing is added to, have no stated bound.
  if (scenario.contract.scalar_format) return std::nullopt;
  if (may_flush(scenario.contract)) {
    if (is_subnormal_scalar(scenario.alpha) || is_subnormal_scalar(scenario.beta)) return std::nullopt;
    if (scenario.shape == Scenario::Shape::Reduce && set.a.size() == 1) return std::nullopt;
  }
  auto stated = stated_by_bounds(scenario, set);
  if (stated && may_flush(scenario.contract)) extend_to_zero(scenario, *stated);
  return stated;
}

}  // namespace negzero::oracle_cross

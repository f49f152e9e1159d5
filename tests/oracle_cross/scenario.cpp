// Reads a contract as an implementer would: accumulators, starts, terms and the roundings to memory.

#include "scenario.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace negzero::oracle_cross {

namespace {

using contract::AccumulateRounding;
using contract::Contraction;
using contract::Multiplicand;
using contract::Start;
using number::FormatId;

Flush flush_of(contract::Subnormals policy) {
  if (policy == contract::Subnormals::Keep) return Flush::Keep;
  return policy == contract::Subnormals::Flush ? Flush::Flush : Flush::Either;
}

Mode mode_of(AccumulateRounding rounding) {
  if (rounding == AccumulateRounding::Nearest) return Mode::NearestEven;
  return rounding == AccumulateRounding::TowardZero ? Mode::TowardZero : Mode::Faithful;
}

OnOverflow overflow_of(contract::OverflowPolicy policy) {
  using contract::OverflowPolicy;
  switch (policy) {
    case OverflowPolicy::Ieee:
      return OnOverflow::Ieee;
    case OverflowPolicy::Saturate:
      return OnOverflow::Saturate;
    case OverflowPolicy::Nan:
      return OnOverflow::Nan;
    case OverflowPolicy::Either:
      break;
  }
  return OnOverflow::Either;
}

/// Whether every number of `format` is one of `wide`.
bool holds(const SmallFormat& wide, const SmallFormat& format) {
  const auto top = [](const SmallFormat& f) {
    return static_cast<int>(f.max_magnitude >> (f.precision - 1)) + f.min_exponent;
  };
  return wide.precision >= format.precision && wide.eta_exponent() <= format.eta_exponent() && top(wide) >= top(format);
}

/// Rounding of an operand just before it is multiplied.
Number as_multiplicand(const contract::Contract& contract, const Number& value) {
  Rounder rounder;
  switch (contract.multiplicand) {
    case Multiplicand::Exact:
      return value;
    case Multiplicand::Tf32Truncate:
      rounder = {small_format(FormatId::TF32), Mode::TowardZero};
      break;
    case Multiplicand::Tf32NearestAway:
      rounder = {small_format(FormatId::TF32), Mode::NearestAway};
      break;
    case Multiplicand::Tf32NearestEven:
      rounder = {small_format(FormatId::TF32), Mode::NearestEven};
      break;
    case Multiplicand::Bf16:
      rounder = {small_format(FormatId::BF16), Mode::NearestEven};
      break;
    case Multiplicand::F16:
      rounder = {small_format(FormatId::F16), Mode::NearestEven};
      break;
    case Multiplicand::Tf32Any:
    case Multiplicand::Tf32OrExact:
      throw std::logic_error("a scenario has one conversion: ask each of contract::members()");
  }
  return rounder.format.decode(rounder.round(value));
}

/// Operands times alpha, rounded to the accumulator's format; a sign alone rounds nothing. Truncation is how a tensor
/// core adds: who multiplies before it may round to nearest. The product that follows may flush a folded subnormal.
std::vector<Number> folded(const Scenario& scenario, const Machine& machine, const std::vector<Number>& values) {
  const Number alpha = scenario.alpha_value();
  std::vector<Number> out;
  Codes codes;
  for (const Number& value : values) {
    if (is_minus_one(scenario.alpha)) {
      out.push_back(multiply(alpha, value));
    } else {
      machine.rounder.round(multiply(alpha, value), codes);
      Rounder nearest = machine.rounder;
      nearest.mode = Mode::NearestEven;
      if (machine.rounder.mode == Mode::TowardZero) nearest.round(multiply(alpha, value), codes);
    }
  }
  if (machine.inputs != Flush::Keep) {
    for (std::size_t i = codes.size(); i-- > 0;) {
      if (machine.format().is_subnormal(codes[i])) codes.push_back(codes[i] & kSignBit);
    }
  }
  tidy(codes);
  for (const Code code : codes) out.push_back(machine.format().decode(code));
  return out;
}

}  // namespace

Mode mode_of(number::Rounding rounding) {
  using number::Rounding;
  switch (rounding) {
    case Rounding::NearestEven:
      return Mode::NearestEven;
    case Rounding::NearestAway:
      return Mode::NearestAway;
    case Rounding::TowardZero:
      return Mode::TowardZero;
    case Rounding::Down:
      return Mode::Down;
    case Rounding::Up:
      break;
  }
  return Mode::Up;
}

std::vector<Number> inputs_of(const contract::Contract& contract, FormatId id, Code code) {
  const SmallFormat format = small_format(id);
  const Flush flush = flush_of(contract.subnormal_inputs);
  std::vector<Number> out;
  if (!format.is_subnormal(code) || flush != Flush::Flush) out.push_back(format.decode(code));
  if (format.is_subnormal(code) && flush != Flush::Keep) out.push_back(format.decode(code & kSignBit));
  return out;
}

bool is_one(const operation::Scalar& scalar) {
  const SmallFormat format = small_format(scalar.format);
  return to_code(scalar.format, scalar.bits) == Rounder{format}.round(make_number(1));
}

bool is_zero(const operation::Scalar& scalar) { return Scenario::value_of(scalar).is_zero(); }

bool is_minus_one(const operation::Scalar& scalar) {
  return is_one({scalar.format, scalar.bits ^ (std::uint64_t{1} << (word_bits(scalar.format) - 1))});
}

Machine declared_machine(const contract::Contract& contract) {
  Machine machine;
  machine.rounder.format = small_format(contract.accumulate);
  machine.rounder.mode = mode_of(contract.accumulate_rounding);
  machine.rounder.flush = flush_of(contract.subnormal_results);
  machine.inputs = flush_of(contract.subnormal_inputs);
  machine.fused = contract.contraction != Contraction::Separate;
  machine.separate = contract.contraction != Contraction::Fused;
  if (contract.promote) machine.outer = small_format(contract.promote->format);
  machine.last = contract.promote ? machine.outer : machine.format();
  return machine;
}

Machine last_machine(const contract::Contract& contract, const Machine& machine) {
  Machine last = outer_machine(contract, machine);
  last.rounder.format = machine.last;
  return last;
}

Machine outer_machine(const contract::Contract& contract, const Machine& machine) {
  Machine outer = machine;
  if (contract.promote) {
    outer.rounder.format = machine.outer;
    outer.rounder.mode = Mode::NearestEven;
  }
  return outer;
}

namespace {

/// `declared`, and every format that holds its numbers and more, where that is allowed.
std::vector<SmallFormat> formats_from(FormatId declared, bool wider) {
  std::vector<SmallFormat> all{small_format(declared)};
  if (!wider) return all;
  for (const FormatId id : {FormatId::F16, FormatId::BF16, FormatId::F32, FormatId::F64}) {
    const SmallFormat format = small_format(id);
    if (format.precision > all[0].precision && holds(format, all[0])) all.push_back(format);
  }
  return all;
}

}  // namespace

std::vector<Machine> machines(const Scenario& scenario) {
  const contract::Contract& contract = scenario.contract;
  std::vector<Machine> all;
  const bool epilogue = scenario.shape == Scenario::Shape::Gemm && !(is_one(scenario.alpha) && is_zero(scenario.beta));
  const SmallFormat own = small_format(scenario.alpha.format);
  const SmallFormat declared = declared_machine(contract).last;
  const auto end_in = [&](Machine machine, const SmallFormat& last) {
    machine.last = last;
    all.push_back(machine);
    if (!contract.wider || !epilogue || own.precision <= last.precision) return;
    machine.last = own;
    all.push_back(machine);
  };
  const auto keep = [&](Machine machine, const SmallFormat& held) {
    end_in(machine, held);
    if (held == declared || !(epilogue || scenario.mean)) return;
    machine.stored = true;
    end_in(machine, declared);
  };
  for (const SmallFormat& inner : formats_from(contract.accumulate, contract.wider)) {
    Machine machine = declared_machine(contract);
    machine.rounder.format = inner;
    if (!contract.promote) {
      keep(machine, inner);
      continue;
    }
    // A wider accumulator is never emptied into a narrower one.
    for (const SmallFormat& outer : formats_from(contract.promote->format, contract.wider)) {
      if (!holds(outer, inner)) continue;
      machine.outer = outer;
      keep(machine, outer);
    }
  }
  return all;
}

Starts starts(const contract::Contract& contract) {
  switch (contract.start) {
    case Start::PlusZero:
      return {true, false};
    case Start::FirstTerm:
      return {false, true};
    case Start::C:
    case Start::Any:
      break;
  }
  return {true, true};
}

std::vector<Term> terms_of(const Scenario& scenario, const OperandSet& set, const Machine& machine, int fold) {
  const contract::Contract& contract = scenario.contract;
  const bool gemm = scenario.shape == Scenario::Shape::Gemm;
  std::vector<Term> terms;
  for (std::size_t i = 0; i < set.a.size(); ++i) {
    std::vector<Number> a = inputs_of(contract, scenario.a, set.a[i]);
    if (!gemm) {
      terms.push_back({a, false});
      continue;
    }
    std::vector<Number> b = inputs_of(contract, scenario.b, set.b[i]);
    if (fold == 1) a = folded(scenario, machine, a);
    if (fold == 2) b = folded(scenario, machine, b);
    Term term;
    for (const Number& x : a) {
      for (const Number& y : b) {
        term.exact.push_back(multiply(as_multiplicand(contract, x), as_multiplicand(contract, y)));
      }
    }
    terms.push_back(term);
  }
  if (scenario.shape == Scenario::Shape::Scatter) {
    terms.push_back({inputs_of(contract, scenario.d, set.c), false});
    // The location holds the initial value, so an ascending chain starts there.
    std::rotate(terms.begin(), terms.end() - 1, terms.end());
  }
  return terms;
}

bool rounds_the_sum(const Scenario& scenario) {
  return scenario.shape == Scenario::Shape::Gemm &&
         scenario.contract.intermediate_at == contract::IntermediateAt::Sum && !scenario.contract.intermediate.empty();
}

std::vector<Rounder> output_steps(const Scenario& scenario) {
  std::vector<Rounder> steps;
  if (!rounds_the_sum(scenario)) {
    for (const contract::RoundingStep& step : scenario.contract.intermediate) {
      steps.push_back({small_format(step.format), mode_of(step.rounding)});
    }
  }
  Rounder last{scenario.output(), mode_of(scenario.contract.output_rounding)};
  last.on_overflow = overflow_of(scenario.contract.overflow);
  steps.push_back(last);
  return steps;
}

}  // namespace negzero::oracle_cross

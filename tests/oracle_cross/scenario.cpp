// Reads a contract as an implementer would: accumulators, starts, terms and the roundings to memory.

#include "scenario.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <stdexcept>

#include "flushing.hpp"

namespace negzero::oracle_cross {

namespace {

using contract::AccumulateRounding;
using contract::Contraction;
using contract::Multiplicand;
using contract::Start;
using number::FormatId;

Mode mode_of(AccumulateRounding rounding) {
  if (rounding == AccumulateRounding::Nearest) return Mode::NearestEven;
  return rounding == AccumulateRounding::TowardZero ? Mode::TowardZero : Mode::Faithful;
}

/// Whether every number of `format` is one of `wide`.
bool holds(const SmallFormat& wide, const SmallFormat& format) {
  const auto top = [](const SmallFormat& f) {
    return static_cast<int>(f.max_magnitude >> (f.precision - 1)) + f.min_exponent;
  };
  return wide.precision >= format.precision && wide.eta_exponent() <= format.eta_exponent() && top(wide) >= top(format);
}

/// The conversion of factors that the contract declares; nothing where they are exact.
std::optional<Rounder> multiplicand_rounder(const contract::Contract& contract) {
  switch (contract.multiplicand) {
    case Multiplicand::Exact:
      return std::nullopt;
    case Multiplicand::Tf32Truncate:
      return Rounder{small_format(FormatId::TF32), Mode::TowardZero};
    case Multiplicand::Tf32NearestAway:
      return Rounder{small_format(FormatId::TF32), Mode::NearestAway};
    case Multiplicand::Tf32NearestEven:
      return Rounder{small_format(FormatId::TF32), Mode::NearestEven};
    case Multiplicand::Bf16:
      return Rounder{small_format(FormatId::BF16), Mode::NearestEven};
    case Multiplicand::F16:
      return Rounder{small_format(FormatId::F16), Mode::NearestEven};
    case Multiplicand::Tf32Any:
    case Multiplicand::Tf32OrExact:
      break;
  }
  throw std::logic_error("a scenario has one conversion: ask each of contract::members()");
}

/// A factor, or what it may be with alpha folded in, with the format that it is in.
struct Factor {
  SmallFormat own;
  Codes codes;
};

/// What a product in `arithmetic` takes for the factor. A declared conversion keeps subnormals, but those of F32 may
/// have been flushed before it.
std::vector<Number> as_factor(const contract::Contract& contract, const Factor& factor, const SmallFormat& arithmetic) {
  std::vector<Number> out;
  const auto take = [&](const SmallFormat& own, Code code) {
    const std::vector<Number> values = as_operand(contract, own, code, arithmetic);
    out.insert(out.end(), values.begin(), values.end());
  };
  const auto rounder = multiplicand_rounder(contract);
  for (const Code code : factor.codes) {
    if (!rounder) {
      take(factor.own, code);
      continue;
    }
    take(rounder->format, rounder->round(factor.own.decode(code)));
    const bool is_flushed = factor.own.is_subnormal(code) && has_exponents_of_f32(factor.own);
    if (is_flushed && contract.subnormal_inputs != contract::Subnormals::Keep) {
      take(rounder->format, code & kSignBit);
    }
  }
  return out;
}

/// A factor times alpha, rounded to the accumulator's format; a sign alone rounds nothing. Truncation is how a tensor
/// core adds: who multiplies before it may round to nearest.
Factor folded(const Scenario& scenario, const Machine& machine, FormatId id, Code code) {
  const Number alpha = scenario.alpha_value();
  if (is_minus_one(scenario.alpha) || is_one(scenario.alpha)) {
    // Nothing is rounded, but what multiplies may flush.
    const SmallFormat own = small_format(id);
    const SmallFormat wide = machine.format().precision > own.precision ? machine.format() : own;
    Codes kept;
    if (wide == own) Rounder{wide}.round(multiply(alpha, own.decode(code)), kept);
    const Rounder flushing{wide, Mode::NearestEven, flush_in(scenario.contract.subnormal_results, wide)};
    for (const Number& value : as_operand(scenario.contract, own, code, wide)) {
      // What is loaded into another format meets its flushing there, multiplied or not.
      if (wide != own) Rounder{wide}.round(multiply(alpha, value), kept);
      flushing.round(multiply(alpha, value), kept);
    }
    tidy(kept);
    return {wide, kept};
  }
  Codes codes;
  for (const Number& value : as_operand(scenario.contract, small_format(id), code, machine.format())) {
    machine.rounder.round(multiply(alpha, value), codes);
    Rounder nearest = machine.rounder;
    nearest.mode = Mode::NearestEven;
    if (machine.rounder.mode == Mode::TowardZero) nearest.round(multiply(alpha, value), codes);
  }
  tidy(codes);
  return {machine.format(), codes};
}

/// The machine in another format, where flushing may be another.
void set_format(const contract::Contract& contract, const SmallFormat& format, Machine& machine) {
  machine.rounder.format = format;
  machine.rounder.flush = flush_in(contract.subnormal_results, format);
  machine.inputs = flush_in(contract.subnormal_inputs, format);
}

}  // namespace

OnOverflow overflow_of(contract::OverflowPolicy policy) {
  using contract::OverflowPolicy;
  switch (policy) {
    case OverflowPolicy::Default:
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

std::vector<Number> loaded(const contract::Contract& contract, FormatId id, Code code, const Machine& machine) {
  const SmallFormat own = small_format(id);
  Rounder rounder = machine.rounder;
  rounder.flush = Flush::Keep;
  // `cvt.ftz.f32.f64`, or none.
  const bool may_vanish = contract.subnormal_results != contract::Subnormals::Keep;
  if (may_vanish && is_f64(own) && has_exponents_of_f32(rounder.format)) rounder.flush = Flush::Either;
  Codes codes;
  const bool goes_on_to_f64 = has_exponents_of_f32(own) && is_f64(rounder.format);
  rounder.round(own.decode(code), codes);
  // What is subnormal once it is loaded the operation itself flushes.
  const auto is_seen = [&](Code each) { return rounder.format.is_subnormal(each); };
  if (goes_on_to_f64 || !std::all_of(codes.begin(), codes.end(), is_seen)) {
    codes.clear();
    for (const Number& value : as_operand(contract, own, code, rounder.format)) rounder.round(value, codes);
  }
  tidy(codes);
  std::vector<Number> out;
  for (const Code each : codes) out.push_back(rounder.format.decode(each));
  return out;
}

std::vector<Number> alone(const Scenario& scenario, FormatId id, Code code, const SmallFormat& format) {
  const SmallFormat own = small_format(id);
  std::vector<Number> out;
  for (const Code each : kept_or_zero(scenario.contract, own, code, format, scenario.output())) {
    out.push_back(own.decode(each));
  }
  return out;
}

bool is_one(const operation::Scalar& scalar) {
  const SmallFormat format = small_format(scalar.format);
  return to_code(scalar.format, scalar.bits) == Rounder{format}.round(make_number(1));
}

bool is_subnormal_scalar(const operation::Scalar& scalar) {
  return small_format(scalar.format).is_subnormal(to_code(scalar.format, scalar.bits));
}

bool is_zero(const operation::Scalar& scalar) { return Scenario::value_of(scalar).is_zero(); }

bool is_minus_one(const operation::Scalar& scalar) {
  return is_one({scalar.format, scalar.bits ^ (std::uint64_t{1} << (word_bits(scalar.format) - 1))});
}

Machine declared_machine(const contract::Contract& contract) {
  Machine machine;
  set_format(contract, small_format(contract.accumulate), machine);
  machine.rounder.mode = mode_of(contract.accumulate_rounding);
  machine.fused = contract.contraction != Contraction::Separate;
  machine.separate = contract.contraction != Contraction::Fused;
  if (contract.promote) machine.outer = small_format(contract.promote->format);
  machine.last = contract.promote ? machine.outer : machine.format();
  return machine;
}

Machine last_machine(const contract::Contract& contract, const Machine& machine) {
  Machine last = outer_machine(contract, machine);
  set_format(contract, machine.last, last);
  if (machine.ordinary) last.rounder.mode = Mode::NearestEven;
  return last;
}

Machine outer_machine(const contract::Contract& contract, const Machine& machine) {
  Machine outer = machine;
  if (contract.promote) {
    set_format(contract, machine.outer, outer);
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

bool mixes(const contract::Contract& contract) {
  return contract.wider && contract.order == contract::Order::Any && !contract.compensated && !contract.promote &&
         !contract.slice_format && !is_f64(small_format(contract.accumulate));
}

std::vector<Machine> mixed_machines(const contract::Contract& contract) {
  std::vector<Machine> all;
  for (const SmallFormat& format : formats_from(contract.accumulate, true)) {
    Machine machine = declared_machine(contract);
    set_format(contract, format, machine);
    all.push_back(machine);
    if (machine.rounder.mode == Mode::NearestEven) continue;
    // What is stored, and what is wider, rounds to nearest too.
    machine.rounder.mode = Mode::NearestEven;
    all.push_back(machine);
  }
  return all;
}

std::vector<Machine> machines(const Scenario& scenario) {
  const contract::Contract& contract = scenario.contract;
  std::vector<Machine> all;
  const bool epilogue = scenario.shape == Scenario::Shape::Gemm && !(is_one(scenario.alpha) && is_zero(scenario.beta));
  const SmallFormat own = small_format(scenario.alpha.format);
  const SmallFormat declared = declared_machine(contract).last;
  const auto end_in = [&](Machine machine, const SmallFormat& last) {
    machine.last = last;
    // The epilogue runs in the wider of the scalars' declared format and the accumulator's.
    if (epilogue && contract.scalar_format) {
      const SmallFormat format = small_format(*contract.scalar_format);
      if (format.precision > last.precision) machine.last = format;
    }
    all.push_back(machine);
    if (contract.scalar_format) return;
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
    set_format(contract, inner, machine);
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
  if (!contract.depth.formula.empty()) {
    // Of its roundings one is the product's.
    const int product = scenario.shape == Scenario::Shape::Gemm ? 1 : 0;
    for (Machine& machine : all) machine.additions = std::stoi(contract.depth.formula) - product;
  }
  // Additions in a wider format may round to nearest, and so may what follows any sum.
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].rounder.mode == Mode::NearestEven) continue;
    Machine other = all[i];
    other.ordinary = true;
    all.push_back(other);
    if (all[i].format() == small_format(contract.accumulate)) continue;
    other.rounder.mode = Mode::NearestEven;
    all.push_back(other);
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
  const auto value = [&](FormatId id, Code code) {
    return Term{loaded(contract, id, code, machine), false, alone(scenario, id, code, machine.format())};
  };
  for (std::size_t i = 0; i < set.a.size(); ++i) {
    if (!gemm) {
      terms.push_back(value(scenario.a, set.a[i]));
      continue;
    }
    const auto factor = [&](FormatId id, Code code, bool folds) {
      const Factor plain{small_format(id), {code}};
      return as_factor(contract, folds ? folded(scenario, machine, id, code) : plain, machine.format());
    };
    const std::vector<Number> a = factor(scenario.a, set.a[i], fold == 1), b = factor(scenario.b, set.b[i], fold == 2);
    Term term;
    for (const Number& x : a) {
      for (const Number& y : b) term.exact.push_back(multiply(x, y));
    }
    terms.push_back(term);
  }
  if (scenario.shape == Scenario::Shape::Scatter) {
    terms.push_back(value(scenario.d, set.c));
    terms.back().is_c = true;
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

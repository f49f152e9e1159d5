// Everything that an implementation of a contract can reach: each machine with each order, and what follows the sum.

#include <algorithm>
#include <cassert>

#include "flushing.hpp"
#include "scenario.hpp"

namespace negzero::oracle_cross {

namespace {

using contract::AccumulateRounding;
using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Order;
using contract::Start;

/// Values of one format that arithmetic in another, or in the same, takes next. F32 on to F64 may lose subnormals on
/// the way; what else is touched the arithmetic itself sees.
Codes moved(const contract::Contract& contract, const SmallFormat& from, const Codes& codes, const SmallFormat& to) {
  Codes out;
  for (const Code code : codes) {
    const bool goes_on = from.is_subnormal(code) && has_exponents_of_f32(from) && is_f64(to);
    const Fate fate = goes_on ? fate_of(contract.subnormal_inputs) : Fate{};
    if (fate.kept) Rounder{to}.round(from.decode(code), out);
    if (fate.zero) out.push_back(code & kSignBit);
  }
  tidy(out);
  return out;
}

/// What a sum of that one value may be where nothing is added to it, not even to a zero.
void add_alone(const Machine& machine, const Term& term, const SmallFormat& format, Codes& out) {
  Rounder load = machine.rounder;
  load.flush = Flush::Keep;
  Codes codes;
  for (const Number& value : term.alone) load.round(value, codes);
  for (const Code code : codes) Rounder{format}.round(machine.format().decode(code), out);
}

/// The sum itself, in the accumulator of `machine` (of the promoted format, where the contract promotes).
/// A chain that takes beta c last, as a fused epilogue does, may round it first only where alpha, though one, is still
/// multiplied (`alpha_in_epilogue`): fma(alpha, sum, fl(beta c)).
Codes sums_of(const Scenario& scenario, const Machine& machine, std::span<const Term> terms,
              const std::optional<Term>& c, bool alpha_in_epilogue = false) {
  const contract::Contract& contract = scenario.contract;
  // A location starts as its initial value: no zero stands before it.
  const bool located = scenario.shape == Scenario::Shape::Scatter && contract.order == Order::Ascending;
  const Starts from = located ? Starts{false, true} : starts(contract);
  if (contract.promote) {
    assert(!c);
    const Machine outer = outer_machine(contract, machine);
    std::vector<Term> blocks;
    Codes lone;
    if (terms.size() == 1 && from.first_term) add_alone(machine, terms.front(), outer.format(), lone);
    const auto every = static_cast<std::size_t>(contract.promote->every);
    for (std::size_t first = 0; first < terms.size(); first += every) {
      const auto block = terms.subspan(first, std::min(every, terms.size() - first));
      const Codes values = contract.order == Order::Any ? any_order(machine, block, from)
                                                        : ascending(machine, block, from, std::nullopt);
      blocks.push_back(leaf_of(moved(contract, machine.format(), values, outer.format()), outer.format()));
    }
    Codes sums =
        contract.order == Order::Any ? any_order(outer, blocks, from) : ascending(outer, blocks, from, std::nullopt);
    sums.insert(sums.end(), lone.begin(), lone.end());
    tidy(sums);
    return sums;
  }
  Codes out;
  if (contract.order == Order::Any) {
    std::vector<Term> leaves(terms.begin(), terms.end());
    if (c) leaves.push_back(*c);
    if (c) leaves.back().is_c = true;
    out = any_order(machine, leaves, from);
    if (contract.compensated) {
      const Codes more = compensated(machine, leaves, from);
      out.insert(out.end(), more.begin(), more.end());
    }
  } else {
    const bool at_start = c && (contract.start == Start::C || contract.start == Start::Any);
    const bool at_end = c && contract.start != Start::C;
    if (at_start) out = ascending(machine, terms, from, c);
    if (at_end || !c) {
      Codes more = ascending(machine, terms, from, std::nullopt);
      if (c) {
        Machine last = machine;
        last.separate = machine.separate || alpha_in_epilogue;
        more = ascending(last, std::span(&*c, 1), from, leaf_of(more, machine.format()));
      }
      out.insert(out.end(), more.begin(), more.end());
    }
  }
  if (terms.size() == 1 && !c && from.first_term) add_alone(machine, terms.front(), machine.format(), out);
  if (terms.empty() && c) add_alone(machine, *c, machine.format(), out);
  tidy(out);
  return out;
}

/// Intermediate roundings that a contract puts before the epilogue.
Codes through_sum_roundings(const contract::Contract& contract, const SmallFormat& format, Codes sums) {
  if (contract.intermediate_at != contract::IntermediateAt::Sum) return sums;
  SmallFormat held = format;
  Converted what = Converted::Sum;
  for (const contract::RoundingStep& step : contract.intermediate) {
    const Rounder rounder{small_format(step.format), mode_of(step.rounding)};
    sums = convert_all(contract, held, sums, rounder, what);
    held = rounder.format;
    what = Converted::Value;
  }
  return convert_all(contract, held, sums, Rounder{format}, what);
}

/// Every value of `codes`, of `from`, stored to the declared accumulator, or to what it promotes to. Conversions round
/// to nearest; where that overflows a truncating or faithful accumulator, it does so by its own means.
Codes stored(const contract::Contract& contract, const SmallFormat& from, const Codes& codes) {
  const Machine declared = declared_machine(contract);
  const bool overflows = contract.promote || contract.accumulate_rounding == AccumulateRounding::Nearest;
  Codes out;
  for (const Code code : codes) {
    Codes results;
    convert_one(contract, from, code, Rounder{declared.last}, Converted::Sum, results);
    for (const Code held : results) {
      if (overflows || !is_finite(from, code) || is_finite(declared.last, held)) out.push_back(held);
    }
  }
  tidy(out);
  return out;
}

bool reads_addend(const Scenario& scenario) {
  const contract::Contract& contract = scenario.contract;
  return !is_zero(scenario.beta) || contract.reads_c_at_beta_zero || contract.scalars == contract::Scalars::Formula;
}

/// Whether arithmetic in that format may take the scalar as it is.
bool may_keep(const contract::Contract& contract, const operation::Scalar& scalar, const SmallFormat& format) {
  return fate_as_operand(contract, small_format(scalar.format), to_code(scalar.format, scalar.bits), format).kept;
}

/// One choice of what the scalars are: a subnormal one is used only where it may be kept.
Codes gemm_sums(const Scenario& scenario, const OperandSet& set, const Machine& machine) {
  const contract::Contract& contract = scenario.contract;
  const Machine held = outer_machine(contract, machine);
  const Machine last = last_machine(contract, machine);
  const Number alpha = scenario.alpha_value();
  const Number beta = scenario.beta_value();
  const bool keeps_alpha = may_keep(contract, scenario.alpha, machine.format());
  const bool keeps_alpha_last = may_keep(contract, scenario.alpha, last.format());
  const bool keeps_beta = may_keep(contract, scenario.beta, machine.format());
  const bool keeps_beta_last = may_keep(contract, scenario.beta, last.format());
  const bool c = reads_addend(scenario);
  // A leaf is beta times C as it stands in memory, or as the accumulator holds it.
  std::vector<Term> leaves;
  std::vector<Number> addends;  // as the epilogue holds them
  if (c) {
    const number::FormatId id = scenario.addend_id();
    const std::vector<Number> as_loaded = loaded(contract, id, set.c, machine);
    if (is_one(scenario.beta)) {
      leaves.push_back({as_loaded, false, alone(scenario, id, set.c, machine.format())});
    } else if (keeps_beta) {
      Term leaf;
      for (const Number& value : as_operand(contract, scenario.addend(), set.c, machine.format())) {
        leaf.exact.push_back(multiply(beta, value));
      }
      leaves.push_back(leaf);
      leaves.push_back(loaded_addend(machine, beta, as_loaded));
    }
    addends = loaded(contract, id, set.c, last);
  }
  Codes out;
  const auto keep = [&](const Codes& codes) { out.insert(out.end(), codes.begin(), codes.end()); };
  // The sum in the format of the epilogue, which holds it.
  const auto finished = [&](Codes sums) {
    Codes rounded = through_sum_roundings(contract, held.format(), sums);
    if (!machine.stored) return moved(contract, held.format(), rounded, last.format());
    // The store comes after the roundings that stand behind the sum, or before them.
    const SmallFormat declared = declared_machine(contract).last;
    rounded = stored(contract, held.format(), rounded);
    const Codes before = through_sum_roundings(contract, declared, stored(contract, held.format(), sums));
    rounded.insert(rounded.end(), before.begin(), before.end());
    tidy(rounded);
    return moved(contract, declared, rounded, last.format());
  };
  const bool is_formula = contract.scalars == contract::Scalars::Formula;
  const bool reads_sum =
      set.a.empty() ? is_formula : !is_zero(scenario.alpha) || contract.reads_a_b_at_alpha_zero || is_formula;
  if (!reads_sum) {
    if (!c) return {0};
    if (is_one(scenario.beta)) {
      for (const Number& value : alone(scenario, scenario.addend_id(), set.c, last.format())) {
        Rounder{last.format()}.round(value, out);
      }
    } else if (keeps_beta_last) {
      for (const Number& value : as_operand(contract, scenario.addend(), set.c, last.format())) {
        last.rounder.round(multiply(beta, value), out);
      }
    }
    tidy(out);
    return out;
  }
  const bool scaled = !is_one(scenario.alpha);
  const bool negated = is_minus_one(scenario.alpha);
  // The formula multiplies a sum of nothing by alpha, unless alpha is declared to be in operands, of which are none.
  const bool literal = set.a.empty() && contract.alpha != AlphaPlace::Operand;
  const bool multiplies = contract.alpha == AlphaPlace::Operand || negated;
  const bool may_flush = multiplies && contract.alpha != AlphaPlace::Epilogue &&
                         (contract.subnormal_inputs != contract::Subnormals::Keep ||
                          contract.subnormal_results != contract::Subnormals::Keep);
  for (int fold = 0; fold < ((scaled || may_flush) && !literal ? 3 : 1); ++fold) {
    const bool epilogue_alpha = scaled && fold == 0;
    const bool anywhere = literal || contract.alpha == AlphaPlace::Any || contract.alpha == AlphaPlace::Partial;
    const bool at_place =
        !scaled || anywhere || contract.alpha == (fold == 0 ? AlphaPlace::Epilogue : AlphaPlace::Operand);
    if (fold != 0 && !keeps_alpha) continue;
    const std::vector<Term> terms = terms_of(scenario, set, machine, fold);
    // C starts the sum, is a leaf of it, or comes after it.
    const bool last_c = contract.beta != BetaPlace::Leaf && contract.start != Start::C && keeps_beta_last;
    if (at_place && (!c || last_c) && (fold != 0 || keeps_alpha_last)) {
      const Codes sums = finished(sums_of(scenario, machine, terms, std::nullopt));
      // A kernel that folds alpha has none left in its epilogue, even where alpha is one.
      const bool in_epilogue = fold == 0 && contract.alpha != AlphaPlace::Operand;
      keep(epilogue(last, sums, in_epilogue ? std::optional(alpha) : std::nullopt, beta, addends));
    }
    if (epilogue_alpha && contract.alpha == AlphaPlace::Partial && contract.order == Order::Any && !contract.promote &&
        keeps_alpha) {
      const Codes sums = scaled_anywhere(machine, terms, starts(contract), alpha, std::nullopt);
      if (!c || last_c) keep(epilogue(last, finished(sums), std::nullopt, beta, addends));
      if (c && contract.beta != BetaPlace::Epilogue) {
        for (const Term& leaf : leaves) {
          keep(finished(scaled_anywhere(machine, terms, starts(contract), alpha, leaf)));
        }
      }
    }
    // A leaf is scaled together with the sum, so only a folded alpha goes with it; a sign is as good as folded
    // anywhere.
    if (c && contract.beta != BetaPlace::Epilogue && !epilogue_alpha && (at_place || negated) && !contract.promote) {
      const bool in_epilogue = fold == 0 && contract.alpha != AlphaPlace::Operand;
      // At the end of a chain alpha still has its own place.
      const bool only_start = !at_place && contract.order == Order::Ascending;
      const bool starts_at_c = contract.start == Start::C || contract.start == Start::Any;
      for (const Term& leaf : leaves) {
        if (!only_start) keep(finished(sums_of(scenario, machine, terms, leaf, in_epilogue)));
        if (only_start && starts_at_c) keep(finished(ascending(machine, terms, starts(contract), leaf)));
      }
    }
    // The step that takes C last may turn the sum around: fma(-1, sum, fl(beta c)).
    const bool ends_chain = c && contract.order == Order::Ascending && contract.start != Start::C;
    if (ends_chain && epilogue_alpha && negated && at_place && contract.beta != BetaPlace::Epilogue &&
        !contract.promote) {
      Codes sums = sums_of(scenario, machine, terms, std::nullopt);
      for (Code& sum : sums) sum = sum == kNan ? sum : sum ^ kSignBit;
      Machine end = machine;
      end.separate = true;
      const Term from = leaf_of(sums, machine.format());
      for (const Term& leaf : leaves) keep(finished(ascending(end, std::span(&leaf, 1), starts(contract), from)));
    }
  }
  tidy(out);
  return out;
}

/// What a scalar may be: rounded to the declared format, and where it is subnormal then, taken for zero by arithmetic
/// or by what tests it. `reads` is set where a zero of that arithmetic is multiplied as any number is.
struct ScalarChoice {
  operation::Scalar scalar;
  bool reads = false;
};
std::vector<ScalarChoice> scalar_choices(const contract::Contract& contract, const operation::Scalar& scalar) {
  std::vector<operation::Scalar> rounded(1, scalar);
  if (contract.scalar_format && contract.scalar_format != scalar.format) {
    const number::FormatId id = *contract.scalar_format;
    rounded.clear();
    Codes codes;
    convert_one(contract, small_format(scalar.format), to_code(scalar.format, scalar.bits), Rounder{small_format(id)},
                Converted::Value, codes);
    for (const Code code : codes) rounded.push_back({id, to_word(id, code)});
  }
  std::vector<ScalarChoice> choices;
  for (const operation::Scalar& each : rounded) {
    choices.push_back({each, false});
    if (!is_subnormal_scalar(each) || contract.subnormal_inputs == contract::Subnormals::Keep) continue;
    const operation::Scalar zero{each.format, to_word(each.format, to_code(each.format, each.bits) & kSignBit)};
    choices.push_back({zero, false});
    choices.push_back({zero, true});
  }
  return choices;
}

/// The Gemm with each choice of its scalars.
std::vector<Scenario> with_scalars(const Scenario& scenario) {
  std::vector<Scenario> all;
  for (const ScalarChoice& alpha : scalar_choices(scenario.contract, scenario.alpha)) {
    for (const ScalarChoice& beta : scalar_choices(scenario.contract, scenario.beta)) {
      Scenario one = scenario;
      one.contract.scalar_format.reset();
      one.alpha = alpha.scalar;
      one.beta = beta.scalar;
      if (alpha.reads) one.contract.reads_a_b_at_alpha_zero = true;
      if (beta.reads) one.contract.reads_c_at_beta_zero = true;
      all.push_back(one);
    }
  }
  return all;
}

/// Each element over the count, or times fl(1 / count): the terms of a mean that scales before it adds.
std::vector<Term> scaled_terms(const Scenario& scenario, const Machine& machine, const OperandSet& set, bool divides) {
  const auto count = static_cast<std::int64_t>(set.a.size());
  const Number factor = reciprocal(machine.format(), count);
  std::vector<Term> terms = terms_of(scenario, set, machine);
  for (Term& term : terms) {
    term.alone.clear();
    term.product = !divides;
    std::vector<Number> scaled;
    const auto taken = [&](const Number& x) {
      Codes codes;
      Rounder{machine.format()}.round(x, codes);
      return as_operand(scenario.contract, machine.format(), codes.front(), machine.format());
    };
    std::vector<Number> operands;
    for (const Number& x : term.exact) {
      const std::vector<Number> values = taken(x);
      operands.insert(operands.end(), values.begin(), values.end());
    }
    for (const Number& x : operands) {
      if (!divides) {
        scaled.push_back(multiply(x, factor));
        continue;
      }
      Codes codes;
      Rounder rounder = machine.rounder;
      if (machine.ordinary) rounder.mode = Mode::NearestEven;
      rounder.round(quotient(x, count), codes);
      for (const Code code : codes) scaled.push_back(machine.format().decode(code));
    }
    term.exact = scaled;
  }
  return terms;
}

/// Means, in the format `machine.last`. Where the contract does not declare that their sums may overflow they do not:
/// their exponents have no upper end.
Codes means_of(const Scenario& scenario, const OperandSet& set, const Machine& machine) {
  using contract::MeanForm;
  const contract::Contract& contract = scenario.contract;
  Codes out;
  if (contract.mean == MeanForm::Terms) {
    if (machine.stored) return out;
    for (const bool divides : {false, true}) {
      const Codes codes = sums_of(scenario, machine, scaled_terms(scenario, machine, set, divides), std::nullopt);
      out.insert(out.end(), codes.begin(), codes.end());
    }
    tidy(out);
    return out;
  }
  if (contract.mean_may_overflow) {
    Scenario bounded = scenario;
    bounded.contract.mean_may_overflow = false;
    out = means_of(bounded, set, machine);
  }
  Machine summing = machine;
  if (!contract.mean_may_overflow) {
    summing.rounder.format = machine.format().raised();
    summing.outer = machine.outer.raised();
  }
  std::vector<Term> terms = terms_of(scenario, set, machine);
  // One element is taken by the division, so that F64 gets of F32 what arithmetic does.
  if (is_f64(machine.format()) && has_exponents_of_f32(small_format(scenario.a))) terms.front().alone.clear();
  Codes sums = sums_of(scenario, summing, terms, std::nullopt);
  SmallFormat from = outer_machine(contract, summing).format();
  if (machine.stored) {
    Codes held;
    for (const Code sum : sums) {
      for (const Code one : stored(contract, from, {sum})) {
        const bool overflows = is_finite(from, sum) && !is_finite(machine.last, one);
        if (contract.mean_may_overflow || !overflows) held.push_back(one);
      }
    }
    sums = held;
    from = machine.last;
  }
  const MeanBy by{contract.mean != MeanForm::Reciprocal, contract.mean != MeanForm::Divide};
  const Codes more = means(last_machine(contract, machine), sums, from, static_cast<std::int64_t>(set.a.size()), by);
  out.insert(out.end(), more.begin(), more.end());
  tidy(out);
  return out;
}

}  // namespace

Codes reach(const Scenario& scenario, const OperandSet& set) {
  const contract::Contract& contract = scenario.contract;
  Codes out;
  const auto to_memory = [&](Codes codes, SmallFormat format) {
    Converted what = Converted::Sum;
    for (const Rounder& step : output_steps(scenario)) {
      codes = convert_all(contract, format, codes, step, what);
      format = step.format;
      what = Converted::Value;
    }
    out.insert(out.end(), codes.begin(), codes.end());
  };
  const SmallFormat declared = declared_machine(contract).last;
  const std::vector<Scenario> choices = with_scalars(scenario);
  for (const Machine& machine : machines(scenario)) {
    Codes codes;
    if (scenario.shape == Scenario::Shape::Gemm) {
      for (const Scenario& one : choices) {
        const Codes more = gemm_sums(one, set, machine);
        codes.insert(codes.end(), more.begin(), more.end());
      }
      tidy(codes);
    } else if (scenario.shape == Scenario::Shape::Scatter && set.a.empty()) {
      return {set.c};
    } else if (scenario.mean) {
      codes = means_of(scenario, set, machine);
    } else {
      codes = sums_of(scenario, machine, terms_of(scenario, set, machine), std::nullopt);
    }
    to_memory(codes, machine.last);
    // What is held in a wider format than declared, or finished in one, may end in the declared one.
    if (outer_machine(contract, machine).format() != declared || (contract.wider && machine.last != declared)) {
      to_memory(stored(contract, machine.last, codes), declared);
    }
  }
  // Where no scalar and no C takes part, roundings of the sum are roundings of the result.
  const bool reads_c = reads_addend(scenario);
  if (rounds_the_sum(scenario) && is_one(scenario.alpha) && !reads_c) {
    Scenario direct = scenario;
    direct.contract.intermediate_at = contract::IntermediateAt::Result;
    const Codes codes = reach(direct, set);
    out.insert(out.end(), codes.begin(), codes.end());
  }
  tidy(out);
  return out;
}

}  // namespace negzero::oracle_cross

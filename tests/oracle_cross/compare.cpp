// Compares one permitted set in both directions.

#include "compare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bound.hpp"
#include "flushing.hpp"
#include "stated.hpp"

namespace negzero::oracle_cross {

namespace {

using contract::OverflowPolicy;

struct Observed {
  bool any_finite = false;
  std::int64_t low = 0, high = 0;
  bool plus_zero = false, minus_zero = false;
  bool plus_infinity = false, minus_infinity = false, nan = false;
};

Observed summarise(const SmallFormat& format, const Codes& codes) {
  Observed seen;
  for (const Code code : codes) {
    const bool negative = (code & kSignBit) != 0;
    if (code == kNan) {
      seen.nan = true;
    } else if (!is_finite(format, code)) {
      (negative ? seen.minus_infinity : seen.plus_infinity) = true;
    } else {
      const std::int64_t at = steps(code);
      seen.low = seen.any_finite ? std::min(seen.low, at) : at;
      seen.high = seen.any_finite ? std::max(seen.high, at) : at;
      seen.any_finite = true;
      if (at == 0) (negative ? seen.minus_zero : seen.plus_zero) = true;
    }
  }
  return seen;
}

/// Whether the sign of a zero is decided by what is reachable: nothing underflows or is flushed, and IEEE signs apply.
bool zero_sign_decided(const Scenario& scenario, const OperandSet& set) {
  const contract::Contract& contract = scenario.contract;
  if (contract.zero_sign != contract::ZeroSign::Ieee || scenario.mean) return false;
  if (contract.accumulate_rounding != contract::AccumulateRounding::Nearest || contract.compensated) return false;
  if (contract.subnormal_inputs != contract::Subnormals::Keep) return false;
  if (contract.subnormal_results != contract::Subnormals::Keep) return false;
  if (contract.output_rounding == number::Rounding::Down || scenario.d != contract.accumulate) return false;
  if (!contract.intermediate.empty()) return false;
  // Whether the wider accumulator starts from +0 or from the first block nobody declares.
  if (contract.promote) return false;
  // A load may underflow too.
  if (scenario.shape != Scenario::Shape::Gemm) return scenario.a == contract.accumulate;
  if (scenario.beta_value().significand != 0 || to_rational(scenario.alpha_value()) != 1) return false;
  const Machine machine = declared_machine(contract);
  const SmallFormat& format = machine.format();
  const auto terms = terms_of(scenario, set, machine);
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    const Number& value = term.exact.front();
    if (value.kind != Number::Kind::Finite) return false;
    // A product that is no multiple of eta can leave less than eta / 2 of an fma, which underflows to either zero.
    const int drop = format.eta_exponent() - value.exponent;
    return value.is_zero() || drop <= 0 || (drop < 128 && (value.significand >> drop) << drop == value.significand);
  });
}

/// Whether the oracle takes a number as what either of two formats may do, of which it passes through both: sums in 8
/// bits that go on in a format that need not flush, blocks of F32 that F64 takes, and C and scalars where the epilogue
/// runs in a wider format than the accumulator's.
bool blurs_flushing(const contract::Contract& contract) {
  if (!may_flush(contract)) return false;
  // Factors are rounded to a format that the accumulator may not have.
  if (contract.multiplicand != contract::Multiplicand::Exact) return true;
  const SmallFormat held = small_format(contract.accumulate);
  constexpr int kMostBits = 4;
  if (held.precision <= kMostBits && (contract.wider || contract.promote)) return true;
  if (contract.promote && has_exponents_of_f32(held) && is_f64(small_format(contract.promote->format))) return true;
  return contract.scalar_format && small_format(*contract.scalar_format).precision > held.precision;
}

Scenario with_either(Scenario scenario) {
  for (contract::Subnormals* policy : {&scenario.contract.subnormal_inputs, &scenario.contract.subnormal_results}) {
    if (*policy == contract::Subnormals::Flush) *policy = contract::Subnormals::Either;
  }
  return scenario;
}

bool held_to_equality(const Scenario& scenario, const oracle::Permitted& permitted) {
  if (blurs_flushing(scenario.contract)) return false;
  // A wider accumulator is bounded, not enumerated, unless every order is exact. What an operand with alpha folded in
  // is in the declared format, exact sums included, says nothing about the wider ones.
  const bool folds = !scenario.has_unit_alpha() && scenario.contract.alpha != contract::AlphaPlace::Epilogue;
  if (scenario.contract.wider) return permitted.rule == "sum.exact" && !folds;
  // Whether scalars act in the promoted format or in the declared one nobody declares.
  const bool scalars = !scenario.beta_value().is_zero() || to_rational(scenario.alpha_value()) != 1;
  if (scenario.contract.promote && scalars) return false;
  // Slices scaled on their own are bounded too.
  if (scenario.contract.alpha == contract::AlphaPlace::Partial && to_rational(scenario.alpha_value()) != 1)
    return false;
  return permitted.rule == "sum.exact" || permitted.rule == "sum.hull" || permitted.rule == "sum.ascending";
}

}  // namespace

std::uint64_t Tally::total() const {
  std::uint64_t sum = 0;
  for (const auto& [rule, row] : rows) sum += row.sets;
  return sum;
}

std::string Tally::to_string() const {
  std::string text = fmt::format("{} operand sets", total());
  for (const auto& [rule, row] : rows) {
    text += fmt::format("; {}: {} ({} exactly the hull, {} within the stated set)", rule, row.sets,
                        row.exactly_the_hull, row.within_the_stated);
  }
  return text;
}

std::optional<std::string> compare(const Scenario& scenario, const OperandSet& set, const oracle::Permitted& permitted,
                                   Tally& tally) {
  const SmallFormat output = scenario.output();
  const Codes codes = reach(scenario, set);
  const Observed seen = summarise(output, codes);
  Tally::Row& row = tally.rows[std::string(permitted.rule.id())];
  ++row.sets;

  const auto disagree = [&](const std::string& what) {
    return fmt::format(
        "{}\n  {}\n  rule {}: permitted {} [{}, {}] zeros {}{} inf {}{} nan {}; reachable [{}, {}] inf "
        "{}{} nan {}",
        what, describe(scenario, set), permitted.rule, permitted.to_string(), permitted.hull().low,
        permitted.hull().high, permitted.plus_zero ? "+" : "", permitted.minus_zero ? "-" : "",
        permitted.plus_infinity ? "+" : "", permitted.minus_infinity ? "-" : "", permitted.nan, seen.low, seen.high,
        seen.plus_infinity ? "+" : "", seen.minus_infinity ? "-" : "", seen.nan);
  };

  for (const Code code : codes) {
    const std::uint64_t word = to_word(scenario.d, code);
    if (!permitted.contains(word)) {
      return disagree(fmt::format("reachable but not permitted: {} ({:#x})",
                                  number::to_decimal(number::format(scenario.d), word), word));
    }
  }
  if (!permitted.only.empty()) return std::nullopt;

  if (held_to_equality(scenario, permitted)) {
    ++row.exactly_the_hull;
    // A hull that a conversion takes beyond the numbers of a narrower format covers all of them up to the end, though
    // nothing need reach those. A NaN in place of an infinity lies beyond them too (numerics.md 2d), on either side.
    const bool narrows = scenario.d != scenario.contract.accumulate || !scenario.contract.intermediate.empty();
    const bool nan_ends =
        narrows && seen.nan && (!output.has_infinity || scenario.contract.overflow == OverflowPolicy::Nan);
    const bool low_open = narrows && seen.minus_infinity, high_open = narrows && seen.plus_infinity;
    if (permitted.finite != seen.any_finite && !(low_open && high_open) && !nan_ends) {
      return disagree("finite results differ");
    }
    const auto largest = static_cast<std::int64_t>(output.max_magnitude);
    const bool to_the_end = nan_ends && scenario.contract.intermediate.empty();
    const auto agrees = [&](std::int64_t end, std::int64_t reached, std::int64_t last, bool open) {
      return end == reached || open || (nan_ends && (end == last || !to_the_end));
    };
    if (seen.any_finite && !(agrees(permitted.hull().low, seen.low, -largest, low_open) &&
                             agrees(permitted.hull().high, seen.high, largest, high_open))) {
      return disagree("the finite ends are not those of the reachable results");
    }
    // Where an intermediate rounding gives the infinity, numbers below it may overflow to NaN in the output.
    const bool spans = (seen.any_finite && (seen.plus_infinity || seen.minus_infinity)) || (low_open && high_open);
    const bool nan_between = permitted.nan && spans && scenario.contract.overflow == OverflowPolicy::Nan &&
                             !scenario.contract.intermediate.empty();
    if (permitted.plus_infinity != seen.plus_infinity || permitted.minus_infinity != seen.minus_infinity ||
        (permitted.nan != seen.nan && !nan_between)) {
      return disagree("special results are permitted that nothing reaches");
    }
    if (zero_sign_decided(scenario, set)) {
      if (seen.plus_zero && !seen.minus_zero && permitted.minus_zero) return disagree("-0 is permitted, never reached");
      if (seen.minus_zero && !seen.plus_zero && permitted.plus_zero) return disagree("+0 is permitted, never reached");
    }
    return std::nullopt;
  }
  const bool blurs = blurs_flushing(scenario.contract);
  if (const auto stated = stated_set(blurs ? with_either(scenario) : scenario, set)) {
    ++row.within_the_stated;
    if (permitted.finite && (permitted.hull().low < stated->low || permitted.hull().high > stated->high)) {
      return disagree(fmt::format("wider than the stated [{}, {}]", stated->low, stated->high));
    }
    if ((permitted.plus_infinity && !stated->plus_infinity) || (permitted.minus_infinity && !stated->minus_infinity) ||
        (permitted.nan && !stated->nan)) {
      return disagree("special results are permitted although nothing can overflow");
    }
  }
  return std::nullopt;
}

std::optional<std::string> compare_all(const Scenario& scenario, std::span<const OperandSet> sets, Tally& tally) {
  const operation::Case value = make_case(scenario, sets);
  if (const auto valid = operation::validate(value); !valid) return "invalid case: " + valid.error().message;
  const auto oracle = oracle::Oracle::make(value, scenario.contract);
  if (!oracle) return "no oracle: " + oracle.error().message + "\n  " + describe(scenario, sets.front());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
    if (auto text = compare(scenario, sets[i], permitted, tally)) {
      return *text + fmt::format("\n  element {} of {}", i, sets.size());
    }
  }
  return std::nullopt;
}

}  // namespace negzero::oracle_cross

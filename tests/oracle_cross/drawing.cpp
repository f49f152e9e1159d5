// Draws scenarios, one flavour at a time.

#include "drawing.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>

namespace negzero::oracle_cross {

namespace {

using contract::AccumulateRounding;
using number::FormatId;

/// Formats of one sum: what is multiplied or added, the accumulator, and the output.
struct Formats {
  FormatId a, b, accumulate, d;
};

Formats draw_formats(base::Random& random, bool gemm) {
  // Small accumulators most often: ties, double roundings and overflow are dense there.
  const FormatId small = one_of(random, {FormatId::F8_E5M2, FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F8_E4M3,
                                         FormatId::F16, FormatId::BF16, FormatId::F32});
  if (gemm && random.one_in(4)) {
    constexpr Formats kMixed[] = {
        {FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::F8_E5M2, FormatId::F8_E5M2},
        {FormatId::F8_E5M2, FormatId::F8_E5M2, FormatId::F16, FormatId::F16},
        {FormatId::F8_E4M3, FormatId::F8_E4M3, FormatId::F16, FormatId::F16},
        {FormatId::F16, FormatId::F16, FormatId::F8_E5M2, FormatId::F8_E5M2},
        {FormatId::F16, FormatId::F16, FormatId::F32, FormatId::F32},
        {FormatId::BF16, FormatId::BF16, FormatId::F32, FormatId::F32},
    };
    return one_of(random, kMixed);
  }
  return {small, small, small, small};
}

operation::Scalar scalar(double value) {
  return {FormatId::F32, std::bit_cast<std::uint32_t>(static_cast<float>(value))};
}

/// Formats of at most eight bits more than p = 3 hold 1, 2, 3, -1, 0.5, 1.25: no scalar is rounded before it is used.
double draw_scalar(base::Random& random) {
  return one_of(random, {1.0, 2.0, -1.0, 0.5, 3.0, -0.75, 1.25, 0.0625, 6.0});
}

/// A format that holds every number of `format`, and more.
FormatId draw_wider(base::Random& random, FormatId format) {
  if (format == FormatId::BF16 || format == FormatId::F16) return FormatId::F32;
  if (format == FormatId::F32) return FormatId::F64;
  return one_of(random, {FormatId::F16, FormatId::F32});
}

/// Adds what a flavour is about to a scenario that may have others already.
void apply(Flavour flavour, base::Random& random, Drawn& drawn) {
  Scenario& scenario = drawn.scenario;
  contract::Contract& contract = scenario.contract;
  const bool gemm = scenario.shape == Scenario::Shape::Gemm;
  switch (flavour) {
    case Flavour::Plain:
      contract.order = contract::Order::Any;
      break;
    case Flavour::Chain:
      contract.order = contract::Order::Ascending;
      if (gemm && random.one_in(3)) {
        contract.start = one_of(random, {contract::Start::C, contract::Start::Any, contract::Start::PlusZero});
        contract.beta = contract::BetaPlace::Leaf;
        scenario.beta = scalar(random.one_in(2) ? 1 : draw_scalar(random));
        if (random.one_in(3)) scenario.alpha = scalar(-1);
      }
      break;
    case Flavour::Directed:
      contract.accumulate_rounding = one_of(
          random, {AccumulateRounding::TowardZero, AccumulateRounding::TowardZero, AccumulateRounding::Faithful});
      if (contract.accumulate_rounding == AccumulateRounding::Faithful)
        drawn.terms = std::min<std::size_t>(drawn.terms, 4);
      break;
    case Flavour::Flushing:
      draw_flushing(random, drawn, false);
      break;
    case Flavour::Scaled:
      scenario.alpha = scalar(draw_scalar(random));
      if (!random.one_in(3)) scenario.beta = scalar(draw_scalar(random));
      contract.alpha = one_of(random, {contract::AlphaPlace::Any, contract::AlphaPlace::Epilogue,
                                       contract::AlphaPlace::Operand, contract::AlphaPlace::Partial});
      contract.beta = one_of(random, {contract::BetaPlace::Any, contract::BetaPlace::Epilogue});
      contract.order = contract::Order::Any;
      if (drawn.terms > 5) drawn.terms = 5;
      // A C that the accumulator may be unable to hold.
      if (random.one_in(4)) scenario.d = draw_wider(random, contract.accumulate);
      // One with more values than D, or others.
      if (random.one_in(3)) {
        scenario.c =
            one_of(random, {FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F16, FormatId::BF16, FormatId::F32});
        if (scenario.c == scenario.d) scenario.c.reset();
      }
      break;
    case Flavour::Output:
      scenario.d = one_of(random, {FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F16, FormatId::BF16, FormatId::F32});
      contract.output_rounding =
          one_of(random, {number::Rounding::NearestEven, number::Rounding::NearestEven, number::Rounding::NearestAway,
                          number::Rounding::TowardZero, number::Rounding::Down, number::Rounding::Up});
      contract.overflow = one_of(random, {contract::OverflowPolicy::Ieee, contract::OverflowPolicy::Ieee,
                                          contract::OverflowPolicy::Saturate, contract::OverflowPolicy::Nan});
      if (random.one_in(3)) {
        contract.intermediate = {
            {one_of(random, {FormatId::F8_E5M2, FormatId::F16, FormatId::BF16}),
             one_of(random, {number::Rounding::NearestEven, number::Rounding::NearestEven, number::Rounding::TowardZero,
                             number::Rounding::Down, number::Rounding::Up})}};
        if (gemm && random.one_in(2)) {
          contract.intermediate_at = contract::IntermediateAt::Sum;
          contract.beta = contract::BetaPlace::Epilogue;
          // What is turned around before a directed rounding comes out another way than after it, signs of zero apart.
          if (random.one_in(2)) {
            scenario.alpha = scalar(-1);
            contract.zero_sign = contract::ZeroSign::Default;
          }
          if (scenario.d == contract.accumulate) scenario.beta = scalar(draw_scalar(random));
        }
      }
      break;
    case Flavour::Wider:
      contract.wider = true;
      break;
    case Flavour::Compensated:
      contract.compensated = true;
      contract.order = contract::Order::Any;
      if (drawn.terms > 5) drawn.terms = 5;
      break;
    case Flavour::Promoted: {
      const FormatId wide = contract.accumulate == FormatId::BF16 || contract.accumulate == FormatId::F32
                                ? FormatId::F32
                                : one_of(random, {FormatId::F16, FormatId::F32});
      contract.promote = contract::Promote{random.between(1, 4), wide};
      if (random.one_in(2)) scenario.d = wide;
      break;
    }
    case Flavour::Multiplicand:
      using contract::Multiplicand;
      contract.multiplicand = one_of(random, {Multiplicand::Tf32Truncate, Multiplicand::Tf32NearestAway,
                                              Multiplicand::Tf32NearestEven, Multiplicand::Bf16, Multiplicand::F16});
      scenario.a = scenario.b = FormatId::F32;
      scenario.d = contract.accumulate = random.one_in(2) ? FormatId::F32 : FormatId::F16;
      break;
    case Flavour::Specials:
      drawn.specials = 4;
      break;
    case Flavour::Formula: {
      contract.scalars = contract::Scalars::Formula;
      contract.beta = one_of(random, {contract::BetaPlace::Any, contract::BetaPlace::Epilogue});
      contract.order = contract::Order::Any;
      drawn.terms = random.below(4);
      drawn.specials = random.one_in(2) ? 4 : 0;
      constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                       kNan = std::numeric_limits<double>::quiet_NaN();
      const auto draw = [&] {
        return random.one_in(3) ? draw_scalar(random) : one_of(random, {0.0, -0.0, 1.0, kInfinity, -kInfinity, kNan});
      };
      scenario.alpha = scalar(draw());
      scenario.beta = scalar(draw());
      contract.alpha = one_of(random, {contract::AlphaPlace::Any, contract::AlphaPlace::Epilogue});
      // What an operand with a special alpha in it makes of a sum is what `scaled` holds of other ones.
      if (drawn.terms > 0) contract.alpha = contract::AlphaPlace::Epilogue;
      break;
    }
    case Flavour::Mixed:
    case Flavour::Means:
      break;
  }
}

/// Declares a depth: one that some trees do not keep to, or that all do.
void draw_depth(base::Random after, Drawn& drawn) {
  base::Random random(after.next());
  contract::Contract& contract = drawn.scenario.contract;
  if (drawn.terms == 0 || !random.one_in(3)) return;
  const int product = drawn.scenario.shape == Scenario::Shape::Gemm ? 1 : 0;
  const int least = product + static_cast<int>(std::bit_width(drawn.terms - 1));
  const int depth = static_cast<int>(random.between(std::max(least, 1), product + static_cast<int>(drawn.terms)));
  contract.depth.formula = std::to_string(depth);
  if (!contract::validate(contract)) contract.depth = {};
}

/// A plain sum: formats, contraction, start, order and size.
Drawn draw_base(base::Random& random, Scenario::Shape shape) {
  Drawn drawn;
  Scenario& scenario = drawn.scenario;
  contract::Contract& contract = scenario.contract;
  scenario.shape = shape;
  const Formats formats = draw_formats(random, shape == Scenario::Shape::Gemm);
  scenario.a = formats.a;
  scenario.b = formats.b;
  scenario.d = formats.d;
  contract.accumulate = formats.accumulate;
  contract.wider = false;
  contract.zero_sign = random.one_in(5) ? contract::ZeroSign::Default : contract::ZeroSign::Ieee;
  contract.contraction =
      one_of(random, {contract::Contraction::Either, contract::Contraction::Fused, contract::Contraction::Separate});
  contract.start = one_of(
      random, {contract::Start::Any, contract::Start::Any, contract::Start::PlusZero, contract::Start::FirstTerm});
  if (scenario.shape == Scenario::Shape::Scatter) contract.start = contract::Start::Any;
  if (random.one_in(4)) contract.order = contract::Order::Ascending;
  drawn.terms = one_of<std::size_t>(random, {1, 2, 2, 3, 3, 3, 4, 4, 5, 6});

  return drawn;
}

/// Two or three flavours together, where a contract may declare them together.
Drawn draw_mixed(base::Random& random) {
  constexpr Flavour kParts[] = {Flavour::Directed, Flavour::Flushing,    Flavour::Scaled,      Flavour::Scaled,
                                Flavour::Output,   Flavour::Wider,       Flavour::Promoted,    Flavour::Chain,
                                Flavour::Specials, Flavour::Compensated, Flavour::Multiplicand};
  while (true) {
    Drawn drawn = draw_base(random, Scenario::Shape::Gemm);
    for (std::uint64_t parts = 2 + random.below(2); parts > 0; --parts) apply(one_of(random, kParts), random, drawn);
    const Scenario& scenario = drawn.scenario;
    const contract::Contract& contract = scenario.contract;
    // Where every operation has a choice, compensated sums and scaled slices have very many results.
    const bool chooses = contract.accumulate_rounding == AccumulateRounding::Faithful ||
                         contract.subnormal_inputs != contract::Subnormals::Keep ||
                         contract.subnormal_results != contract::Subnormals::Keep;
    const bool branches = contract.compensated || contract.alpha == contract::AlphaPlace::Partial;
    drawn.terms = std::min<std::size_t>(drawn.terms, chooses && branches ? 3 : 4);
    // What becomes of a C that is too wide for blocks or compensations nobody declares.
    const SmallFormat held = small_format(contract.promote ? contract.promote->format : contract.accumulate);
    const SmallFormat addend = scenario.addend();
    const bool c_fits = addend.precision <= held.precision && addend.eta_exponent() >= held.eta_exponent() &&
                        (addend == held || addend.precision < held.precision);
    if (scenario.beta_value().significand != 0 && !c_fits && (contract.promote || contract.compensated)) continue;
    // A leaf in a sum that is scaled afterwards would be scaled too.
    const bool leaf = contract.beta == contract::BetaPlace::Leaf || contract.start == contract::Start::C;
    if (leaf && contract.alpha != contract::AlphaPlace::Operand && !scenario.has_unit_alpha()) continue;
    // Where C joins the blocks of a promoted sum nobody declares.
    if (contract.promote && contract.beta == contract::BetaPlace::Leaf) continue;
    if (takes_wide_values(scenario)) continue;
    if (!contract::validate(contract)) continue;
    draw_depth(random, drawn);
    return drawn;
  }
}

/// A mean in every form, by itself or with what else a reduction may declare.
Drawn draw_mean(base::Random& random) {
  constexpr Flavour kParts[] = {Flavour::Plain,       Flavour::Plain,   Flavour::Chain, Flavour::Directed,
                                Flavour::Flushing,    Flavour::Output,  Flavour::Wider, Flavour::Promoted,
                                Flavour::Compensated, Flavour::Specials};
  using contract::MeanForm;
  while (true) {
    Drawn drawn = draw_base(random, Scenario::Shape::Reduce);
    contract::Contract& contract = drawn.scenario.contract;
    drawn.scenario.mean = true;
    contract.mean = one_of(random, {MeanForm::Any, MeanForm::Divide, MeanForm::Reciprocal, MeanForm::Terms});
    contract.mean_may_overflow = random.one_in(2);
    for (std::uint64_t parts = 1 + random.below(2); parts > 0; --parts) apply(one_of(random, kParts), random, drawn);
    drawn.terms = std::min<std::size_t>(drawn.terms, 5);
    if (takes_wide_values(drawn.scenario)) continue;
    // No format here has more exponents than F64, for sums that do not overflow.
    const FormatId held = contract.promote ? contract.promote->format : contract.accumulate;
    if (held == FormatId::F64 || contract.accumulate == FormatId::F64) contract.mean_may_overflow = true;
    if (!contract::validate(contract)) continue;
    draw_depth(random, drawn);
    return drawn;
  }
}

}  // namespace

Drawn draw_scenario(base::Random& random, Flavour flavour) {
  using Shape = Scenario::Shape;
  if (flavour == Flavour::Mixed) return draw_mixed(random);
  if (flavour == Flavour::Means) return draw_mean(random);
  Shape shape = one_of(random, {Shape::Gemm, Shape::Gemm, Shape::Reduce, Shape::Scatter});
  if (flavour == Flavour::Scaled || flavour == Flavour::Multiplicand || flavour == Flavour::Formula) {
    shape = Shape::Gemm;
  }
  if (shape == Shape::Scatter && (flavour == Flavour::Output || flavour == Flavour::Wider ||
                                  flavour == Flavour::Promoted || flavour == Flavour::Compensated)) {
    shape = Shape::Reduce;
  }
  while (true) {
    Drawn drawn = draw_base(random, shape);
    if (flavour == Flavour::Flushing) {
      draw_flushing(random, drawn, true);
      if (takes_wide_values(drawn.scenario) || !contract::validate(drawn.scenario.contract)) continue;
    } else {
      apply(flavour, random, drawn);
    }
    draw_depth(random, drawn);
    return drawn;
  }
}

const char* name(Flavour flavour) {
  constexpr const char* kNames[] = {"plain",    "chain", "directed",    "flushing", "scaled",
                                    "output",   "wider", "compensated", "promoted", "multiplicand",
                                    "specials", "mixed", "means",       "formula"};
  return kNames[static_cast<std::size_t>(flavour)];
}

OperandSet draw_operands(base::Random& random, const Drawn& drawn) {
  const Scenario& scenario = drawn.scenario;
  Draw draw = draw_style(random);
  draw.specials = drawn.specials;
  draw.subnormals = drawn.subnormals;
  // What a subnormal alpha scales is large now and then, so that it is more than nothing.
  if (is_subnormal_scalar(scenario.alpha) && random.one_in(2)) {
    draw.style = Style::Large;
    draw.subnormals = 0;
  }
  OperandSet set;
  set.a = draw_values(random, scenario.a, drawn.terms, draw);
  if (scenario.shape == Scenario::Shape::Gemm) {
    set.b = draw_values(random, scenario.b, drawn.terms, draw_partner(random, draw));
  }
  set.c = draw_values(random, scenario.addend_id(), 1, draw).front();
  return set;
}

std::uint64_t sets_of_run(std::uint64_t by_default) {
  const char* text = std::getenv("NEGZERO_CROSS_SETS");
  return text == nullptr ? by_default : std::strtoull(text, nullptr, 10);
}

std::uint64_t seed_of_run() {
  const char* text = std::getenv("NEGZERO_CROSS_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

}  // namespace negzero::oracle_cross

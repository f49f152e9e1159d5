// Draws what flushing depends on: elements narrower than their accumulator or in its format, each flag by itself,
// accumulators that may be wider, blocks that are promoted, subnormal scalars and their format.

#include <algorithm>
#include <iterator>

#include "drawing.hpp"
#include "flushing.hpp"

namespace negzero::oracle_cross {

namespace {

using contract::Subnormals;
using number::FormatId;

struct FlushingFormats {
  FormatId element, accumulate, out;
};

constexpr FlushingFormats kFlushingFormats[] = {
    {FormatId::F16, FormatId::F32, FormatId::F32},         {FormatId::F16, FormatId::F32, FormatId::F16},
    {FormatId::BF16, FormatId::F32, FormatId::F32},        {FormatId::BF16, FormatId::F32, FormatId::BF16},
    {FormatId::BF16, FormatId::BF16, FormatId::BF16},      {FormatId::BF16, FormatId::BF16, FormatId::F32},
    {FormatId::F8_E5M2, FormatId::F32, FormatId::F32},     {FormatId::F8_E4M3, FormatId::F32, FormatId::F32},
    {FormatId::F8_E4M3, FormatId::F32, FormatId::F8_E4M3}, {FormatId::F8_E5M2, FormatId::F32, FormatId::F16},
    {FormatId::F32, FormatId::F32, FormatId::F32},         {FormatId::F32, FormatId::F32, FormatId::F32},
    {FormatId::F32, FormatId::F32, FormatId::F16},         {FormatId::F32, FormatId::F32, FormatId::BF16},
    {FormatId::F32, FormatId::F32, FormatId::F8_E5M2},     {FormatId::F32, FormatId::F32, FormatId::F64},
    {FormatId::F32, FormatId::F64, FormatId::F32},         {FormatId::BF16, FormatId::F64, FormatId::F32},
    {FormatId::F64, FormatId::F64, FormatId::F64},         {FormatId::F64, FormatId::F64, FormatId::F32},
    {FormatId::F16, FormatId::F16, FormatId::F16},         {FormatId::F16, FormatId::F16, FormatId::F32},
    {FormatId::F8_E5M2, FormatId::F16, FormatId::F16},     {FormatId::F8_E5M2, FormatId::F8_E5M2, FormatId::F8_E5M2},
    {FormatId::F8_E4M3, FormatId::F8_E4M3, FormatId::F16},
};

constexpr FormatId kLocations[] = {FormatId::F32,  FormatId::F32, FormatId::F16,
                                   FormatId::BF16, FormatId::F64, FormatId::F8_E5M2};

operation::Scalar subnormal_scalar(base::Random& random, FormatId id) {
  const SmallFormat format = small_format(id);
  const Code magnitude = random.one_in(3) ? format.min_normal() - 1 : 1 + random.below(format.min_normal() - 1);
  return {id, to_word(id, magnitude | (random.one_in(2) ? kSignBit : 0))};
}

operation::Scalar scalar_in(FormatId id, double value) {
  // Halves and their multiples: every format here holds them.
  const auto twice = static_cast<std::int64_t>(2 * value);
  return {id, to_word(id, Rounder{small_format(id)}.round(make_number(twice, -1)))};
}

void draw_scalars(base::Random& random, Drawn& drawn) {
  Scenario& scenario = drawn.scenario;
  contract::Contract& contract = scenario.contract;
  const FormatId id = random.one_in(5) ? FormatId::F64 : FormatId::F32;
  const auto draw = [&](double plain) {
    if (random.one_in(3)) return subnormal_scalar(random, id);
    return scalar_in(id, random.one_in(2) ? plain : one_of(random, {2.0, -1.0, 0.5, 3.0, 1.5}));
  };
  scenario.alpha = draw(1);
  scenario.beta = draw(random.one_in(2) ? 0 : 1);
  contract.alpha = one_of(random, {contract::AlphaPlace::Any, contract::AlphaPlace::Epilogue,
                                   contract::AlphaPlace::Operand, contract::AlphaPlace::Partial});
  contract.beta = one_of(random, {contract::BetaPlace::Any, contract::BetaPlace::Epilogue});
  contract.order = contract::Order::Any;
  if (random.one_in(4)) {
    contract.scalar_format = id == FormatId::F64 ? one_of(random, {FormatId::F32, FormatId::F64}) : FormatId::F32;
  }
  drawn.terms = std::min<std::size_t>(drawn.terms, 3);
}

}  // namespace

bool takes_wide_values(const Scenario& scenario) {
  const contract::Contract& contract = scenario.contract;
  if (!may_flush(contract)) return false;
  const SmallFormat held = small_format(contract.accumulate);
  const auto is_wide = [&](FormatId id) {
    const SmallFormat own = small_format(id);
    return own.precision > held.precision || own.eta_exponent() < held.eta_exponent();
  };
  const bool gemm = scenario.shape == Scenario::Shape::Gemm;
  if (gemm && is_wide(scenario.addend_id()) && !(is_zero(scenario.beta))) return true;
  if (contract.multiplicand != contract::Multiplicand::Exact) return false;
  return is_wide(scenario.a) || (gemm && is_wide(scenario.b));
}

void draw_flushing(base::Random& random, Drawn& drawn, bool alone) {
  Scenario& scenario = drawn.scenario;
  contract::Contract& contract = scenario.contract;
  const bool gemm = scenario.shape == Scenario::Shape::Gemm;
  contract.subnormal_inputs = one_of(random, {Subnormals::Keep, Subnormals::Flush, Subnormals::Either});
  contract.subnormal_results = one_of(random, {Subnormals::Keep, Subnormals::Flush, Subnormals::Either});
  if (random.one_in(3)) contract.subnormal_inputs = contract.subnormal_results = Subnormals::Flush;
  if (scenario.shape == Scenario::Shape::Scatter) {
    scenario.a = scenario.b = scenario.d = contract.accumulate = one_of(random, kLocations);
  } else if (contract.multiplicand == contract::Multiplicand::Exact) {
    const FlushingFormats formats = one_of(random, kFlushingFormats);
    scenario.a = scenario.b = formats.element;
    contract.accumulate = formats.accumulate;
    scenario.d = formats.out;
  }
  drawn.subnormals = one_of(random, {2u, 3u, 6u});
  drawn.terms = std::min<std::size_t>(drawn.terms, 4);
  if (random.one_in(4)) drawn.terms = 1;
  if (!alone) return;
  const bool atomic = scenario.shape == Scenario::Shape::Scatter;
  if (!atomic && random.one_in(3)) contract.wider = true;
  if (!atomic && random.one_in(6)) {
    const bool is_f32 = contract.accumulate == FormatId::F32 && random.one_in(2);
    contract.promote = contract::Promote{random.between(1, 3), is_f32 ? FormatId::F64 : FormatId::F32};
    // Where F64 is the output too, a bound in F64 is nearly all of the set: sums of that kind are held to it elsewhere.
    if (contract.wider && scenario.d == FormatId::F64) scenario.d = FormatId::F32;
  } else if (!atomic && random.one_in(8)) {
    contract.compensated = true;
    contract.order = contract::Order::Any;
    drawn.terms = std::min<std::size_t>(drawn.terms, 3);
  } else if (gemm && random.one_in(3)) {
    draw_scalars(random, drawn);
  }
}

}  // namespace negzero::oracle_cross

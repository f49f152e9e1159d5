// One of the results that softfloat.hpp and flushing.hpp list.

#include "luck.hpp"

#include "../scenario.hpp"

namespace negzero::oracle_legal {

using contract::Subnormals;
using number::FormatId;

const char* name(Trait trait) {
  switch (trait) {
    case Trait::MixedWidths:
      return "MixedWidths";
    case Trait::NearestBehind:
      return "NearestBehind";
    case Trait::NearestWide:
      return "NearestWide";
    case Trait::CInBlock:
      return "CInBlock";
    case Trait::CAmongBlocks:
      return "CAmongBlocks";
    case Trait::ErrorSubtracted:
      return "ErrorSubtracted";
    case Trait::IdleZero:
      return "IdleZero";
    case Trait::FoldedSign:
      return "FoldedSign";
    case Trait::Folded:
      return "Folded";
    case Trait::PartialAlpha:
      return "PartialAlpha";
    case Trait::SubnormalScalar:
      return "SubnormalScalar";
    case Trait::DividedTerms:
      return "DividedTerms";
    case Trait::CLeaf:
      return "CLeaf";
    case Trait::CEnd:
      return "CEnd";
    case Trait::Unit:
      return "Unit";
    case Trait::StoredSlice:
      return "StoredSlice";
    case Trait::Wider:
      return "Wider";
    case Trait::Stored:
      return "Stored";
    case Trait::Compensated:
      return "Compensated";
    case Trait::LastWide:
      return "LastWide";
    case Trait::UnclampedProduct:
      return "UnclampedProduct";
    case Trait::Promoted:
      return "Promoted";
    case Trait::CAlone:
      return "CAlone";
  }
  return "";
}

std::string traits_of(Traits traits) {
  std::string text;
  for (Traits bit = 1; bit != 0 && bit <= traits; bit <<= 1) {
    if ((traits & bit) != 0) text += (text.empty() ? "" : "|") + std::string(name(static_cast<Trait>(bit)));
  }
  return text;
}

Held turned(Held value) {
  if (value.code != kNan) value.code ^= kSignBit;
  return value;
}

Arithmetic Luck::arithmetic(FormatId id, Mode mode) const {
  const SmallFormat format = small_format(id);
  return {id,
          {format, mode, flush_in(contract_->subnormal_results, format), OnOverflow::Ieee},
          flush_in(contract_->subnormal_inputs, format)};
}

Code Luck::round(const Rounder& rounder, const Number& exact) {
  scratch_.clear();
  rounder.round(exact, scratch_);
  return scratch_.size() == 1 ? scratch_.front() : scratch_[below(scratch_.size())];
}

Number Luck::take(const Held& operand, const Arithmetic& arithmetic) {
  const SmallFormat own = small_format(operand.id);
  if (contract_->subnormal_inputs == Subnormals::Keep || !own.is_subnormal(operand.code)) {
    return own.decode(operand.code);
  }
  return one_of(as_operand(*contract_, own, operand.code, arithmetic.rounder.format));
}

Number Luck::take_scalar(const Held& scalar, const Arithmetic& arithmetic) {
  if (contract_->subnormal_inputs == Subnormals::Keep) return take(scalar, arithmetic);
  for (const Taken& each : taken_) {
    if (each.scalar.id == scalar.id && each.scalar.code == scalar.code && each.in == arithmetic.id) return each.value;
  }
  taken_.push_back({scalar, arithmetic.id, take(scalar, arithmetic)});
  return taken_.back().value;
}

Held Luck::load(const Held& value, const Arithmetic& arithmetic) {
  if (value.id == arithmetic.id) return value;
  const Held held = loaded_by(value, arithmetic);
  // A conversion does not make an accumulator overflow that has means of its own for that.
  const bool is_nearest = contract_->accumulate_rounding == contract::AccumulateRounding::Nearest;
  if (!is_nearest && value.is_finite() && !held.is_finite()) spoil();
  return held;
}

Held Luck::loaded_by(const Held& value, const Arithmetic& arithmetic) {
  if (!may_flush(*contract_)) return round(arithmetic, small_format(value.id).decode(value.code));
  Machine machine;
  machine.rounder = arithmetic.rounder;
  const Number held = one_of(loaded(*contract_, value.id, value.code, machine));
  return {arithmetic.id, Rounder{arithmetic.rounder.format}.round(held)};
}

Held Luck::convert(const Held& value, FormatId to, Mode mode, OnOverflow overflow, Converted what) {
  scratch_.clear();
  // A copy is no conversion.
  if (value.id == to) what = Converted::Sum;
  convert_one(*contract_, small_format(value.id), value.code, {small_format(to), mode, Flush::Keep, overflow}, what,
              scratch_);
  return {to, scratch_[below(scratch_.size())]};
}

Held Luck::alone(const Held& value, const Arithmetic& arithmetic, FormatId out) {
  const Codes codes =
      kept_or_zero(*contract_, small_format(value.id), value.code, arithmetic.rounder.format, small_format(out));
  Rounder load = arithmetic.rounder;
  load.flush = Flush::Keep;
  return {arithmetic.id, round(load, small_format(value.id).decode(one_of(codes)))};
}

}  // namespace negzero::oracle_legal

// Each row of the table, as far as sums, conversions and selections meet it.

#include "flushing.hpp"

namespace negzero::oracle_cross {

using contract::Subnormals;

constexpr int kBitsOfF32 = 24;

bool may_flush(const contract::Contract& contract) {
  return contract.subnormal_inputs != Subnormals::Keep || contract.subnormal_results != Subnormals::Keep;
}

Fate fate_of(Subnormals policy) { return {policy != Subnormals::Flush, policy != Subnormals::Keep}; }

bool has_exponents_of_f32(const SmallFormat& format) { return format.min_exponent == -126; }
bool is_f64(const SmallFormat& format) { return format.precision == 53; }

bool must_flush(const SmallFormat& format) {
  constexpr int kBitsOfBf16 = 8, kMostBitsOfF8 = 4;
  if (format.precision <= kMostBitsOfF8) return true;
  return has_exponents_of_f32(format) && format.precision != kBitsOfBf16;
}

Flush flush_in(Subnormals policy, const SmallFormat& format) {
  if (policy == Subnormals::Keep) return Flush::Keep;
  return policy == Subnormals::Flush && must_flush(format) ? Flush::Flush : Flush::Either;
}

bool is_touched(const SmallFormat& own, Code code, const SmallFormat& arithmetic) {
  if (!own.is_subnormal(code)) return false;
  const Code magnitude = Rounder{arithmetic, Mode::TowardZero}.round(own.decode(code & ~kSignBit));
  return magnitude < arithmetic.min_normal();
}

Fate fate_as_operand(const contract::Contract& contract, const SmallFormat& own, Code code,
                     const SmallFormat& arithmetic) {
  const Subnormals policy = contract.subnormal_inputs;
  const bool goes_on_to_f64 = own.is_subnormal(code) && has_exponents_of_f32(own) && is_f64(arithmetic);
  if (goes_on_to_f64) return fate_of(policy);
  if (!is_touched(own, code, arithmetic)) return {};
  return {flush_in(policy, arithmetic) != Flush::Flush, policy != Subnormals::Keep};
}

std::vector<Number> as_operand(const contract::Contract& contract, const SmallFormat& own, Code code,
                               const SmallFormat& arithmetic) {
  const Fate fate = fate_as_operand(contract, own, code, arithmetic);
  std::vector<Number> values;
  if (fate.kept) values.push_back(own.decode(code));
  if (fate.zero) values.push_back(own.decode(code & kSignBit));
  return values;
}

void convert_one(const contract::Contract& contract, const SmallFormat& own, Code code, Rounder to, Converted what,
                 Codes& out) {
  const bool is_subnormal = own.is_subnormal(code);
  const bool to_f32 = has_exponents_of_f32(to.format);
  Fate fate;
  to.flush = Flush::Keep;
  if (is_subnormal && has_exponents_of_f32(own) && is_f64(to.format)) {
    const bool must_vanish = own.precision == kBitsOfF32 && what == Converted::Value;
    fate = {!must_vanish || contract.subnormal_inputs != Subnormals::Flush,
            contract.subnormal_inputs != Subnormals::Keep};
  } else if (what == Converted::Sum && own == to.format) {
    // A copy is no conversion.
  } else if (is_subnormal && (has_exponents_of_f32(own) || (is_f64(own) && is_f64(to.format)))) {
    // To F16 or 8 bits results are kept, but what is read may have been flushed.
    fate.zero = contract.subnormal_inputs != Subnormals::Keep;
    const bool keeps_result = !to_f32 && !is_f64(to.format);
    if (!keeps_result && contract.subnormal_results != Subnormals::Keep) to.flush = Flush::Either;
  } else if (is_f64(own) && to_f32) {
    const bool leaves_a_choice = what == Converted::Sum || to.format.precision != kBitsOfF32;
    to.flush = static_cast<Flush>(contract.subnormal_results);
    if (to.flush == Flush::Flush && leaves_a_choice) to.flush = Flush::Either;
  }
  if (fate.zero) out.push_back(code & kSignBit);
  if (!fate.kept) return;
  to.round(own.decode(code), out);
}

Codes convert_all(const contract::Contract& contract, const SmallFormat& own, const Codes& codes, const Rounder& to,
                  Converted what) {
  Codes out;
  for (const Code code : codes) convert_one(contract, own, code, to, what, out);
  tidy(out);
  return out;
}

Codes kept_or_zero(const contract::Contract& contract, const SmallFormat& own, Code code, const SmallFormat& format,
                   const SmallFormat& out) {
  Codes codes{code};
  const bool goes_on_to_f64 = own.is_subnormal(code) && has_exponents_of_f32(own) && is_f64(format);
  const bool vanishes_before = contract.subnormal_inputs != Subnormals::Keep;
  const bool vanishes_behind =
      contract.subnormal_results != Subnormals::Keep && has_exponents_of_f32(out) && is_touched(own, code, out);
  if ((goes_on_to_f64 || is_touched(own, code, format)) && (vanishes_before || vanishes_behind)) {
    codes.push_back(code & kSignBit);
  }
  return codes;
}

}  // namespace negzero::oracle_cross

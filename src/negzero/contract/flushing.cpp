// Flushing by formats.

#include <negzero/contract/flushing.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::contract {

using number::Format;
using number::FormatId;

bool is_subnormal(const Format& format, std::uint64_t word) {
  return number::classify(format, word) == number::Class::Subnormal;
}

bool has_exponents_of_f32(const Format& format) {
  return !format.is_integer() && format.min_normal_exponent() == number::format(FormatId::F32).min_normal_exponent();
}

Subnormals opened(Subnormals policy) { return policy == Subnormals::Flush ? Subnormals::Either : policy; }

Subnormals acts_in(FormatId format, Subnormals declared) {
  const bool is_open = format == FormatId::F16 || format == FormatId::BF16 || format == FormatId::F64;
  return is_open ? opened(declared) : declared;
}

Subnormals taken(FormatId of, FormatId in, Subnormals declared) {
  const Format &own = number::format(of), &there = number::format(in);
  if (declared == Subnormals::Keep || own.is_integer() || there.is_integer()) return Subnormals::Keep;
  // F32 is converted to F64 by an instruction that flushes it.
  if (has_exponents_of_f32(own) && in == FormatId::F64) return declared;
  if (own.min_normal_exponent() > there.min_normal_exponent()) return Subnormals::Keep;
  return own.min_normal_exponent() == there.min_normal_exponent() ? acts_in(in, declared) : opened(declared);
}

Subnormals joined(Subnormals a, Subnormals b) { return a == b ? a : Subnormals::Either; }

}  // namespace negzero::contract

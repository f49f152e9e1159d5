// Flushing by formats.

#include <negzero/number/encoding.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/flushing.hpp>

namespace negzero::oracle {

using contract::Subnormals;
using exact::Dyadic;
using number::Format;
using number::FormatId;

Set flushed(const Set& set, const Format& format, Subnormals policy) {
  if (policy == Subnormals::Keep || !set.finite) return set;
  const int least = format.min_normal_exponent();
  const Dyadic smallest = Dyadic::power_of_two(least);
  Set result = set;
  const auto end = [&](const Dyadic& x, bool upward) {
    const bool is_subnormal = !x.is_zero() && x.floor_log2() < least;
    const bool away = policy == Subnormals::Either && upward != (x.sign() < 0);
    return is_subnormal && !away ? Dyadic() : x;
  };
  result.low = end(set.low, false);
  result.high = end(set.high, true);
  if (set.high.sign() > 0 && set.low < smallest) result.plus_zero = true;
  if (set.low.sign() < 0 && -smallest < set.high) result.minus_zero = true;
  return result;
}

ConversionFlushing conversion_flushing(const Format& from, const Format& to, Subnormals inputs, Subnormals results) {
  const bool leaves_f32 = has_exponents_of_f32(from), gives_f32 = has_exponents_of_f32(to);
  const bool from_f64 = from.id == FormatId::F64, to_f64 = to.id == FormatId::F64;
  ConversionFlushing flushing{Subnormals::Keep, Subnormals::Keep};
  if (leaves_f32 || (from_f64 && to_f64)) flushing.source = contract::opened(inputs);
  if (from.id == FormatId::F32 && to_f64) flushing.source = inputs;
  if ((gives_f32 && (leaves_f32 || from_f64)) || (from_f64 && to_f64)) {
    flushing.result = contract::opened(results);
  }
  if (from_f64 && to.id == FormatId::F32) flushing.result = results;
  return flushing;
}

}  // namespace negzero::oracle

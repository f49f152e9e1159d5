// Flushing by formats.

#include <negzero/number/encoding.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/flushing.hpp>

namespace negzero::oracle {

using contract::Subnormals;
using exact::Dyadic;
using number::Format;
using number::FormatId;

bool is_subnormal_among(const tensor::Tensor& tensor) {
  const number::Format& format = tensor.format();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_subnormal(format, tensor.get(i))) return true;
  }
  return false;
}

namespace {

Set flushed_piece(const Set& piece, const Format& format, Subnormals policy) {
  const int least = format.min_normal_exponent();
  const auto is_subnormal = [least](const Dyadic& x) { return !x.is_zero() && x.floor_log2() < least; };
  const bool is_low = is_subnormal(piece.low), is_high = is_subnormal(piece.high);
  const Dyadic smallest = Dyadic::power_of_two(least);
  Set result = piece;
  if (piece.high.sign() > 0 && piece.low < smallest) result.plus_zero = true;
  if (piece.low.sign() < 0 && -smallest < piece.high) result.minus_zero = true;
  if (policy == Subnormals::Flush) {
    if (is_low) result.low = {};
    if (is_high) result.high = {};
  } else if (is_low && is_high && piece.low.sign() == piece.high.sign()) {
    result.unite(Set::value({}, piece.high.sign() > 0, piece.low.sign() < 0));
  } else {
    if (is_low && piece.low.sign() > 0) result.low = {};
    if (is_high && piece.high.sign() < 0) result.high = {};
  }
  return result;
}

}  // namespace

Set flushed(const Set& set, const Format& format, Subnormals policy) {
  if (policy == Subnormals::Keep || !set.finite) return set;
  return set.each_piece([&](const Set& piece) { return piece.finite ? flushed_piece(piece, format, policy) : piece; });
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

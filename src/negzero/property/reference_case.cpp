// The case that a reference is given: the same inputs in the formats of the reference's line.

#include <algorithm>
#include <cstddef>

#include <negzero/contract/flushing.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/property/reference.hpp>

namespace negzero::property {

namespace {

using contract::Subnormals;
using number::FormatId;

/// One number in another format that holds it. A NaN keeps its sign.
std::uint64_t widened(const number::Format& from, std::uint64_t word, const number::Format& to, bool flushes) {
  const bool is_negative = number::is_negative(from, word);
  if (flushes && number::classify(from, word) == number::Class::Subnormal) return number::zero(to, is_negative);
  const std::uint64_t wide = number::convert(from, word, to, {});
  return number::is_nan(from, word) && is_negative ? wide | to.sign_mask() : wide;
}

tensor::Tensor widened(const tensor::Tensor& from, FormatId to, bool flushes) {
  tensor::Tensor result(to, from.shape());
  for (std::int64_t i = 0; i < from.element_count(); ++i) {
    result.set(i, widened(from.format(), from.get(i), result.format(), flushes));
  }
  return result;
}

/// What a kernel does with subnormal inputs of a format: zeros where it says Flush; a reference must be asked in both
/// ways where it says Either (numerics.md section 2, Flushing).
Subnormals taken_from(FormatId format, const contract::Contract& contract) {
  if (format == FormatId::F32) return contract.subnormal_inputs;
  const Subnormals flushing = contract::taken(format, contract.accumulate, contract.subnormal_inputs);
  return contract::joined(flushing, Subnormals::Keep);
}

bool has_subnormals(const tensor::Tensor& tensor) {
  for (std::int64_t i = 0; !tensor.format().is_integer() && i < tensor.element_count(); ++i) {
    if (contract::is_subnormal(tensor.format(), tensor.get(i))) return true;
  }
  return false;
}

}  // namespace

OpenInputs open_inputs(const operation::Case& value, const contract::Contract& contract) {
  OpenInputs open;
  const auto look = [&](FormatId format) {
    if (taken_from(format, contract) != Subnormals::Either) return;
    (contract.subnormal_inputs == Subnormals::Either ? open.each : open.all) = true;
  };
  for (const auto& [name, tensor] : value.tensors) {
    if (has_subnormals(tensor)) look(tensor.format_id());
  }
  // A scalar is no element: both ways are all there are.
  for (const operation::Scalar& scalar : value.operation.scalars()) {
    const number::Format& format = number::format(scalar.format);
    if (format.is_integer()) continue;
    const bool is_touched = contract.subnormal_inputs != Subnormals::Keep && contract::has_exponents_of_f32(format);
    open.all |= is_touched && contract::is_subnormal(format, scalar.bits);
  }
  return open;
}

operation::Case case_for_reference(const operation::Case& value, const contract::Contract& contract,
                                   const kernel::Kernel& reference, bool keeps_open) {
  const notation::Signature& own = value.operation.signature();
  const notation::Signature& line =
      operation::variant(*operation::find_signature(reference.operation), operation::absent_inputs(own));
  const auto format_in = [](FormatId id) { return number::format(id).is_integer() ? id : FormatId::F64; };
  const bool flushes = contract.subnormal_inputs != Subnormals::Keep;
  operation::Case result;
  operation::Operation operation(line);
  for (std::size_t e = 0; e < own.extents.size(); ++e) operation.extent(own.extents[e]) = value.operation.extents()[e];
  for (FormatId& format : operation.formats()) format = format_in(format);
  // Of absent inputs, too: a combination of formats names them.
  for (const notation::TensorSignature& tensor : own.family().tensors) {
    const std::size_t there = *line.family().find_tensor(tensor.name);
    operation.formats()[line.family().tensors[there].format] = format_in(value.operation.formats()[tensor.format]);
  }
  const FormatId scalars = reference.contract.scalar_format.value_or(
      reference.contract.accumulate == FormatId::F64 ? FormatId::F64 : FormatId::F32);
  for (std::size_t i = 0; i < line.scalars.size(); ++i) {
    const auto same = std::ranges::find(own.scalars, line.scalars[i].name, &notation::ScalarSignature::name);
    const operation::Scalar& given = value.operation.scalars()[static_cast<std::size_t>(same - own.scalars.begin())];
    if (same->is_whole()) {
      operation.scalars()[i] = given;
      continue;
    }
    const number::Format& from = number::format(given.format);
    const bool is_zero = !keeps_open && flushes && contract::has_exponents_of_f32(from);
    operation.scalars()[i] = {scalars, widened(from, given.bits, number::format(scalars), is_zero)};
  }
  result.operation = operation;
  for (const auto& [name, tensor] : value.tensors) {
    const Subnormals taken = taken_from(tensor.format_id(), contract);
    const bool is_zero = taken == Subnormals::Flush || (taken == Subnormals::Either && !keeps_open);
    result.tensors.emplace(name, widened(tensor, format_in(tensor.format_id()), is_zero));
  }
  operation::pack_missing_layouts(result);
  return result;
}

}  // namespace negzero::property

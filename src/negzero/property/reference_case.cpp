// The case that a reference is given: the same inputs in the formats of the reference's line.

#include <algorithm>
#include <cstddef>

#include <negzero/number/encoding.hpp>
#include <negzero/property/reference.hpp>

namespace negzero::property {

namespace {

using number::FormatId;

/// The elements in another format that holds each of them.
tensor::Tensor widened(const tensor::Tensor& from, FormatId to, bool flushes) {
  tensor::Tensor result(to, from.shape());
  for (std::int64_t i = 0; i < from.element_count(); ++i) {
    std::uint64_t word = from.get(i);
    if (flushes && number::classify(from.format(), word) == number::Class::Subnormal)
      word = number::zero(from.format(), number::is_negative(from.format(), word));
    result.set(i, number::convert(from.format(), word, result.format(), {}));
  }
  return result;
}

}  // namespace

operation::Case case_for_reference(const operation::Case& value, const contract::Contract& contract,
                                   const kernel::Kernel& reference) {
  const operation::Signature& own = value.operation.signature();
  const operation::Signature& line = *operation::find_signature(reference.operation);
  const auto format_in = [](FormatId id) { return number::format(id).is_integer() ? id : FormatId::F64; };
  operation::Case result;
  operation::Operation operation(line);
  for (std::size_t e = 0; e < own.extents.size(); ++e) operation.extent(own.extents[e]) = value.operation.extents()[e];
  for (FormatId& format : operation.formats()) format = FormatId::F64;
  for (std::size_t place = 0; place < own.tensors.size(); ++place) {
    const std::size_t there = *line.find_tensor(own.tensors[place].name);
    operation.formats()[line.tensors[there].format] = format_in(value.operation.format_of(place));
  }
  const FormatId scalars = reference.contract.scalar_format.value_or(
      reference.contract.accumulate == FormatId::F64 ? FormatId::F64 : FormatId::F32);
  for (std::size_t i = 0; i < line.scalars.size(); ++i) {
    const auto same = std::ranges::find(own.scalars, line.scalars[i].name, &operation::ScalarSignature::name);
    const operation::Scalar& given = value.operation.scalars()[static_cast<std::size_t>(same - own.scalars.begin())];
    operation.scalars()[i] = {scalars,
                              number::convert(number::format(given.format), given.bits, number::format(scalars), {})};
  }
  result.operation = operation;
  const bool flushes = contract.subnormal_inputs == contract::Subnormals::Flush;
  for (const auto& [name, tensor] : value.tensors) {
    result.tensors.emplace(name, widened(tensor, format_in(tensor.format_id()), flushes));
  }
  operation::pack_missing_layouts(result);
  return result;
}

}  // namespace negzero::property

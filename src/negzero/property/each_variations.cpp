// Changes of cases of declared operations: of one of the problems that a line says are each by itself, and of memory.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/property/tensor_map.hpp>
#include <negzero/property/variations.hpp>

namespace negzero::property {

namespace {

using contract::Contract;
using contract::Determinism;
using notation::Role;
using notation::Signature;
using notation::TensorSignature;
using operation::dimension_of;
using tensor::Tensor;

bool is_movable(const Contract& contract) {
  return contract.position_invariant && contract.determinism != Determinism::NotGuaranteed;
}

/// An input of numbers that has the extent and no elements in common memory, in which a NaN would be in all of them.
std::optional<std::size_t> input_along(const operation::Case& value, std::size_t extent, base::Random& random) {
  const Signature& signature = value.operation.signature();
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < signature.tensors.size(); ++place) {
    const TensorSignature& tensor = signature.tensors[place];
    const bool has_it = tensor.role == Role::Input && dimension_of(tensor, extent);
    if (!has_it || value.layouts.at(tensor.name).overlaps()) continue;
    const Tensor& elements = value.tensors.at(tensor.name);
    if (elements.element_count() > 0 && !elements.format().is_integer()) places.push_back(place);
  }
  if (places.empty()) return std::nullopt;
  return places[static_cast<std::size_t>(random.below(places.size()))];
}

}  // namespace

std::optional<std::size_t> one_of_each(const Signature& signature, base::Random& random) {
  if (signature.each.empty()) return std::nullopt;
  return signature.each[static_cast<std::size_t>(random.below(signature.each.size()))];
}

std::vector<std::int64_t> permutation(std::int64_t count, base::Random& random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  if (std::is_sorted(order.begin(), order.end())) std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

NEGZERO_VARIATION(permute_each) {
  const Signature& signature = value.operation.signature();
  const std::optional<std::size_t> extent = one_of_each(signature, random);
  if (!extent || !is_movable(contract)) return std::nullopt;
  const std::int64_t count = value.operation.extents()[*extent];
  if (count < 2) return std::nullopt;
  const std::vector<std::int64_t> origin = permutation(count, random);
  Variation result(value, outputs);
  for (const TensorSignature& tensor : signature.tensors) {
    const auto given = result.value.tensors.find(tensor.name);
    const auto dimension = dimension_of(tensor, *extent);
    if (given != result.value.tensors.end() && dimension) {
      given->second = map_lines(given->second, *dimension, 0, origin);
    }
  }
  result.value.layouts.clear();
  operation::lay_missing_plainly(result.value, kernel.limits);
  if (!operation::validate(result.value)) return std::nullopt;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::size_t dimension = *dimension_of(signature.tensors[signature.outputs[o].tensor], *extent);
    result.outputs[o].values = map_lines(outputs[o], dimension, 0, origin);
    result.outputs[o].origins = origins_of_lines(outputs[o].shape(), dimension, origin);
  }
  result.drawn = signature.extents[*extent] + " in another order";
  return result;
}

NEGZERO_VARIATION(nan_in_one) {
  (void)kernel;
  const Signature& signature = value.operation.signature();
  const std::optional<std::size_t> extent = one_of_each(signature, random);
  if (!extent || contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  const std::optional<std::size_t> place = input_along(value, *extent, random);
  if (!place) return std::nullopt;
  const TensorSignature& input = signature.tensors[*place];
  Variation result(value, outputs);
  Tensor& elements = result.value.tensors.at(input.name);
  const std::int64_t at = random.between(0, elements.element_count() - 1);
  elements.set(at, number::canonical_nan(elements.format()));
  const std::int64_t spoilt = tensor::coordinates_of(elements.shape(), at)[*dimension_of(input, *extent)];
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::size_t dimension = *dimension_of(signature.tensors[signature.outputs[o].tensor], *extent);
    const std::vector<std::int64_t>& shape = outputs[o].shape();
    std::int64_t inner = 1;
    for (std::size_t d = dimension + 1; d < shape.size(); ++d) inner *= shape[d];
    for (std::int64_t i = 0; i < outputs[o].element_count(); ++i) {
      result.outputs[o].exempt.push_back(i / inner % shape[dimension] == spoilt);
    }
  }
  result.drawn = fmt::format("NaN in {} at {} = {}", input.name, signature.extents[*extent], spoilt);
  return result;
}

NEGZERO_VARIATION(embed_all) {
  (void)kernel;
  if (!is_movable(contract)) return std::nullopt;
  Variation result(value, outputs);
  const std::vector<operation::TensorSpec> specs = operation::tensor_specs(result.value.operation);
  for (auto& [name, layout] : result.value.layouts) {
    const auto spec = std::ranges::find(specs, name, &operation::TensorSpec::name);
    // Half bytes lie packed.
    if (spec != specs.end() && number::format(spec->format).is_half_byte()) continue;
    layout = tensor::Layout::packed(layout.shape);
    std::int64_t stride = 1;
    for (std::size_t d = layout.shape.size(); d-- > 0;) {
      layout.strides[d] = stride;
      stride = stride * std::max<std::int64_t>(1, layout.shape[d]) + random.between(1, 17);
    }
    layout.offset = random.between(0, 15);
  }
  operation::unify_shared_elements(result.value);
  if (!operation::validate(result.value)) return std::nullopt;
  return result;
}

}  // namespace negzero::property

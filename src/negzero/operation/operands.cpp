// Places in a signature, looked up once.

#include <algorithm>

#include <negzero/operation/operands.hpp>

namespace negzero::operation {

const std::string& factor_name(const notation::Signature& signature, std::size_t which) {
  return signature.tensors[signature.factors.at(which)].name;
}

const std::string& index_name(const notation::Signature& signature) {
  return std::ranges::find_if(signature.tensors,
                              [](const notation::TensorSignature& tensor) { return tensor.index_below.has_value(); })
      ->name;
}

const tensor::Tensor& factor(const Case& value, std::size_t which) {
  return value.tensors.at(factor_name(value.operation.signature(), which));
}

const tensor::Tensor& addend(const Case& value) {
  const notation::Signature& signature = value.operation.signature();
  return value.tensors.at(signature.tensors[signature.addend.value()].name);
}

const tensor::Tensor& index_list(const Case& value) {
  return value.tensors.at(index_name(value.operation.signature()));
}

std::optional<std::size_t> dimension_of(const notation::TensorSignature& tensor, std::size_t extent) noexcept {
  const auto found = std::ranges::find(tensor.extents, extent);
  if (found == tensor.extents.end()) return std::nullopt;
  return static_cast<std::size_t>(found - tensor.extents.begin());
}

}  // namespace negzero::operation

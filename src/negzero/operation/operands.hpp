// The tensors of a case by the part that the signature gives them, so that no code needs their names.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <negzero/notation/signature.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::operation {

/// The name of a tensor that is reduced or multiplied: x, or a and b of a GEMM. Requires `which` to be one of them.
[[nodiscard]] const std::string& factor_name(const notation::Signature& signature, std::size_t which = 0);
/// The name of the list that says which destination each update goes to. Requires an update.
[[nodiscard]] const std::string& index_name(const notation::Signature& signature);

/// The elements of a factor, of what is added (C, initial values), and of the list of destinations. Each requires a
/// case that has them.
[[nodiscard]] const tensor::Tensor& factor(const Case& value, std::size_t which = 0);
[[nodiscard]] const tensor::Tensor& addend(const Case& value);
[[nodiscard]] const tensor::Tensor& index_list(const Case& value);

/// The dimension of a tensor that has that extent; nothing where none has it.
[[nodiscard]] std::optional<std::size_t> dimension_of(const notation::TensorSignature& tensor,
                                                      std::size_t extent) noexcept;

}  // namespace negzero::operation

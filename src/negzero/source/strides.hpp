// The names that a `launch` line uses.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/notation/signature.hpp>

namespace negzero::source {

/// "b_stride0" is the stride of b's outermost dimension, in elements.
struct NamedStride {
  std::string name;
  std::string tensor;
  std::size_t dimension = 0;  ///< from 0, the outermost
};

/// Returns the strides that a statement names, in the order of the tensors. Left out: initial tensors, which are no
/// operands, and names that the statement declares itself or that the operation gives to something else.
[[nodiscard]] std::vector<NamedStride> strides_named(const notation::Signature& signature, std::string_view statement);

/// Whether a statement uses a name and does not declare it.
[[nodiscard]] bool uses_name(std::string_view statement, std::string_view name);

}  // namespace negzero::source

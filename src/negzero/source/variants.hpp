// The kernels of a declaration that names several combinations of formats.

#pragma once

#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/source/declaration.hpp>

namespace negzero::source {

/// Returns a declaration for each combination of formats: itself where there is one. Of several, each has the formats
/// of tensors that differ behind its name, in small letters: "softmax.f16", "gemm.f16_f32". Usage error: two lines that
/// are one combination, as one names what is usual in the other.
[[nodiscard]] base::Result<std::vector<Declaration>> variants_of(Declaration declaration);

}  // namespace negzero::source

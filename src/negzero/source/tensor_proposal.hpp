// A declaration to begin with of a function of tensors, as extensions of PyTorch have them.

#pragma once

#include <string>

#include <negzero/source/signatures.hpp>

namespace negzero::source {

/// Lines of a .nz file: a product of matrices where the name and two tensors say so, else a function of each element.
[[nodiscard]] std::string proposal_of_tensors(const KernelSignature& function);

}  // namespace negzero::source

// Kernels by the names that a person types: what is not there is an error that suggests what is.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::campaign {

/// The host kernel of exactly that name. Usage error: the names closest to it.
[[nodiscard]] base::Result<const kernel::Kernel*> kernel_named(const std::string& name);

/// Host kernels that match any of the globs, sorted by name; no globs: all but `faulty.*`. A glob that matches nothing
/// is an error of kind Undecided, as nothing can be decided then, and so is a program without kernels.
[[nodiscard]] base::Result<std::vector<const kernel::Kernel*>> kernels_matching(const std::vector<std::string>& globs);

}  // namespace negzero::campaign

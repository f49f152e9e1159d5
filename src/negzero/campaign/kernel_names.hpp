// Kernels by the names that a person types: what is not there is an error that suggests what is.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::campaign {

/// The kernel of exactly that name there. Usage error: the names closest to it, or that it has no build for this
/// executor.
[[nodiscard]] base::Result<const kernel::Kernel*> kernel_named(const std::string& name,
                                                               kernel::Where where = kernel::Place::Host);

/// Kernels there that match any of the globs, sorted by name; no globs: all but `faulty.*`. A glob that matches nothing
/// is an error of kind Undecided, as nothing can be decided then, and so is a program without kernels.
[[nodiscard]] base::Result<std::vector<const kernel::Kernel*>> kernels_matching(
    const std::vector<std::string>& globs, kernel::Where where = kernel::Place::Host);

/// Names of the kernels that match and have a build somewhere, but none there: to be said to be skipped.
[[nodiscard]] std::vector<std::string> kernels_without_build(const std::vector<std::string>& globs,
                                                             kernel::Where where);

}  // namespace negzero::campaign

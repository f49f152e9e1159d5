// Kernels by the names that a person types: what is not there is an error that suggests what is.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::campaign {

/// The kernel of exactly that name and executor. Usage error: the names closest to it, or that it has no build for this
/// executor.
[[nodiscard]] base::Result<const kernel::Kernel*> kernel_named(const std::string& name,
                                                               kernel::Executor executor = kernel::Executor::Host);

/// Kernels of an executor that match any of the globs, sorted by name; no globs: all but `faulty.*`. A glob that
/// matches nothing is an error of kind Undecided, as nothing can be decided then, and so is a program without kernels.
[[nodiscard]] base::Result<std::vector<const kernel::Kernel*>> kernels_matching(
    const std::vector<std::string>& globs, kernel::Executor executor = kernel::Executor::Host);

/// Names of the kernels that match and have a build for the host, but none for `executor`: to be said to be skipped.
[[nodiscard]] std::vector<std::string> kernels_without_build(const std::vector<std::string>& globs,
                                                             kernel::Executor executor);

}  // namespace negzero::campaign

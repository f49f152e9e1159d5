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

/// The kernel that a kernel's values are held to: on the host where it has a build for it. Requires a kernel with a
/// reference. Usage error: there is none of that name, or its line is no line for a reference.
[[nodiscard]] base::Result<const kernel::Kernel*> reference_of(const kernel::Kernel& kernel);

/// Leaves out every kernel of the registry whose reference_of() is an error; Registry::errors() says why.
void leave_out_lost();

/// Kernels anywhere that match any of the globs, sorted by name, each by the first of kPlaces that has it. A glob that
/// matches nothing is an error of kind Undecided.
[[nodiscard]] base::Result<std::vector<const kernel::Kernel*>> kernels_anywhere(const std::vector<std::string>& globs);

/// The files that programs of kernels were built without, as a clause: "not in this build:
/// kernels/vendor/cublas_gemm.cu (for a GPU alone, and this build has no CUDA)"; empty where there are none. An error
/// about a name that is close to no kernel's has it, as kernels of such files are not known by name.
[[nodiscard]] std::string absent_kernels();

/// Names of the kernels that match and have a build somewhere, but none there: to be said to be skipped.
[[nodiscard]] std::vector<std::string> kernels_without_build(const std::vector<std::string>& globs,
                                                             kernel::Where where);

}  // namespace negzero::campaign

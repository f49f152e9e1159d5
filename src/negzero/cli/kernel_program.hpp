// The program that holds the kernels: where it is, and what it declares.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::cli {

/// Fills the registry with what the program declares of its kernels; none of its code comes into this process. `named`:
/// a path; empty: the program that lies beside this one, and nothing to do where kernels are linked into this one.
/// Errors: it cannot be started, or holds none.
[[nodiscard]] base::Status know_kernels(const std::string& named);

/// What workers are started from, once the kernels are known: run::WorkerOptions::program.
[[nodiscard]] const std::vector<std::string>& kernel_program();

/// Becomes the program that has the kernels in itself, with the same arguments, where this one has not: for
/// --in-process. Returns only with an error, or where there is nothing to do.
[[nodiscard]] base::Status hold_kernels(char** argv);

}  // namespace negzero::cli

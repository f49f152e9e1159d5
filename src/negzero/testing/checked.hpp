// Kernels of a test program, checked from within it: the program `negzero` makes the cases and judges, and this one
// serves its kernels to it, in a process of their own.

#pragma once

#include <string>
#include <vector>

namespace negzero::testing {

/// What `negzero check` answered.
struct Checked {
  int exit_code = 0;   ///< docs/reference/exit_codes.md; 127: the program cannot be started
  std::string text{};  ///< all that it printed
};

/// Runs `negzero check KERNEL` on a kernel that is linked into this program, with more of its words: {"--cases",
/// "200"}. `program` is its path; the environment's NEGZERO_PROGRAM names another.
[[nodiscard]] Checked check(const std::string& program, const std::string& kernel,
                            const std::vector<std::string>& words = {});

}  // namespace negzero::testing

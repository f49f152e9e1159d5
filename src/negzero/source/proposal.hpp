// A declaration to begin with: what the names and the types of a kernel's parameters say, and questions for the rest.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::source {

struct Proposal {
  std::string text{};                ///< of a .nz file
  std::size_t kernels = 0;           ///< declared in it
  std::size_t questions = 0;         ///< lines that still have "???"
  std::vector<std::string> names{};  ///< of all kernels of the file
};

/// Proposes a declaration of the kernels of a CUDA file, or of the one called `kernel` where that is not empty. Usage
/// errors: there is no kernel, or none of that name.
[[nodiscard]] base::Result<Proposal> propose(std::string_view text, const std::string& file, const std::string& kernel);

}  // namespace negzero::source

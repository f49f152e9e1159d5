// A declaration to begin with: what the names and the types of a kernel's parameters say, and questions for the rest.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/source/signatures.hpp>

namespace negzero::source {

/// One declaration: of a function that launches kernels, of a kernel that no function launches, or of a function of
/// tensors.
struct Proposed {
  KernelSignature function{};
  std::vector<std::string> kernels{};  ///< of a function: those that it launches
  bool is_of_tensors = false;
  std::string name{};                ///< what the declaration calls it
  std::vector<std::string> about{};  ///< lines of comment: where it is, and what launches it
  std::string text{};                ///< by names and types alone, with "???" where they say nothing
};

struct Proposal {
  std::vector<Proposed> declarations{};
  std::vector<std::string> names{};  ///< of all kernels of the file
};

/// Proposes declarations of the kernels of a CUDA file, or of the one called `kernel`, or what launches it, where that
/// is not empty. Usage errors: there is no kernel, or none of that name.
[[nodiscard]] base::Result<Proposal> propose(std::string_view text, const std::string& file, const std::string& kernel);

/// The .nz file of declarations. `texts`: one each.
[[nodiscard]] std::string file_of(const Proposal& proposal, const std::string& file,
                                  const std::vector<std::string>& texts);
/// How many lines still have "???".
[[nodiscard]] std::size_t questions_in(const std::string& text);

}  // namespace negzero::source

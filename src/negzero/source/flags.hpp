// Flags of nvcc, for a host compiler.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::source {

struct HostFlags {
  std::vector<std::string> flags{};    ///< with absolute folders
  std::vector<std::string> of_nvcc{};  ///< all of them, with absolute folders
  std::vector<std::string> notes{};    ///< flags that mean something else on the host
};

/// Folders count from the first of `folders` in which they are there, from the first where they are in
/// none. Usage error: a flag that is not known, by its name.
[[nodiscard]] base::Result<HostFlags> host_flags(const std::vector<std::string>& of_nvcc,
                                                 const std::vector<std::string>& folders);

/// Whether a folder holds CUDA's own headers, which must not come before those of negzero.
[[nodiscard]] bool is_toolkit(const std::string& folder);

}  // namespace negzero::source

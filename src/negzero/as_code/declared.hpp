// The launch of a kernel that a .nz file, or a line of the CUDA file itself, declares.

#pragma once

#include <string>

#include <negzero/as_code/launch.hpp>

namespace negzero::as_code {

/// What the user named, and what its declaration is read with.
struct DeclaredFile {
  std::string file{};                ///< FILE.cu
  std::string declaration{};         ///< FILE.nz; empty: it is beside the file, or lines of it
  std::vector<std::string> flags{};  ///< as to nvcc, besides those of the declaration
};

/// Returns the launch of the finding's kernel. Its file is included from where it lies; a main() of it gets another
/// name. Usage errors: the file or its declaration cannot be read or has no such kernel, the CUDA is text of a module
/// of Python, the kernel takes tensors of PyTorch.
[[nodiscard]] base::Result<Launch> launch_of(const DeclaredFile& named, const Finding& finding,
                                             const std::vector<Buffer>& buffers);

}  // namespace negzero::as_code

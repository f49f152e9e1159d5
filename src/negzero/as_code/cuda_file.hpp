// A case as CUDA that needs no negzero: a program, or a test for the user's own suite.

#pragma once

#include <cstdint>
#include <string>

#include <negzero/as_code/launch.hpp>

namespace negzero::as_code {

enum class CudaForm : std::uint8_t {
  Program,  ///< main() returns 1 where the case fails, 0 where it does not, 2 where there is no GPU
  Test,     ///< TEST() of GoogleTest, without main()
};

/// Most words of memory, and most elements of outputs, that a file of code has.
inline constexpr std::size_t kMostWords = std::size_t{1} << 16;

/// Returns the text. Usage errors: a case with more words than kMostWords, one that fails only after other launches.
[[nodiscard]] base::Result<std::string> cuda_file(const Finding& finding, const Launch& launch, CudaForm form);

}  // namespace negzero::as_code

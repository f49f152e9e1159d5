// The line of source behind an address of code.

#pragma once

#include <string>

namespace negzero::simt {

/// "tiled.cu:41" for the return address of a call in a kernel: the innermost line that is not negzero's own CUDA
/// vocabulary, with the line of the kernel file in brackets where that is another file: "gemm.cuh:28 (from tiled.cu:41)".
/// Where there is no debug information or nothing to read it with, "program+0x1234"; never fails.
[[nodiscard]] std::string place_of(const void* return_address);

}  // namespace negzero::simt

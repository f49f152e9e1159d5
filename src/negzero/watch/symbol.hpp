// The line of source behind an address of code, and the variable behind an address of data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace negzero::watch {

/// "tiled.cu:41" for the return address of a call in a kernel: the innermost line that is not negzero's own CUDA
/// vocabulary, with the line of the kernel file in brackets where that is another file: "gemm.cuh:28 (from
/// tiled.cu:41)". Where there is no debug information or nothing to read it with, "program+0x1234"; never fails.
[[nodiscard]] std::string place_of(const void* return_address);

/// A variable at namespace scope or a static one of a function.
struct Variable {
  std::string name;  ///< with its namespaces, but for anonymous ones
  std::uintptr_t begin;
  std::size_t size_bytes;
};
/// The variable that holds the byte of that address, or nothing where there is none, no symbol table or nothing to read
/// it with.
[[nodiscard]] std::optional<Variable> variable_of(std::uintptr_t address);

}  // namespace negzero::watch

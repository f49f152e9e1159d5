// Functions of host code that launch the kernels of their file, as its author does.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/signatures.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

struct Launcher {
  KernelSignature function;
  std::vector<std::string> kernels;  ///< that it launches, or what it calls does; without namespaces, each once
};

/// Returns the functions of a text that launch kernels, by themselves or by functions that they call, and that no
/// other such function calls. Left out: main(), templates, and functions without a pointer among their parameters.
[[nodiscard]] std::vector<Launcher> launchers_of(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source

// The declarations of a text at namespace scope: what can be left out whole, and which of them a device needs.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/token.hpp>

namespace negzero::source {

/// A function with its body, a class with its ';', or anything else up to its ';': with a template's head and all
/// attributes before it, without directives and comments between declarations. The line of a macro that is called
/// without a ';' is one too.
struct Unit {
  std::size_t begin = 0, end = 0;  ///< characters [begin, end)
  /// It says __device__, __global__, __constant__ or __shared__, or a macro's name whose body does. Of a function only
  /// what is before its body counts: host code that calls a lambda of the device is host code.
  bool is_device = false;
  bool is_kernel = false;  ///< the same with __global__
  std::string name;        ///< of what is declared, without its scope; "": it has none
  std::string scope;       ///< the namespaces around it, "a::b", without those that have no name
  friend bool operator==(const Unit&, const Unit&) = default;
};

/// Characters [begin, end).
struct Extent {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

struct Units {
  std::vector<Unit> units;     ///< in order; the contents of namespaces and of extern "C" blocks, not they themselves
  std::vector<Extent> bodies;  ///< of functions, also of those in classes, with their braces, in order
};

/// Returns the declarations of a text. Where branches of an #if open or close more brackets than they should, the first
/// one counts. What cannot be read, such as a bracket that nothing closes, ends the list.
[[nodiscard]] Units units_of(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source

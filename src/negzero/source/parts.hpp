// A text that was not preprocessed, in the parts that are read apart: its code, and the bodies of its macros.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <negzero/source/code.hpp>

namespace negzero::source {

/// One #define.
struct Macro {
  std::string_view name;
  bool has_parameters = false;  ///< a '(' follows the name at once
  std::vector<std::string_view> parameters;
  Code body;
};

struct Parts {
  /// All code outside directives, of every branch but those of "#if 0".
  Code code;
  /// The same without what makes brackets unbalanced: where a branch of an #if opens or closes more than the other way
  /// round, only its first branch counts.
  Code balanced;
  std::vector<Macro> macros;  ///< in order; those below "#if 0" are left out
};

/// Returns the parts of a text. Takes any tokens: an #if without an #endif ends with the text.
[[nodiscard]] Parts parts_of(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source

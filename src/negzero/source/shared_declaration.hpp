// The grammar of one declaration with __shared__: where its names and its initialisers lie.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <negzero/source/shared_words.hpp>

namespace negzero::source {

/// Tokens [begin, end) of a name, which is several words in a macro that pastes them: name##_tile.
struct SharedName {
  std::size_t begin = 0, end = 0;
};

struct SharedDeclaration {
  std::size_t begin = 0, end = 0;  ///< tokens; `end` is the ';', or the code's size in a macro without one
  bool is_extern = false;
  bool is_only_a_type = false;          ///< of a parameter, a cast or a template's argument: declares nothing
  std::vector<SharedName> names;        ///< of its declarators, in order
  std::vector<std::size_t> deleted;     ///< tokens: storage classes, [[attributes]] and empty initialisers
  std::vector<std::size_t> alignments;  ///< the "alignas" of "alignas(X)"
  std::size_t mistake_at = 0;           ///< a token
  std::string_view mistake;             ///< what is wrong there; "": nothing
};

/// Returns the declaration that has the shared word at `i`. `is_macro`: the code is a macro's body, which may end
/// without a ';'.
[[nodiscard]] SharedDeclaration shared_declaration_at(const Code& code, std::size_t i, const SharedWords& words,
                                                      bool is_macro);

}  // namespace negzero::source

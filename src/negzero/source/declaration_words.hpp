// The lines that a declaration may have, and the names that its launch has in scope, as data: what is read, listed and
// documented is made of it.

#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace negzero::source {

/// A line of a declaration: a word and what it says.
struct DeclarationWord {
  std::string_view word;
  std::string_view form;     ///< an example of what follows the word
  std::string_view says;     ///< what the line declares
  std::string_view usually;  ///< what holds without the line; empty: the line is required
  bool repeats = false;      ///< several lines of one declaration may begin with it
};

/// In the order in which a declaration has them.
[[nodiscard]] std::span<const DeclarationWord> declaration_words();
/// The row of a word; nullptr where no line begins with it.
[[nodiscard]] const DeclarationWord* find_declaration_word(std::string_view word);
/// All words, for "did you mean".
[[nodiscard]] std::vector<std::string_view> all_declaration_words();

/// A name that the statements of `launch` have in scope.
struct LaunchName {
  std::string_view name;  ///< by example, "b" of a tensor
  std::string_view is;
};

[[nodiscard]] std::span<const LaunchName> launch_names();

}  // namespace negzero::source

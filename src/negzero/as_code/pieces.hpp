// The declarations of a text of C++ that something reaches by their names.
//
// A piece that is reached by mistake costs lines; one that is missed does not compile. So every word counts, whatever
// it names there, and declarations of one name go together.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace negzero::as_code {

/// A declaration at namespace scope with the comment above it, or a #define.
struct Piece {
  std::string text{};
  std::string name{};   ///< of what is declared; "": it has none
  std::string scope{};  ///< the namespaces around it, "a::b"
  bool is_macro = false;
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Returns the pieces of a text, in order.
[[nodiscard]] std::vector<Piece> pieces_of(std::string_view text);

/// Returns all words of a text that may be names.
[[nodiscard]] std::set<std::string> words_of(std::string_view text);

/// Returns the pieces, in order, that those words reach, directly or through others. What has no name is left out.
[[nodiscard]] std::vector<Piece> reached(const std::vector<Piece>& pieces, const std::set<std::string>& words);

/// Returns the pieces as text, with their namespaces around them; of the scope `inner`, in a namespace without a name
/// in it, before whose end is `last`.
[[nodiscard]] std::string text_of(const std::vector<Piece>& pieces, std::string_view inner, std::string_view last);

}  // namespace negzero::as_code

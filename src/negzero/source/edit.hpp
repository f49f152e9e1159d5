// Changes of a text that keep its lines, and where a place of the changed text was before.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace negzero::source {

/// Characters [at, at + length) become `text`. Neither has the end of a line, so that every line keeps its number.
struct Edit {
  std::size_t at = 0, length = 0;
  std::string text;
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// What a part of the source step makes of a text.
struct Prepared {
  std::vector<Edit> edits;         ///< in order of `at`, none of which overlaps another
  std::vector<std::string> notes;  ///< "line L, column C: what is wrong", of each piece that was left as it is
  friend bool operator==(const Prepared&, const Prepared&) = default;
};

/// Returns the text with edits in order of `at`, none of which overlaps the one before it.
[[nodiscard]] std::string edited(std::string_view text, std::span<const Edit> edits);

/// Puts edits in order: of two at one place, an insertion is first.
void put_in_order(std::vector<Edit>& edits);

/// Returns where character `place` of the edited text was in the original one: inside a replacement, where that begins.
[[nodiscard]] std::size_t place_before(std::span<const Edit> edits, std::size_t place);

}  // namespace negzero::source

// Changes of a text that keep its lines, and where a place of the changed text was before.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace negzero::source {

/// Characters [at, at + length) become `text`. Neither has the end of a line, so that every line keeps its number.
struct Edit {
  std::size_t at = 0, length = 0;
  std::string text;
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// Returns the text with edits in order of `at`, none of which overlaps the one before it.
[[nodiscard]] std::string edited(std::string_view text, std::span<const Edit> edits);

/// Returns where character `place` of the edited text was in the original one: inside a replacement, where that begins.
[[nodiscard]] std::size_t place_before(std::span<const Edit> edits, std::size_t place);

}  // namespace negzero::source

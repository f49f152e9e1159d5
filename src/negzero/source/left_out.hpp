// Takes one declaration out of a text.

#pragma once

#include <string_view>
#include <vector>

#include <negzero/source/edit.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {

/// Returns the edits that delete a unit. They keep ends of lines, and directives in the unit whole, so that each #if
/// has its #endif and what is defined there is defined; but for #include and #pragma, which belong to the code.
[[nodiscard]] std::vector<Edit> left_out(std::string_view text, const Unit& unit);

}  // namespace negzero::source

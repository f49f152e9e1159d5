// Letters of ASCII in lower case.

#pragma once

#include <algorithm>
#include <string>

namespace negzero::base {

/// The text with "a" for "A" and so on; other bytes stay.
[[nodiscard]] inline std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace negzero::base

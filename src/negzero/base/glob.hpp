// Names that a person means by a pattern.

#pragma once

#include <cstddef>
#include <string_view>

namespace negzero::base {

/// Returns whether `name` matches `glob`, where * stands for any text and ? for one character.
[[nodiscard]] inline bool matches_glob(std::string_view glob, std::string_view name) noexcept {
  // Greedy with one place to return to: after a * has matched too little, it swallows one character more. Only the last
  // * needs that, so the time is at most glob times name.
  std::size_t g = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace negzero::base

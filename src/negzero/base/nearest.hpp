// The name that somebody may have meant: for "did you mean" in messages about names that are not known.

#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/lower.hpp>

namespace negzero::base {

/// Returns Levenshtein's distance: insertions, deletions and replacements that turn one text into the other.
[[nodiscard]] inline std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Returns how far a known name is from the one that was written, whatever the case of letters; nothing where it is
/// another name.
[[nodiscard]] inline std::optional<std::size_t> distance_to_known(std::string_view written, std::string_view known) {
  const std::string wanted = lower(std::string(written)), candidate = lower(std::string(known));
  // A part of a name ("naive", "G8") is as good as a word misspelt by nothing; a plain distance would drown it in the
  // letters that are missing around it.
  if (!wanted.empty() && candidate.find(wanted) != std::string::npos) return 0;
  const std::size_t distance = edit_distance(wanted, candidate);
  // More than a third of the letters wrong is another name, not a slip.
  if (distance > candidate.size() / 3) return std::nullopt;
  return distance;
}

/// Returns `did you mean "order"? ` with the nearest name of `known`, the shortest of several; "" where none is near.
template <typename Names>
[[nodiscard]] std::string did_you_mean(std::string_view written, const Names& known) {
  std::optional<std::pair<std::size_t, std::size_t>> least;
  std::string_view nearest;
  for (const std::string_view name : known) {
    const auto distance = distance_to_known(written, name);
    if (!distance) continue;
    const std::pair rank(*distance, name.size());
    if (least && *least <= rank) continue;
    least = rank;
    nearest = name;
  }
  return least ? "did you mean \"" + std::string(nearest) + "\"? " : "";
}

}  // namespace negzero::base

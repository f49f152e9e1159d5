// The words that stand for enumerators in files, JSON and messages: one table for each enumeration.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace negzero::base {

/// Words of the enumerators 0, 1, ... of `Enum`, in their order.
template <typename Enum, std::size_t kCount>
struct Words {
  std::array<std::string_view, kCount> words;

  [[nodiscard]] constexpr std::string_view name(Enum value) const noexcept {
    return words[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] constexpr std::optional<Enum> parse(std::string_view text) const noexcept {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (words[i] == text) return static_cast<Enum>(i);
    }
    return std::nullopt;
  }
  /// "forward, backward, random": for messages about a word that is none of them.
  [[nodiscard]] std::string list() const {
    std::string result;
    for (const std::string_view word : words) (result += result.empty() ? "" : ", ") += word;
    return result;
  }
};

}  // namespace negzero::base

// A relation between extents, as a line says it behind `with`: o = n - k + 1, k <= n.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/formula/formula.hpp>

namespace negzero::notation {

enum class Comparison : std::uint8_t { Equal, AtMost, Below, AtLeast, Above };

[[nodiscard]] std::string_view sign_of(Comparison comparison) noexcept;  ///< "=", "<=", "<", ">=", ">"

struct Relation {
  formula::Formula left{}, right{};
  Comparison comparison = Comparison::Equal;
  bool is_in_brackets = false;  ///< a line has the right side in the brackets of a tensor, and no left side
  bool is_of_words = false;     ///< what the words behind a bound want of extents: a line does not write it

  /// "o = n - k + 1"
  [[nodiscard]] std::string to_string() const;
  /// Each name of either side once.
  [[nodiscard]] std::vector<std::string> names() const;
  /// By how much the values break it: 0 where it holds. Usage errors are those of Formula::value().
  [[nodiscard]] base::Result<std::int64_t> broken_by(const formula::Lookup& lookup) const;
  friend bool operator==(const Relation&, const Relation&) = default;
};

/// Reads a relation that is all of a text. A usage error quotes the text and names the column, from 1, that is wrong.
[[nodiscard]] base::Result<Relation> parse_relation(std::string_view text);

/// The column, from 1, of a whole word in a text; 1 where it is not there.
[[nodiscard]] std::size_t column_of(std::string_view text, std::string_view name);

}  // namespace negzero::notation

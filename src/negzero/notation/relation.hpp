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

  /// "o = n - k + 1"
  [[nodiscard]] std::string to_string() const;
  /// Each name of either side once.
  [[nodiscard]] std::vector<std::string> names() const;
  /// By how much the values break it: 0 where it holds. Usage errors are those of Formula::value().
  [[nodiscard]] base::Result<std::int64_t> broken_by(const formula::Lookup& lookup) const;
  friend bool operator==(const Relation&, const Relation&) = default;
};

}  // namespace negzero::notation

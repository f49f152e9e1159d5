// The set of results that a contract permits for one output element.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>
#include <negzero/verdict/rule.hpp>

namespace negzero::oracle {

/// Permitted results: an interval of finite numbers, signs of zero, infinities and NaN, in the output's format; or what
/// several such sets permit together.
struct Permitted {
  number::FormatId format = number::FormatId::F32;
  bool any_finite = false;         ///< whether [low, high] holds
  std::int64_t low = 0, high = 0;  ///< ordinals (number::ordinal), both included; I32: the integers themselves
  bool plus_zero = true, minus_zero = true;  ///< which zeros, where 0 lies in [low, high]
  bool plus_infinity = false, minus_infinity = false, nan = false;
  std::vector<std::uint64_t>
      only{};  ///< when not empty, these encodings instead (indices of argmax, bits of C), and NaN as `nan` says
  /// When not empty, the union of these instead, which may have gaps: the sets of a contract's members
  /// (contract::members()). The fields above, but `only`, then describe its hull.
  std::vector<Permitted> parts{};
  verdict::Rule rule{};  ///< "sum.exact", "sum.hull", "sum.any_order", "select.nan" ...
  bool vacuous = false;  ///< the bound is at least half of S: cannot reject garbage
  double exact = 0;      ///< the exact value, rounded: for messages and the margin

  [[nodiscard]] bool contains(std::uint64_t word) const noexcept;
  /// Whether the number at that ordinal is permitted; of zero, whether one of either sign is. Not for `only`.
  [[nodiscard]] bool holds(std::int64_t ordinal) const noexcept;
  /// Whether a number between `low` and `high` is not permitted. Not for `only`.
  [[nodiscard]] bool has_gaps() const;
  /// "1.5 (0x3fc00000)", "[0.99 (0x...), 1.01 (0x...)] or +inf".
  [[nodiscard]] std::string to_string() const;
};

}  // namespace negzero::oracle

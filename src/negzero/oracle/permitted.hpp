// The set of results that a contract permits for one output element.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/verdict/rule.hpp>

namespace negzero::oracle {

/// Numbers that follow each other in a format, by their ordinals (number::ordinal; I32: the integers themselves).
struct Interval {
  std::int64_t low = 0, high = 0;  ///< both included
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Permitted results: a set of numbers of the output's format, or a list of encodings, and why.
struct Permitted : Set {
  number::FormatId format = number::FormatId::F32;
  /// A narrower format that the result was last rounded to: every number is one of it.
  std::optional<number::FormatId> held_in{};
  std::vector<std::uint64_t>
      only{};  ///< when not empty, these encodings instead (indices of argmax, bits of C), and NaN as `nan` says
  verdict::Rule rule{};  ///< "sum.exact", "sum.hull", "sum.any_order", "select.nan" ...
  bool vacuous = false;  ///< the bound is at least half of S: cannot reject garbage
  double exact = 0;      ///< the exact value, rounded: for messages and the margin

  Permitted() = default;
  /// Of nothing, of these values, or of the numbers of an interval with either zero.
  explicit Permitted(number::FormatId format_) : format(format_) {}
  Permitted(number::FormatId format_, Set set) : Set(std::move(set)), format(format_) {}
  Permitted(number::FormatId format_, Interval numbers);

  [[nodiscard]] bool contains(std::uint64_t word) const noexcept;
  /// Whether the number at that ordinal is permitted; of zero, whether one of either sign is. Not for `only`.
  [[nodiscard]] bool has(std::int64_t ordinal) const noexcept;
  /// The ordinals of `low` and `high`. Requires a number.
  [[nodiscard]] Interval hull() const noexcept;
  /// The numbers, ascending, with a gap between each two; those that are not `held_in` a narrower format included. Not
  /// for `only`.
  [[nodiscard]] std::vector<Interval> intervals() const;
  /// How many words are permitted, every NaN counted as one.
  [[nodiscard]] double count() const;
  /// "1.5 (0x3fc00000)", "[0.99 (0x...), 1.01 (0x...)] of F16 or +inf".
  [[nodiscard]] std::string to_string() const;

 private:
  [[nodiscard]] bool is_held(const exact::Dyadic& value) const noexcept;
};

}  // namespace negzero::oracle

// Sums of products by tensor cores, step by step, from the description in numerics.md 2e.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "luck.hpp"
#include "summation.hpp"

namespace negzero::oracle_legal {

/// What one generation does with factors of one kind.
struct UnitRow {
  int kept_bits;    ///< F
  int result_bits;  ///< of a sum in an F32 word; an F16 accumulator has 11, rounded to nearest
  std::size_t shortest;
};

/// Some generation that the contract names and that takes these factors; nothing where none does.
[[nodiscard]] std::optional<UnitRow> drawn_unit(Luck& luck, number::FormatId a, number::FormatId b,
                                                number::FormatId accumulate);

/// A chain of steps over one slice, from C or from zero. Requires factors that the unit takes, and C in the
/// accumulator's format.
[[nodiscard]] Held steps_of(Luck& luck, const UnitRow& unit, std::span<const Item> slice, std::size_t length,
                            number::FormatId accumulate, const std::optional<Held>& c);

}  // namespace negzero::oracle_legal

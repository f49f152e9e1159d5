// One step of a tensor core by numerics.md 2e, apart from the oracle, and what may be wrong with it.

#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "../legal/stepping.hpp"
#include "numbers.hpp"

namespace negzero::oracle_faults {

using oracle_legal::UnitRow;

/// A product of two factors. Its exponent is the sum of theirs, of which a subnormal has the least of its format.
struct UnitTerm {
  Number exact{};
  int exponent = 0;
};
[[nodiscard]] UnitTerm unit_term(number::FormatId a, std::uint64_t x, number::FormatId b, std::uint64_t y);
/// A number of the accumulator's format as a term.
[[nodiscard]] UnitTerm unit_term(number::FormatId accumulate, const Number& value);

/// How many bits fewer than F are kept of one of the terms: the products' indices first, then the accumulator's.
struct Cut {
  std::size_t term = 0;
  int bits = 1;
};

/// The accumulator behind the step. Requires finite terms that do not overflow.
[[nodiscard]] Number stepped(const UnitRow& unit, number::FormatId accumulate, std::span<const UnitTerm> products,
                             const Number& accumulator, const std::optional<Cut>& cut = std::nullopt);

/// The row of the unit that a contract names, for factors of that format.
[[nodiscard]] UnitRow hopper_row(number::FormatId factors);

}  // namespace negzero::oracle_faults

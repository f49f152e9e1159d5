// The composed bound of numerics.md section 2, in plain rationals: for contracts whose features no sharper rule covers
// together.

#pragma once

#include <optional>

#include "bound.hpp"
#include "scenario.hpp"

namespace negzero::oracle_cross {

/// The real interval that alpha * sum + beta * c lies in before the output's roundings.
struct Composed {
  Rational low, high;
  bool overflows = false;  ///< something on the way may leave the numbers: then any special result is possible
};

/// Whatever the place of alpha and C, the rounding, flushing, promotion and compensation: with y the exact result,
/// M = |alpha| S + |beta c| and G = (1 + delta)^D - 1,
///
///   |y^ - y| <= G M + (1 + G) (E + F) + R + L
///
/// delta  relative error of one rounding in the accumulator, the coarsest format of all
/// D      roundings that a term meets: its product, scaling or folding, m - 1 additions, that of C, a compensation, a
///        store to the declared format
/// E      smallest normal numbers (where anything is flushed) or etas, one for each of at most 3 m + 3 values before
///        the scaling, as many after it, and twenty more for each term of a compensated sum
/// F      folding: as much of an operand is lost and multiplied by its partner
/// R      folding before multiplicands are rounded: four units of theirs of M, two of their etas times the partners
/// L      saturation: what (1 + G) S before the scaling and (1 + G) M after it exceed the largest number by
///
/// Nothing for operands that are not finite.
[[nodiscard]] std::optional<Composed> composed_bound(const Scenario& scenario, const OperandSet& set,
                                                     const Machine& machine);

}  // namespace negzero::oracle_cross

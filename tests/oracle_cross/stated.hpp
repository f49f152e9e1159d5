// The set that numerics.md states for many terms (rules 2c, 2d and section 3): nothing the oracle permits may lie
// outside.

#pragma once

#include <optional>

#include "bound.hpp"
#include "scenario.hpp"

namespace negzero::oracle_cross {

/// The widest set the rules allow, in the output's format.
struct Stated {
  std::int64_t low = 0, high = 0;  ///< steps of the output's format, where finite results exist
  bool plus_infinity = false, minus_infinity = false, nan = false;
};

/// Computes it for a scenario whose operands are finite, with alpha and beta finite and alpha not zero: by the rules
/// for single features where they apply (no choices of inputs, no overflow that meets scalars or promotion), else by
/// the composed bound. Nothing where a sum is rounded before C joins, where overflow = either, for means, or
/// where a formula multiplies a zero.
[[nodiscard]] std::optional<Stated> stated_set(const Scenario& scenario, const OperandSet& set);

}  // namespace negzero::oracle_cross

// Scenarios drawn at random, and how many operand sets a run compares.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/base/random.hpp>

#include "operands.hpp"
#include "scenario.hpp"

namespace negzero::oracle_cross {

template <typename T, std::size_t N>
[[nodiscard]] T one_of(base::Random& random, const T (&choices)[N]) {
  return choices[random.below(N)];
}

/// What a drawn scenario may contain beyond the plain sum.
enum class Flavour : std::uint8_t {
  Plain,         ///< nearest, any order, no scalars, output in the accumulator's format
  Chain,         ///< ascending order from every start
  Directed,      ///< accumulators that truncate or are faithful
  Flushing,      ///< each flag of flushing, by what takes or gives a number
  Scaled,        ///< alpha, beta and C in every place
  Output,        ///< other output formats, roundings, intermediate roundings, overflow policies
  Wider,         ///< the accumulator may be wider than declared
  Compensated,   ///< Kahan, Neumaier
  Promoted,      ///< blocks of k move to a wider accumulator
  Multiplicand,  ///< a and b rounded before they are multiplied
  Specials,      ///< Inf and NaN among the operands
  Mixed,         ///< two or three of the above in one Gemm
  Means,         ///< one or two of the above in a mean
  Formula,       ///< zeros, infinities and NaN as scalars, all read, and K = 0
};
inline constexpr std::size_t kFlavours = 14;

[[nodiscard]] const char* name(Flavour flavour);

struct Drawn {
  Scenario scenario{};
  std::size_t terms = 2;
  unsigned specials = 0;
  unsigned subnormals = 0;  ///< Draw::subnormals
};
[[nodiscard]] Drawn draw_scenario(base::Random& random, Flavour flavour);
/// What flushing depends on: formats, flags and, `alone`, whatever else a scenario may declare beside it.
void draw_flushing(base::Random& random, Drawn& drawn, bool alone);
/// Whether something may be flushed, and elements or C must be converted to a narrower accumulator: in which of the two
/// formats they count as subnormal is not said.
[[nodiscard]] bool takes_wide_values(const Scenario& scenario);
[[nodiscard]] OperandSet draw_operands(base::Random& random, const Drawn& drawn);

/// Operand sets of a run: NEGZERO_CROSS_SETS, or `by_default`. NEGZERO_CROSS_SEED moves the streams (default 1).
[[nodiscard]] std::uint64_t sets_of_run(std::uint64_t by_default);
[[nodiscard]] std::uint64_t seed_of_run();

}  // namespace negzero::oracle_cross

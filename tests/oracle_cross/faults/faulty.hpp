// One evaluation of a sum, with one fault planted in it and without.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <negzero/base/random.hpp>

#include "every.hpp"

namespace negzero::oracle_faults {

enum class Fault : std::uint8_t {
  Truncated,       ///< each addition rounds towards zero
  NarrowJoin,      ///< one addition rounds to a narrower format
  TwiceJoin,       ///< one addition rounds to two more bits first
  NarrowProduct,   ///< one product is rounded to a narrower format first
  SplitProduct,    ///< of a fused chain: one product is rounded before it is added
  CutProduct,      ///< of a tensor core: one product of a step keeps a bit less than F
  CutAccumulator,  ///< and its accumulator two bits less
};
[[nodiscard]] std::span<const Fault> all_faults();
[[nodiscard]] const char* name(Fault fault);

/// Whether evaluations by that contract have a place for it.
[[nodiscard]] bool has_place(const contract::Contract& contract, Fault fault);

/// Words of the output's format.
struct Planted {
  std::uint64_t faulty = 0, sound = 0;
};
/// Evaluates by one tree, all in one permitted format, or by one chain of steps. Nothing where the sum
/// has no such addition. Requires a contract with a place for the fault.
[[nodiscard]] std::optional<Planted> planted(const Question& question, const contract::Contract& contract, Fault fault,
                                             base::Random& random);

}  // namespace negzero::oracle_faults

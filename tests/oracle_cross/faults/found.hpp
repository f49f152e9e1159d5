// Of sums of more terms than can be enumerated: how far legal evaluations go that a search finds.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/base/random.hpp>

#include "every.hpp"

namespace negzero::oracle_faults {

/// What is known of a result.
enum class Legality : std::uint8_t {
  Legal,    ///< some legal evaluation gives it
  Illegal,  ///< none does
  Within,   ///< evaluations that were found lie on either side of it
  Beyond,   ///< none that was found goes as far
};

/// By enumeration, as far as it is complete with `most` additions. Else by
/// random evaluations and, for trees of additions, by dynamic programming over contiguous parts of two orders of the
/// terms: their ends are results of legal evaluations, so that the hull of all has no end nearer.
[[nodiscard]] Legality legality(const Question& question, const contract::Contract& contract, std::uint64_t word,
                                std::size_t most, base::Random& random);

}  // namespace negzero::oracle_faults

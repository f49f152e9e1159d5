// Paths that add nothing to what another one permits.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/oracle/paths.hpp>

namespace negzero::oracle {

/// Why what one path permits is among what another does, whatever the operands; or for some.
enum class Cover : std::uint8_t {
  No,
  Exact,  ///< where a sum in the first accumulator rounds nothing: nor does any wider one, and every ending keeps it
  Leaf,   ///< C added behind a sum is C as the last leaf of a tree: where C is loaded as it is, behind some term
};
/// Whether, and why, `b` may be left out where `a` is followed. `leads`: `a` is in its member's first accumulator, and
/// was followed before.
[[nodiscard]] Cover may_cover(const Path& a, const Path& b, bool leads);

/// Whether a path may be left out for these operands because of `a`, for speed alone. `of_a`: its sum, where that is
/// known; `terms`: how many there are besides C.
[[nodiscard]] bool covers(Cover cover, const Path& a, const SumResult* of_a, std::size_t terms, const Addend& c);

}  // namespace negzero::oracle

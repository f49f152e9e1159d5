// Extents that follow from others by the relations of a line and of limits, where only some are known.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/notation/signature.hpp>

namespace negzero::operation {

/// The extents of a signature in its order; nothing in the place of one that is not known.
using KnownExtents = std::vector<std::optional<std::int64_t>>;

/// Computes the extents that follow from known ones: an equation with one unknown gives it where that is a side of its
/// own, o = n - k + 1, and where the equation is linear in it and has a whole solution, ends_0 = rows + 1. Equations
/// are used until none gives another extent. What would be below 0, or more than an extent may be, stays unknown.
void infer(KnownExtents& extents, const notation::Signature& signature, std::span<const notation::Relation> more);

/// A relation that known extents do not keep.
struct Broken {
  notation::Relation relation{};
  std::string text{};  ///< "k = 5, n = 3: k <= n does not hold"
};
/// The first relation of the line, then of `more`, that does not hold, or has no value, of those whose extents are all
/// known; an equation, too, whose unknown side has a value that no extent may have.
[[nodiscard]] std::optional<Broken> first_broken(const KnownExtents& extents, const notation::Signature& signature,
                                                 std::span<const notation::Relation> more);

}  // namespace negzero::operation

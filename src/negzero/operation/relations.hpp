// Relations between extents: those that have one value, and products that have a bound.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::operation {

/// Extents that have one value, by their places in the signature: two or more, ascending.
using EqualExtents = std::vector<std::size_t>;

/// Returns the groups of extents that Limits::equal ties together: those that share an extent are one. Names that the
/// signature lacks are left out.
[[nodiscard]] std::vector<EqualExtents> equal_extents(const Limits& limits, const notation::Signature& signature);

/// Returns what is accepted by both: of the tiles those of either.
[[nodiscard]] ExtentLimit common(const ExtentLimit& a, const ExtentLimit& b);

/// Returns the limits in which every extent that is tied to others has what all of them accept.
[[nodiscard]] Limits with_common_extents(Limits limits, const notation::Signature& signature);

/// The product of the named extents, 0 where one is; saturates.
[[nodiscard]] std::int64_t product_of(const ProductLimit& limit, const notation::Signature& signature,
                                      std::span<const std::int64_t> extents);

/// Changes extents that each have an accepted value so that they keep the relations, too, where that is possible.
///
/// Equal extents take the value of `leading` where it is one of them, else the least of theirs, but an extent that is 0
/// makes the others so only where it is the first of its group. Then, while a product is too large, its greatest
/// factor is halved, or less than that where less is enough. Last, relations of the line are kept by keep_line(). Does
/// nothing where neither limits nor line have relations.
void keep_relations(std::span<std::int64_t> extents, const notation::Signature& signature, const Limits& limits,
                    std::optional<std::size_t> leading = std::nullopt);

/// Why extents break a relation, as outside() says it; nothing where they keep all.
[[nodiscard]] std::optional<std::string> breaks_relation(std::span<const std::int64_t> extents,
                                                         const notation::Signature& signature, const Limits& limits);

}  // namespace negzero::operation

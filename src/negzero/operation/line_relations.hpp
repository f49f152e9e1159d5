// Relations of a line (notation/relation.hpp) on the extents of an operation: which extents are computed from others,
// what is broken, and the way back.

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

/// Computes the extents that a relation `o = ...` defines from the others, which are free. An extent is defined by the
/// first relation that can: by its name on one side and a formula without it, directly or through other definitions, on
/// the other. One without a value (a division by 0, less than 0) stays as it is. Returns whether all relations of the
/// line hold then, and the limits accept what was computed.
bool complete(std::span<std::int64_t> extents, const notation::Signature& signature, const Limits& limits);

/// The extents that the line defines, by their places in the signature.
[[nodiscard]] std::vector<std::size_t> defined_extents(const notation::Signature& signature);

/// Changes extents so that all relations of the line and of the limits hold, where a way is found, and returns whether
/// one was. Free extents move as little as they can, one after the other; `leading` moves only where no other way is
/// found, and so does, where it is defined, its value. Requires free extents that the limits accept. Does nothing where
/// a line has no relations.
bool keep_line(std::span<std::int64_t> extents, const notation::Signature& signature, const Limits& limits,
               std::optional<std::size_t> leading = std::nullopt);

/// The first relation of the line that extents break, with their values: "k = 5, n = 3: the line wants k <= n".
[[nodiscard]] std::optional<std::string> breaks_line(std::span<const std::int64_t> extents,
                                                     const notation::Signature& signature);

/// Why no extents are found that the limits accept and the line permits, by the relation that stays broken; nothing
/// where there are some. Looks from small extents and from larger ones.
[[nodiscard]] std::optional<std::string> unmet_relation(const notation::Signature& signature, const Limits& limits);

}  // namespace negzero::operation

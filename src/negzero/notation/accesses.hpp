// Elements that a declared line reads or writes, as the clauses at its end say it.

#pragma once

#include <string>
#include <vector>

#include <negzero/notation/line_reader.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::notation {

/// Most positions within positions.
inline constexpr int kMostNestedPositions = 16;

/// Reads one clause behind `reads` or `writes`. Throws a Mistake where names are none of the line's, where a tensor is
/// not of the right side or has other dimensions, and where it takes no index.
[[nodiscard]] Access read_access(LineReader& line, const Signature& signature, bool writes);

/// "reads cache[table[b, i / page], i % page, d] for b, i < lengths[b], d"
[[nodiscard]] std::string access_text(const Access& access);

/// The index tensors that its positions and loops have, each as often as it is there.
[[nodiscard]] std::vector<std::string> tensors_of(const Access& access);

}  // namespace negzero::notation

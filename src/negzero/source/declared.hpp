// Which words of a text are the names of things that it declares itself, so that they mean nothing of CUDA.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <negzero/source/code.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {

/// Whether the word at `i` is declared there: it follows a type, as in "dim3 gridDim(4)", "const T& x" or
/// "float a, x;".
[[nodiscard]] bool is_declared_at(const Code& code, std::size_t i);

/// Whether the word at `i` is a member, or belongs to a named scope: it follows '.', "->" or "name::".
[[nodiscard]] bool is_member_at(const Code& code, std::size_t i);

/// Returns the units, as indices, in which `word` is declared at all, but for the declarations of it that end at one of
/// the characters `known`. Such units keep all uses of the word.
[[nodiscard]] std::vector<std::size_t> units_declaring(std::string_view word, const Code& code,
                                                       const std::vector<Unit>& units,
                                                       std::span<const std::size_t> known = {});

/// Returns the index of the unit that has a character; units.size(): none has.
[[nodiscard]] std::size_t unit_at(const std::vector<Unit>& units, std::size_t place);

}  // namespace negzero::source

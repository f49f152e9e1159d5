// Launches, kernel<<<grid, block, bytes, stream>>>(arguments), as calls that a host compiler reads.

#pragma once

#include <span>
#include <string_view>

#include <negzero/source/edit.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

/// Returns the edits that make each launch of `text` a call:
///
///     kernel<T><<<grid, block>>>(x, n);
///     ::negzero::launch_of([&](auto... nz_a) { kernel<T>(nz_a...); }, grid, block)(x, n);
///
/// All parts keep their places and their order, so that templates are deduced and overloads chosen as the author has
/// it. Launches in the bodies of macros are no others. A launch without a kernel before it, without an end or without
/// arguments stays as it is and is noted: the text has branches of #if that are never compiled.
[[nodiscard]] Prepared launch_edits(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source

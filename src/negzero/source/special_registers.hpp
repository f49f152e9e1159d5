// Reads of PTX's special registers that say which lane a thread is, as calls that a host compiler reads.

#pragma once

#include <span>
#include <string_view>

#include <negzero/source/edit.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

/// Returns the edits that make `asm("mov.u32 %0, %%laneid;" : "=r"(x));` the assignment
/// `(x) = ::negzero::special_register_laneid();`, with `volatile` or without, and so for the five %lanemask_ registers.
///
/// Any other assembly stays, and so does one whose parts lie on several lines. There are no notes.
[[nodiscard]] Prepared special_register_edits(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source

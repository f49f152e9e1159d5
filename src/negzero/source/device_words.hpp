// The variables of CUDA that say where a thread is, as calls that a host compiler reads.

#pragma once

#include <span>
#include <string_view>

#include <negzero/source/edit.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

/// Returns the edits that make threadIdx, blockIdx, blockDim and gridDim calls: ::negzero::thread_index(),
/// block_index(), block_dim() and grid_dim(), in bodies of macros too.
///
/// __noinline__ becomes an attribute that host compilers know.
///
/// Members of that name stay, and all uses of one of the words in a declaration at namespace scope, or in a macro,
/// that declares it as a parameter or with a type before it: "dim3 gridDim(4)". So do members that are initialised and
/// parameters of macros. There are no notes.
[[nodiscard]] Prepared device_word_edits(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source

// Kernels that a runtime's function launches, as values that keep their type.

#pragma once

#include <span>
#include <string_view>

#include <negzero/source/edit.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

/// Returns the edits that take the cast to void* from the kernel's name in calls of cudaLaunchKernel,
/// cudaLaunchCooperativeKernel and cudaLaunchKernelExC:
///
///     cudaLaunchKernel((const void*)kernel<T>, grid, block, arguments, bytes, stream)
///     cudaLaunchKernel(             kernel<T>, grid, block, arguments, bytes, stream)
///
/// reinterpret_cast<void*>(kernel<T>) too. Without its type a host compiler has no parameters to read arguments by.
[[nodiscard]] Prepared launch_call_edits(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source

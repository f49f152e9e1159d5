// All edits that make a CUDA file one which a host compiler reads.

#pragma once

#include <string_view>

#include <negzero/source/edit.hpp>

namespace negzero::source {

/// Returns the edits of shared memory, launches and the variables of threads. Each piece that could not be read is
/// noted and left as it is, since a branch of an #if that is never compiled may hold it.
[[nodiscard]] Prepared host_edits(std::string_view text);

}  // namespace negzero::source

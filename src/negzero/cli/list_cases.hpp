// `negzero list cases KERNEL`.

#pragma once

#include <negzero/cli/commands.hpp>

namespace negzero::cli {

/// Prints the cases that `check` makes for a kernel's build for an executor, one line a case, without running any:
/// index, strategy, extents, formats, scalars, layouts, and of its plan (campaign/looks.hpp) the launches with which
/// state is looked for, whether it is watched and why, or too large for that. Returns an exit code.
int list_cases(const ListFlags& flags, const Common& common);

}  // namespace negzero::cli

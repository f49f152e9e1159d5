// What kernels declare, as text: so that a process without their code knows them.

#pragma once

#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::kernel {

/// All kernels of a registry and what was wrong with others, as one JSON document:
///
///     {"version": 2, "kernels": [{"name", "operation", "about", "executor", "contract": {...}, "limits": {...},
///                                "file", "line"}, ...],
///      "errors": ["FILE:LINE: kernel 'NAME': ...", ...]}
///
/// Limits hold what differs from the default: "formats": [["F16", "F16", "F32"]],
/// "extents": {"k": [0, 4096, 16, [64]]} (least, greatest, multiple, tiles), "alpha", "beta", "inputs", "output".
[[nodiscard]] std::string declarations(const Registry& registry);

/// Adds the kernels of such a document to a registry, without code: their `launch` is empty. Errors name what is no
/// declaration. A kernel that Registry::add() would leave out is left out here too.
[[nodiscard]] base::Status declare(std::string_view document, Registry& registry);

}  // namespace negzero::kernel

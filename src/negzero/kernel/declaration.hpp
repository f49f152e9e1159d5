// What kernels declare, as text: so that a process without their code knows them.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::kernel {

/// The kernels of a registry that are of one program (none: of this one), and what was wrong with others, as one JSON
/// document:
///
///     {"version": 2, "kernels": [{"name", "operation", "about", "executor", "contract": {...}, "limits": {...},
///                                "file", "line"}, ...],
///      "errors": ["FILE:LINE: kernel 'NAME': ...", ...]}
///
/// Limits hold what differs from the default: "formats": [["F16", "F16", "F32"]],
/// "extents": {"k": [0, 4096, 16, [64]]} (least, greatest, multiple, tiles), "alpha", "beta", "inputs", "output".
[[nodiscard]] std::string declarations(const Registry& registry, const std::vector<std::string>& program = {});

/// All sources of the kernels of a registry: what another process declares to know the same kernels.
[[nodiscard]] std::vector<KernelSource> sources(const Registry& registry);

/// Adds the kernels that a source declares to a registry, without code: their `launch` is empty. Errors name what is no
/// declaration. A kernel that Registry::add() would leave out is left out here too, and so is one that another source
/// has, which errors() says.
[[nodiscard]] base::Status declare(const KernelSource& source, Registry& registry);

}  // namespace negzero::kernel

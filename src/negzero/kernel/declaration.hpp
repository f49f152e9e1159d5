// What kernels declare, as text: so that a process without their code knows them.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::kernel {

/// Of declarations: the version of the worker protocol that they are a part of.
inline constexpr int kDeclarationVersion = 1;
/// Longest name of a kernel that another program declares, in bytes.
inline constexpr std::size_t kMostKernelName = 256;
/// Longest line about one, in bytes.
inline constexpr std::size_t kMostAbout = 1024;

/// The kernels of a registry that are of one program (none: of this one), and what was wrong with others, as one JSON
/// document:
///
///     {"version": 1, "kernels": [{"name", "operation", "formats": [{"a": "F16", "b": "F16", "d": "F32"}],
///                                "contract": {...}, "limits": {...}, "reference": {...}, "executor", "shows",
///                                "interpreter", "contract_of", "about", "file", "line"},
///                                ...],
///      "errors": ["FILE:LINE: kernel 'NAME': ...", ...],
///      "absent": [{"file": "kernels/vendor/cublas_gemm.cu", "why": "for a GPU alone, and ..."}, ...]}
///
/// "absent" is there where the program was built without some of its files.
/// All of a kernel but "name" and "operation" may be left out: every format, the default contract, no limit, the
/// executor host, showing "all". operation/limits_json.hpp has the limits; a contract may be a preset's name.
/// docs/reference/worker_protocol.md is the page for those who write one by hand.
[[nodiscard]] std::string declarations(const Registry& registry, const std::vector<std::string>& program = {});

/// All sources of the kernels of a registry: what another process declares to know the same kernels.
[[nodiscard]] std::vector<KernelSource> sources(const Registry& registry);

/// Adds the kernels that a source declares to a registry, without code: their `launch` is empty. Errors name the
/// program, the kernel and what is no declaration. A kernel that Registry::add() would leave out is left out here too,
/// and so is one that another source has, which errors() says.
[[nodiscard]] base::Status declare(const KernelSource& source, Registry& registry);

}  // namespace negzero::kernel

// What a contract claims beside values, looked at with changed cases.

#pragma once

#include <optional>

#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// Whether a case is held to what the kernel's contract claims: with Some one in eight, the same ones for a seed, with
/// Always all. Of an operation that is not declared, where position_invariant is claimed and values repeat.
[[nodiscard]] bool is_held_to_claims(const operation::Case& value, const kernel::Kernel& kernel, Repeat which);

/// The first metamorphic property that the case breaks, of those that hold for its operation and for the kernel's
/// contract: rows permuted, fewer or more of them, other layouts; of a GEMM columns and batches too, of a declared
/// operation a NaN at a row. With Some one of them is drawn where the operation is not declared, every second time
/// other rows, of a GEMM every fourth time other columns. The changes depend on the case alone.
[[nodiscard]] std::optional<verdict::Verdict> broken_claim(const operation::Case& value, const kernel::Kernel& kernel,
                                                           run::Executor& executor, Repeat which);

}  // namespace negzero::property

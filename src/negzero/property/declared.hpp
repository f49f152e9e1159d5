// What a case of a declared operation is held to, whose values no oracle knows.

#pragma once

#include <optional>
#include <span>

#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// The verdict on outputs: NotJudged, or Fail by rule declared.bound where an output of indices holds one that is none
/// of the extent that bounds it. Elements that do not count are not looked at. Requires a declared operation.
[[nodiscard]] verdict::Verdict judge_declared(const operation::Case& value, std::span<const tensor::Tensor> outputs);

/// Whether a case is held to what the line and the contract claim: all, or one in eight, the same ones for a seed.
[[nodiscard]] bool is_held_to_claims(const operation::Case& value, Repeat which);

/// The first metamorphic property that the case breaks, of those that hold for its line and for the kernel's contract:
/// permuted, fewer or more indices of an extent that is each by itself, a NaN at one of them, other layouts. The
/// changes depend on the case alone.
[[nodiscard]] std::optional<verdict::Verdict> broken_claim(const operation::Case& value, const kernel::Kernel& kernel,
                                                           run::Executor& executor);

}  // namespace negzero::property

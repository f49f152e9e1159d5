// The steps that make a case simpler, one kind of step a pass.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::shrink {

/// Receives one candidate; returns false when no more are wanted.
using Emit = std::function<bool(operation::Case&&)>;

/// Emits the candidates of one kind of step, most drastic first. Candidates need not be simpler, inside limits or even
/// valid: the caller checks. The limits say which steps are worth a try.
using Pass = void (*)(const operation::Case& value, const verdict::Failure& failure, const operation::Limits& limits,
                      const Emit& emit);

/// All passes in the order of numerics.md section 9.
[[nodiscard]] const std::vector<Pass>& passes();

// History (history.cpp): launches before the case, fewer and less different ones.
void shrink_history(const operation::Case& value, const verdict::Failure& failure, const operation::Limits& limits,
                    const Emit& emit);
/// Structure (structure.cpp): without all optional inputs, then without each.
void shrink_inputs(const operation::Case& value, const verdict::Failure& failure, const operation::Limits& limits,
                   const Emit& emit);
// Each dimension of the operation to the failing coordinate, then by chunks to single
// indices. Extents that are equal go together, powers of two to smaller ones.
void shrink_extents(const operation::Case& value, const verdict::Failure& failure, const operation::Limits& limits,
                    const Emit& emit);
/// Scalars to 1, 0 and simpler values; options to their defaults or earlier values; layouts to packed, or the plainest
/// that limits accept; schedule forward; poison NaN; provenance is kept.
void shrink_setting(const operation::Case& value, const verdict::Failure& failure, const operation::Limits& limits,
                    const Emit& emit);
// Values (values.cpp): one simplification applied to chunks of a tensor, from all of it to single elements.
void shrink_values(const operation::Case& value, const verdict::Failure& failure, const operation::Limits& limits,
                   const Emit& emit);

/// Whether that input holds indices or counts, which are structure and no values.
[[nodiscard]] bool is_index(const operation::Operation& operation, std::string_view name);

/// Whether those are made smaller: counts, and the indices of a declared operation. Where an update goes is changed by
/// leaving destinations out.
[[nodiscard]] bool shrinks_indices(const notation::Signature& signature, const notation::TensorSignature& tensor);

/// How far indices or counts are from the simplest that there are: their sum, 1 for no index, twice each index beside
/// it. Of a permutation how far its elements are from those of the identity.
[[nodiscard]] std::uint64_t weight_of_indices(const notation::TensorSignature& signature,
                                              const tensor::Tensor& indices);

/// Complexity of one encoding: 0 for +0, small for 1 and powers of two near it, more for every significand bit and for
/// large exponents, most for NaN.
[[nodiscard]] std::uint64_t complexity(const number::Format& format, std::uint64_t word);

}  // namespace negzero::shrink

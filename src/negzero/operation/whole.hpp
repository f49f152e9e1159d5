// Scalars that are whole numbers or truth values: their values, and what limits leave of them.

#pragma once

#include <cstdint>

#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::operation {

/// Whole numbers with least <= value <= greatest. Empty where least is above greatest.
struct WholeRange {
  std::int64_t least = 0, greatest = 0;

  [[nodiscard]] bool is_empty() const noexcept { return least > greatest; }
  [[nodiscard]] bool contains(std::int64_t value) const noexcept { return least <= value && value <= greatest; }
  /// The number of the range that is nearest to `value`. Requires a range that is not empty.
  [[nodiscard]] std::int64_t nearest(std::int64_t value) const noexcept;
};

/// The values that a scalar of that kind may have: those of I32, or 0 and 1, as far as `range` accepts them; nullptr
/// accepts all. Requires a kind that is whole.
[[nodiscard]] WholeRange whole_range(notation::ScalarKind kind, const ScalarRange* range);

/// The value of a scalar in I32, and the scalar of a value. Requires a value that I32 holds.
[[nodiscard]] std::int64_t whole_value(const Scalar& scalar) noexcept;
[[nodiscard]] Scalar whole_scalar(std::int64_t value) noexcept;

}  // namespace negzero::operation

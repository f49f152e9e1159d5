// Layouts that limits accept: the plainest, and such with gaps.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::operation {

/// How far apart neighbours of each dimension stand beyond what lies within one, in elements.
struct LayoutStyle {
  bool transposed = false;     ///< the last two dimensions change places in memory
  std::int64_t inner = 1;      ///< stride of the fastest dimension
  std::int64_t gap = 0;        ///< elements left free behind each line
  std::int64_t batch_gap = 0;  ///< and behind each matrix
};

/// Returns a layout of `shape` without offset. The last dimension is the fastest, or the one before it where `rule` is
/// column-major or `style` transposed. Dimensions that are shared have stride 0, other strides are rounded up to the
/// rule's multiple.
[[nodiscard]] tensor::Layout lay_out(const std::vector<std::int64_t>& shape, const LayoutRule& rule,
                                     const LayoutStyle& style = {});

/// Returns the plainest layout that `rule` accepts: packed but for strides rounded up to the alignment, and for what is
/// column-major or shared.
[[nodiscard]] tensor::Layout plain_layout(const std::vector<std::int64_t>& shape, const LayoutRule& rule);

/// Gives every tensor of the case that has no layout a packed one, or the plainest where the limits refuse that one; an
/// input in the output's memory the output's.
void lay_missing_plainly(Case& value, const Limits& limits);

}  // namespace negzero::operation

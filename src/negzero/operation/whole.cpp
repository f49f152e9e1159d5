// Whole numbers are kept in I32, and compared in 64 bits.

#include <algorithm>
#include <cmath>
#include <limits>

#include <negzero/operation/whole.hpp>

namespace negzero::operation {
namespace {

using Ends = std::numeric_limits<std::int32_t>;

/// `value` as a whole number; one just outside of I32 in the place of all beyond it.
std::int64_t bounded(double value) {
  return static_cast<std::int64_t>(std::clamp(value, Ends::min() - 1.0, Ends::max() + 1.0));
}

}  // namespace

std::int64_t WholeRange::nearest(std::int64_t value) const noexcept { return std::clamp(value, least, greatest); }

WholeRange whole_range(notation::ScalarKind kind, const ScalarRange* range) {
  WholeRange all{Ends::min(), Ends::max()};
  if (kind == notation::ScalarKind::Truth) all = {0, 1};
  if (range == nullptr) return all;
  return {std::max(all.least, bounded(std::ceil(range->least))),
          std::min(all.greatest, bounded(std::floor(range->greatest)))};
}

std::int64_t whole_value(const Scalar& scalar) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(scalar.bits));
}

Scalar whole_scalar(std::int64_t value) noexcept {
  return {number::FormatId::I32, static_cast<std::uint32_t>(static_cast<std::int32_t>(value))};
}

}  // namespace negzero::operation

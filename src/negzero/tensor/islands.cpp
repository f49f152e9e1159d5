// Islands grow dimension by dimension, from the smallest stride to the greatest.

#include <algorithm>

#include <negzero/tensor/islands.hpp>

namespace negzero::tensor {

namespace {

struct Repetition {
  std::int64_t extent, stride;
};

/// Dimensions that lead to other addresses, the smallest stride first.
std::vector<Repetition> by_stride(const Layout& layout) {
  std::vector<Repetition> dimensions;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] > 1 && layout.strides[d] > 0) dimensions.push_back({layout.shape[d], layout.strides[d]});
  }
  std::ranges::sort(dimensions, {}, &Repetition::stride);
  return dimensions;
}

/// Joins what lies less than `gap` apart. Requires stretches in the order of their beginnings.
void join(std::vector<Island>& stretches, std::int64_t gap) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].begin - stretches[last].end < gap) {
      stretches[last].end = std::max(stretches[last].end, stretches[i].end);
    } else {
      stretches[++last] = stretches[i];
    }
  }
  stretches.resize(last + 1);
}

}  // namespace

bool is_distant(const Layout& layout) noexcept { return layout.extent() > 2 * layout.element_count() + kNearPadding; }

std::optional<std::vector<Island>> islands_of(const Layout& layout, std::size_t element_bytes) {
  if (layout.element_count() == 0) return std::vector<Island>{};
  constexpr std::size_t kMostSteps = 16 * kMostIslands;
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::int64_t gap = kIslandGap / bytes;
  // Counted in elements until all dimensions are there.
  std::vector<Island> islands{{0, 1}};
  for (const auto& [extent, stride] : by_stride(layout)) {
    const std::int64_t span = islands.back().end;
    if (islands.size() == 1 && stride - span < gap) {
      islands.front().end = (extent - 1) * stride + span;
      continue;
    }
    if (extent > static_cast<std::int64_t>(kMostSteps / islands.size())) return std::nullopt;
    std::vector<Island> all;
    for (std::int64_t i = 0; i < extent; ++i) {
      for (const Island& each : islands) all.push_back({each.begin + i * stride, each.end + i * stride});
    }
    std::ranges::sort(all, {}, &Island::begin);
    join(all, gap);
    if (all.size() > kMostIslands) return std::nullopt;
    islands = std::move(all);
  }
  for (Island& island : islands) {
    island.begin = (island.begin + layout.offset) * bytes / kIslandUnit * kIslandUnit;
    island.end = ((island.end + layout.offset) * bytes + kIslandUnit - 1) / kIslandUnit * kIslandUnit;
  }
  return islands;
}

}  // namespace negzero::tensor

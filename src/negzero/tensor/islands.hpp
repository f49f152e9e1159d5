// Memory of layouts whose elements lie far apart: the few stretches that hold them all.
//
//   memory   |..........[a0 a1 a2].............................................[a3 a4 a5]..........|
//   islands              0                                                      1
//   between              no memory at all: what a kernel does there, a fault shows

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/tensor/layout.hpp>

namespace negzero::tensor {

/// Padding of a layout that takes memory like its elements, in elements, besides once as much as those.
inline constexpr std::int64_t kNearPadding = std::int64_t{1} << 28;

/// Whether a layout spans so much more than its elements that only its islands have memory: more than twice their
/// number, and kNearPadding besides. Requires a layout that validate() accepts.
[[nodiscard]] bool is_distant(const Layout& layout) noexcept;

/// Bytes of memory [begin, end), from the address 0 of a layout: multiples of kIslandUnit.
struct Island {
  std::int64_t begin = 0, end = 0;

  [[nodiscard]] std::int64_t size_bytes() const noexcept { return end - begin; }
  friend bool operator==(const Island&, const Island&) = default;
};

/// Bytes of a page where programs run: islands begin and end there, so that one page holds no two.
inline constexpr std::int64_t kIslandUnit = 4096;
/// Elements that lie less far apart are of one island.
inline constexpr std::int64_t kIslandGap = std::int64_t{1} << 16;
static_assert(kIslandGap >= 8 * kIslandUnit, "guard zones of neighbours must not meet");
/// Most islands of a layout: each is a mapping of its own, and at least one page of a GPU, of 2 MiB.
inline constexpr std::size_t kMostIslands = 256;

/// The islands of a layout in ascending order, so that each of its elements lies in one and what lies between two is at
/// least kIslandGap, less what their ends are rounded by. Nothing where there are more than kMostIslands, or dimensions
/// so entangled that this cannot be decided in a few thousand steps; none for a layout without elements. The work and
/// the memory depend on the islands, not on elements or span. Requires a layout that validate() accepts.
[[nodiscard]] std::optional<std::vector<Island>> islands_of(const Layout& layout, std::size_t element_bytes);

}  // namespace negzero::tensor

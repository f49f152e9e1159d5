// Strided copies: dimensions that memory joins are joined, then rows are copied whole or element by element.

#include <algorithm>
#include <array>
#include <cstring>

#include <negzero/tensor/islands.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::tensor {
namespace {

/// A dimension with more than one element.
struct Dimension {
  std::int64_t extent, stride;
};

/// A layout without dimensions of extent 1, neighbours joined where one stride continues the other.
struct Walk {
  std::array<Dimension, kMaxRank> dimensions;
  std::size_t rank = 0;
};

Walk walk_of(const Layout& layout) noexcept {
  Walk walk;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const Dimension dimension{layout.shape[d], layout.strides[d]};
    if (dimension.extent == 1) continue;
    Dimension* const last = walk.rank == 0 ? nullptr : &walk.dimensions[walk.rank - 1];
    if (last != nullptr && last->stride == dimension.extent * dimension.stride) {
      *last = {last->extent * dimension.extent, dimension.stride};
    } else {
      walk.dimensions[walk.rank++] = dimension;
    }
  }
  return walk;
}

/// Calls row(address, packed index) for every row of the innermost dimension, in row-major order.
template <typename Row>
void for_each_row(const Walk& walk, std::int64_t offset, std::int64_t row_length, const Row& row) {
  const std::size_t outer = walk.rank == 0 ? 0 : walk.rank - 1;
  std::array<std::int64_t, kMaxRank> position{};
  std::int64_t address = offset;
  for (std::int64_t packed = 0;; packed += row_length) {
    row(address, packed);
    std::size_t d = outer;
    for (; d > 0; --d) {
      const Dimension& dimension = walk.dimensions[d - 1];
      address += dimension.stride;
      if (++position[d - 1] < dimension.extent) break;
      address -= dimension.extent * dimension.stride;
      position[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

enum class Way { Scatter, Gather };

template <Way way, typename Memory, typename Packed>
void move_bytes(Memory* at, Packed* element, std::size_t size_bytes) noexcept {
  if constexpr (way == Way::Scatter) {
    std::memcpy(at, element, size_bytes);
  } else {
    std::memcpy(element, at, size_bytes);
  }
}

/// A matrix of elements of which memory holds the columns without gaps: in blocks of as many columns as keep both sides
/// within the nearest cache, since a plain loop would use one element of each line that it touches.
template <Way way, std::size_t kBytes, typename Memory, typename Packed>
void copy_transposed(Memory* memory, Packed* packed, Dimension rows, Dimension columns) noexcept {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t first = 0; first < columns.extent; first += kBlock) {
    const std::int64_t last = std::min(first + kBlock, columns.extent);
    for (std::int64_t row = 0; row < rows.extent; ++row) {
      for (std::int64_t column = first; column < last; ++column) {
        move_bytes<way>(memory + static_cast<std::size_t>(row + column * columns.stride) * kBytes,
                        packed + static_cast<std::size_t>(row * columns.extent + column) * kBytes, kBytes);
      }
    }
  }
}

template <Way way, std::size_t kBytes, typename Memory, typename Packed>
void copy(const Layout& layout, Memory* memory, Packed* packed) noexcept {
  Walk walk = walk_of(layout);
  const Dimension inner = walk.rank == 0 ? Dimension{1, 1} : walk.dimensions[walk.rank - 1];
  if (walk.rank > 1 && inner.stride > 1 && walk.dimensions[walk.rank - 2].stride == 1) {
    const Dimension outer = walk.dimensions[walk.rank - 2];
    // The matrix takes the place of a row.
    const std::int64_t elements = outer.extent * inner.extent;
    walk.dimensions[--walk.rank - 1] = {elements, 1};
    for_each_row(walk, layout.offset, elements, [&](std::int64_t address, std::int64_t index) {
      copy_transposed<way, kBytes>(memory + static_cast<std::size_t>(address) * kBytes,
                                   packed + static_cast<std::size_t>(index) * kBytes, outer, inner);
    });
    return;
  }
  for_each_row(walk, layout.offset, inner.extent, [&](std::int64_t address, std::int64_t index) {
    Memory* const there = memory + static_cast<std::size_t>(address) * kBytes;
    Packed* const here = packed + static_cast<std::size_t>(index) * kBytes;
    if (inner.stride == 1) {
      move_bytes<way>(there, here, static_cast<std::size_t>(inner.extent) * kBytes);
      return;
    }
    const std::size_t step = static_cast<std::size_t>(inner.stride) * kBytes;
    for (std::size_t i = 0; i < static_cast<std::size_t>(inner.extent); ++i) {
      move_bytes<way>(there + i * step, here + i * kBytes, kBytes);
    }
  });
}

template <Way way, typename Memory, typename Packed>
void copy_by_width(const Layout& layout, std::size_t element_bytes, Memory* memory, Packed* packed) noexcept {
  if (layout.element_count() == 0) return;
  switch (element_bytes) {
    case 1:
      return copy<way, 1>(layout, memory, packed);
    case 2:
      return copy<way, 2>(layout, memory, packed);
    case 4:
      return copy<way, 4>(layout, memory, packed);
    default:
      return copy<way, 8>(layout, memory, packed);
  }
}

/// What `packed` looks like where of elements that share an address the last one stays.
std::vector<std::byte> settled_far(const Layout& layout, std::size_t element_bytes, std::span<const std::byte> packed) {
  struct Place {
    std::int64_t address, element;
    bool operator<(const Place& other) const {
      return address != other.address ? address < other.address : element < other.element;
    }
  };
  std::vector<Place> places(static_cast<std::size_t>(layout.element_count()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    places[i] = {layout.address(element), element};
  }
  std::sort(places.begin(), places.end());
  std::vector<std::byte> result(packed.size());
  const auto bytes_of = [&](auto* start, std::int64_t element) {
    return start + static_cast<std::size_t>(element) * element_bytes;
  };
  std::int64_t kept = 0;
  for (std::size_t i = places.size(); i-- > 0;) {
    const bool is_last = i + 1 == places.size() || places[i + 1].address != places[i].address;
    if (is_last) kept = places[i].element;
    std::memcpy(bytes_of(result.data(), places[i].element), bytes_of(packed.data(), kept), element_bytes);
  }
  return result;
}

/// What `packed` looks like after a way to memory and back.
std::vector<std::byte> settled(const Layout& layout, std::size_t element_bytes, std::span<const std::byte> packed) {
  Layout moved = layout;
  moved.offset = 0;
  if (is_distant(moved)) return settled_far(moved, element_bytes, packed);
  std::vector<std::byte> memory(static_cast<std::size_t>(moved.extent()) * element_bytes);
  scatter_to(moved, element_bytes, packed, memory);
  std::vector<std::byte> result(packed.size());
  gather_from(moved, element_bytes, memory, result);
  return result;
}

}  // namespace

void scatter_to(const Layout& layout, std::size_t element_bytes, std::span<const std::byte> packed,
                std::span<std::byte> memory) noexcept {
  copy_by_width<Way::Scatter>(layout, element_bytes, memory.data(), packed.data());
}

void gather_from(const Layout& layout, std::size_t element_bytes, std::span<const std::byte> memory,
                 std::span<std::byte> packed) noexcept {
  copy_by_width<Way::Gather>(layout, element_bytes, memory.data(), packed.data());
}

std::optional<std::int64_t> first_conflict(const Layout& layout, std::size_t element_bytes,
                                           std::span<const std::byte> packed) {
  if (!layout.overlaps()) return std::nullopt;
  const std::vector<std::byte> after = settled(layout, element_bytes, packed);
  const auto [before, ignored] = std::mismatch(packed.begin(), packed.end(), after.begin());
  if (before == packed.end()) return std::nullopt;
  return (before - packed.begin()) / static_cast<std::int64_t>(element_bytes);
}

void resolve_conflicts(const Layout& layout, std::size_t element_bytes, std::span<std::byte> packed) {
  if (!layout.overlaps()) return;
  const std::vector<std::byte> after = settled(layout, element_bytes, packed);
  std::copy(after.begin(), after.end(), packed.begin());
}

std::vector<Gap> padding(const Layout& layout) {
  std::vector<Gap> gaps;
  if (layout.element_count() == 0) return gaps;
  // In the order of strides, rows of most layouts come in ascending order and gaps are found in one pass.
  Layout sorted;
  sorted.offset = layout.offset;
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.strides[d] != 0) dimensions.push_back({layout.shape[d], layout.strides[d]});
  }
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [](const Dimension& a, const Dimension& b) { return a.stride > b.stride; });
  for (const Dimension& dimension : dimensions) {
    sorted.shape.push_back(dimension.extent);
    sorted.strides.push_back(dimension.stride);
  }
  const Walk walk = walk_of(sorted);
  const Dimension inner = walk.rank == 0 ? Dimension{1, 1} : walk.dimensions[walk.rank - 1];

  // Runs of occupied elements; a row of stride 1 is one run.
  std::vector<Gap> runs;
  const auto occupy = [&](std::int64_t begin, std::int64_t end) {
    if (!runs.empty() && runs.back().begin <= begin && begin <= runs.back().end) {
      runs.back().end = std::max(runs.back().end, end);
    } else {
      runs.push_back({begin, end});
    }
  };
  for_each_row(walk, sorted.offset, inner.extent, [&](std::int64_t address, std::int64_t) {
    if (inner.stride == 1) return occupy(address, address + inner.extent);
    for (std::int64_t i = 0; i < inner.extent; ++i) occupy(address + i * inner.stride, address + i * inner.stride + 1);
  });
  const auto before = [](const Gap& a, const Gap& b) { return a.begin < b.begin; };
  if (!std::is_sorted(runs.begin(), runs.end(), before)) std::sort(runs.begin(), runs.end(), before);

  std::int64_t covered = 0;
  for (const Gap& run : runs) {
    if (run.begin > covered) gaps.push_back({covered, run.begin});
    covered = std::max(covered, run.end);
  }
  return gaps;
}

}  // namespace negzero::tensor

// Moving packed elements to where a layout puts them in memory and back, and finding the memory between them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <negzero/tensor/layout.hpp>

namespace negzero::tensor {

/// Copies packed element i to memory element layout.address(i), for every i; other memory is left alone. Where elements
/// share an address one of them stays, always the same.
///
/// A distant layout (islands.hpp) wants memory of which but the islands need be there.
///
/// Both buffers are bytes of elements of `element_bytes` (1, 2, 4 or 8) each. Requires packed to hold element_count()
/// elements, memory at least extent(), and a layout that validate() accepts. Rows that lie without gaps are copied at
/// once, transposes by blocks that fit the cache; nothing is allocated.
void scatter_to(const Layout& layout, std::size_t element_bytes, std::span<const std::byte> packed,
                std::span<std::byte> memory) noexcept;

/// The way back: packed element i is memory element layout.address(i). Same requirements.
void gather_from(const Layout& layout, std::size_t element_bytes, std::span<const std::byte> memory,
                 std::span<std::byte> packed) noexcept;

/// The first packed element that differs from the one which scatter_to() leaves at its address; nothing when elements
/// that share an address are equal, and then gather_from() gives back what scatter_to() was given. Where the layout
/// overlaps it allocates as much memory as that spans; an address for each element where it is distant (islands.hpp),
/// and the element that stays is then the last one.
[[nodiscard]] std::optional<std::int64_t> first_conflict(const Layout& layout, std::size_t element_bytes,
                                                         std::span<const std::byte> packed);

/// Makes elements that share an address equal. Same cost.
void resolve_conflicts(const Layout& layout, std::size_t element_bytes, std::span<std::byte> packed);

/// Memory elements [begin, end).
struct Gap {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const Gap&, const Gap&) = default;
};

/// The padding of a layout: every maximal run of memory elements in [0, extent()) that no logical element occupies, in
/// ascending order. Empty for a packed layout and for one without elements. Requires a layout that validate() accepts.
[[nodiscard]] std::vector<Gap> padding(const Layout& layout);

}  // namespace negzero::tensor

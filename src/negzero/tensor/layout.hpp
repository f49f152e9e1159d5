// Where the elements of a logical tensor lie in memory: shape, strides and offset, in elements.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::tensor {

/// Most elements that any tensor of a case may have (2^31): more is refused before anything is allocated.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;
/// Most elements of memory that a layout may span, and the greatest stride and offset (2^34): few elements may lie as
/// far apart as those of matrices that no machine here could hold, so that an offset in 32 bits wraps, eight times over
/// where it is signed. What is far apart takes no memory between (islands.hpp).
inline constexpr std::int64_t kMaxSpan = std::int64_t{1} << 34;

/// Most dimensions of a tensor.
inline constexpr std::size_t kMaxRank = 8;

/// Element (i0, i1, ...) lies at offset + sum i_d * strides[d]. Strides and offset are >= 0; a stride of 0 broadcasts.
struct Layout {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;

  /// Row-major without gaps, offset 0. Strides over an empty dimension count it as 1 and stop growing at kMaxElements.
  [[nodiscard]] static Layout packed(std::vector<std::int64_t> shape);

  /// Saturates at the largest std::int64_t, so that it is defined for layouts that nobody has validated.
  [[nodiscard]] std::int64_t element_count() const noexcept;
  /// Elements of memory that the layout spans from address 0: one past the last address used; 0 when it has no
  /// elements. Saturates too.
  [[nodiscard]] std::int64_t extent() const noexcept;
  /// Address of the logical row-major index `i`. Requires 0 <= i < element_count().
  [[nodiscard]] std::int64_t address(std::int64_t i) const noexcept;
  /// Whether two logical elements share an address. Constant time where strides are nested (each steps over what the
  /// smaller ones span), which every layout is that a matrix library makes; else n log n of the elements, with memory
  /// for an address each. Requires at most kMaxRank dimensions.
  [[nodiscard]] bool overlaps() const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The product of extents, 1 for rank 0; saturates at the largest std::int64_t. Requires extents >= 0.
[[nodiscard]] std::int64_t count_elements(std::span<const std::int64_t> shape) noexcept;

/// Coordinates of the logical row-major index `index`, outermost first. Requires 0 <= index < count_elements(shape).
[[nodiscard]] std::vector<std::int64_t> coordinates_of(std::span<const std::int64_t> shape, std::int64_t index);

/// Checks that ranks agree and are at most kMaxRank, that nothing is negative, that no extent of the shape, nor the
/// count, exceeds kMaxElements, and no stride, offset or span kMaxSpan (with overflow checks). The message names
/// `name`.
[[nodiscard]] base::Status validate(const Layout& layout, const std::string& name);

}  // namespace negzero::tensor

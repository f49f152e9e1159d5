// Where the elements of a logical tensor lie in memory: shape, strides and offset, in elements.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::tensor {

/// Element (i0, i1, ...) lies at offset + sum i_d * strides[d]. Strides and offset are >= 0; a stride of 0 broadcasts.
struct Layout {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;

  /// Row-major without gaps, offset 0.
  [[nodiscard]] static Layout packed(std::vector<std::int64_t> shape);

  [[nodiscard]] std::int64_t element_count() const noexcept;
  /// Elements of memory that the layout spans from address 0: one past the last address used; 0 when it has no elements.
  [[nodiscard]] std::int64_t extent() const noexcept;
  /// Address of the logical row-major index `i`. Requires 0 <= i < element_count().
  [[nodiscard]] std::int64_t address(std::int64_t i) const noexcept;
  /// Whether two logical elements share an address.
  [[nodiscard]] bool overlaps() const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Most elements that any tensor of a case may have or span (2^31): more is refused before anything is allocated.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;

/// Checks that ranks agree, nothing is negative, and that neither the count nor the extent exceeds kMaxElements
/// (with overflow checks). The message names `name`.
[[nodiscard]] base::Status validate(const Layout& layout, const std::string& name);

}  // namespace negzero::tensor

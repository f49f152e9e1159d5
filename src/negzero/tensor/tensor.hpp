// A packed, typed array of encodings.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <negzero/number/format.hpp>

namespace negzero::tensor {

/// Logical elements in row-major order, each format.bits wide, little-endian. Rank 0 is a scalar with one element.
class Tensor {
 public:
  Tensor() = default;
  /// All bits zero. Requires a shape whose element count is at most kMaxElements.
  Tensor(number::FormatId format, std::vector<std::int64_t> shape);

  [[nodiscard]] const number::Format& format() const noexcept { return number::format(format_); }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  [[nodiscard]] std::int64_t element_count() const noexcept { return count_; }
  [[nodiscard]] std::size_t element_bytes() const noexcept { return static_cast<std::size_t>(format().bits) / 8; }

  /// The encoding at row-major index `i`. Requires 0 <= i < element_count().
  [[nodiscard]] std::uint64_t get(std::int64_t i) const noexcept;
  void set(std::int64_t i, std::uint64_t word) noexcept;
  /// All encodings widened to words (one pass, fast).
  [[nodiscard]] std::vector<std::uint64_t> words() const;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return bytes_; }

  friend bool operator==(const Tensor&, const Tensor&) = default;

 private:
  number::FormatId format_ = number::FormatId::F32;
  std::vector<std::int64_t> shape_;
  std::int64_t count_ = 1;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(4);
};

}  // namespace negzero::tensor

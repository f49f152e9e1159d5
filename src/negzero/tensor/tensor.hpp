// A packed, typed array of encodings.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <negzero/number/format.hpp>

namespace negzero::tensor {

/// Reads an encoding of 1, 2, 4 or 8 bytes, little-endian, from any address.
[[nodiscard]] inline std::uint64_t load_word(const std::byte* from, std::size_t size_bytes) noexcept {
  static_assert(std::endian::native == std::endian::little, "encodings are copied as they lie in memory");
  switch (size_bytes) {
    case 1:
      return std::to_integer<std::uint64_t>(*from);
    case 2: {
      std::uint16_t word;
      std::memcpy(&word, from, sizeof word);
      return word;
    }
    case 4: {
      std::uint32_t word;
      std::memcpy(&word, from, sizeof word);
      return word;
    }
    default: {
      std::uint64_t word;
      std::memcpy(&word, from, sizeof word);
      return word;
    }
  }
}

/// Writes the low `size_bytes` (1, 2, 4 or 8) bytes of `word`, little-endian, to any address.
inline void store_word(std::byte* to, std::size_t size_bytes, std::uint64_t word) noexcept {
  switch (size_bytes) {  // A constant size is an instruction; any other is a call.
    case 1:
      std::memcpy(to, &word, 1);
      break;
    case 2:
      std::memcpy(to, &word, 2);
      break;
    case 4:
      std::memcpy(to, &word, 4);
      break;
    default:
      std::memcpy(to, &word, 8);
  }
}

/// Whether two ranges hold the same bytes. (std::ranges::equal() looks at one std::byte after another.)
[[nodiscard]] inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// Logical elements in row-major order, each in format.bytes(), little-endian (half bytes one a byte: half_bytes.hpp).
/// Rank 0 is a scalar with one element.
class Tensor {
 public:
  Tensor() = default;
  /// All bits zero. Requires a shape whose element count is at most kMaxElements.
  Tensor(number::FormatId format, std::vector<std::int64_t> shape);

  [[nodiscard]] const number::Format& format() const noexcept { return number::format(format_); }
  [[nodiscard]] number::FormatId format_id() const noexcept { return format_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  [[nodiscard]] std::int64_t element_count() const noexcept { return count_; }
  [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }

  /// The encoding at row-major index `i`. Requires 0 <= i < element_count().
  [[nodiscard]] std::uint64_t get(std::int64_t i) const noexcept {
    return load_word(bytes_.data() + static_cast<std::size_t>(i) * element_bytes_, element_bytes_);
  }
  /// Stores the low bits of `word`. Requires 0 <= i < element_count().
  void set(std::int64_t i, std::uint64_t word) noexcept {
    store_word(bytes_.data() + static_cast<std::size_t>(i) * element_bytes_, element_bytes_, word);
  }
  /// All encodings widened to words (one pass, fast).
  [[nodiscard]] std::vector<std::uint64_t> words() const;
  /// Replaces all encodings (one pass, fast). Requires words.size() == element_count().
  void assign(std::span<const std::uint64_t> words) noexcept;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return bytes_; }

  friend bool operator==(const Tensor& a, const Tensor& b) noexcept {
    return a.format_ == b.format_ && a.shape_ == b.shape_ && same_bytes(a.bytes_, b.bytes_);
  }

 private:
  number::FormatId format_ = number::FormatId::F32;
  std::vector<std::int64_t> shape_;
  std::int64_t count_ = 1;
  std::size_t element_bytes_ = 4;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(4);
};

}  // namespace negzero::tensor

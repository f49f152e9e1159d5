// Numbers and text as little-endian bytes, for what crosses a process: written in order, read in the same order, every
// length limited.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace negzero::base {

/// Appends numbers least significant byte first, whatever the machine.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  void i64(std::int64_t value) { number(static_cast<std::uint64_t>(value), 8); }
  /// Its length as u32, then the bytes.
  void text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }
  std::string bytes_;
};

/// Reads what a ByteWriter wrote. The first thing that does not fit spoils the reader: from then on every number is 0,
/// every text empty, and ok() is false. So a reader of a message asks once, at its end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::int64_t i64() { return static_cast<std::int64_t>(number(8)); }
  /// A number that must be at most `most`: a length, an enumerator.
  std::uint64_t at_most(std::uint64_t value, std::uint64_t most) {
    if (value > most) spoil();
    return ok_ ? value : 0;
  }
  /// A text of at most `most` bytes; it points into the bytes that are read.
  std::string_view text(std::uint32_t most) {
    const auto size = static_cast<std::size_t>(at_most(u32(), most));
    if (size > rest_.size()) spoil();
    if (!ok_) return {};
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  void spoil() { ok_ = false; }
  [[nodiscard]] bool ok() const { return ok_; }
  /// Whether more bytes follow; false after what does not fit.
  [[nodiscard]] bool has_more() const { return ok_ && !rest_.empty(); }
  /// Whether everything was read, and all of it fitted.
  [[nodiscard]] bool is_complete() const { return ok_ && rest_.empty(); }

 private:
  std::uint64_t number(std::size_t size) {
    if (size > rest_.size()) spoil();
    if (!ok_) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(size);
    return value;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace negzero::base

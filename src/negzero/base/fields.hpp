// The fields of a message, described once for both directions: a description shows each of them, in order, to what
// writes or reads their bytes (bytes.hpp).
//
//   void fields(auto& wire, base::Message<Point> auto& point) {
//     wire.number(point.x);
//     wire.text(point.name, kMostName);
//   }

#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <negzero/base/bytes.hpp>

namespace negzero::base {

/// A message that is written, which is const, or read.
template <typename T, typename Plain>
concept Message = std::same_as<std::remove_const_t<T>, Plain>;

/// Writes the fields that it is shown. Limits are the reader's affair.
class FieldWriter {
 public:
  static constexpr bool kReads = false;

  void number(std::uint32_t value) { to_.u32(value); }
  void number(std::uint64_t value) { to_.u64(value); }
  void number(std::int64_t value) { to_.i64(value); }
  void number(double value) { to_.u64(std::bit_cast<std::uint64_t>(value)); }
  /// A number of at most `most`, as u32.
  void number(int value, std::uint32_t) { to_.u32(static_cast<std::uint32_t>(value)); }
  /// An enumerator or a small number, at most `most`.
  template <typename T>
  void byte(const T& value, std::type_identity_t<T>) {
    to_.u8(static_cast<std::uint8_t>(value));
  }
  /// Flags in a byte, the first in its lowest bit.
  void bits(std::same_as<bool> auto... flags) {
    unsigned byte = 0, bit = 1;
    ((byte |= flags ? bit : 0, bit <<= 1), ...);
    to_.u8(static_cast<std::uint8_t>(byte));
  }
  void text(std::string_view value, std::uint32_t) { to_.text(value); }
  /// Whether there is one, then what `show` shows of it.
  template <typename T>
  void optional(const std::optional<T>& value, auto show) {
    bits(value.has_value());
    if (value) show(*value);
  }
  /// Their number as u32, at most `most`, then what `show` shows of each.
  template <typename T>
  void list(const std::vector<T>& values, std::uint64_t, auto show) {
    to_.u32(static_cast<std::uint32_t>(values.size()));
    for (const T& value : values) show(value);
  }
  /// The same by names of at most `most_name` bytes.
  void map(const auto& values, std::uint64_t, std::uint32_t, auto show) {
    to_.u32(static_cast<std::uint32_t>(values.size()));
    for (const auto& [name, value] : values) {
      to_.text(name);
      show(value);
    }
  }
  /// What a reader refuses the message without.
  void require(bool) {}

  [[nodiscard]] std::string take() { return to_.take(); }

 private:
  ByteWriter to_;
};

/// Reads what a FieldWriter wrote by the same description. What does not fit spoils it (ByteReader).
class FieldReader {
 public:
  static constexpr bool kReads = true;

  explicit FieldReader(std::string_view bytes) : from_(bytes) {}
  void number(std::uint32_t& value) { value = from_.u32(); }
  void number(std::uint64_t& value) { value = from_.u64(); }
  void number(std::int64_t& value) { value = from_.i64(); }
  void number(double& value) { value = std::bit_cast<double>(from_.u64()); }
  void number(int& value, std::uint32_t most) { value = static_cast<int>(from_.at_most(from_.u32(), most)); }
  template <typename T>
  void byte(T& value, std::type_identity_t<T> most) {
    value = static_cast<T>(from_.at_most(from_.u8(), static_cast<std::uint64_t>(most)));
  }
  void bits(std::same_as<bool> auto&... flags) {
    const std::uint64_t byte = from_.at_most(from_.u8(), (1u << sizeof...(flags)) - 1);
    unsigned bit = 1;
    ((flags = (byte & bit) != 0, bit <<= 1), ...);
  }
  void text(std::string& value, std::uint32_t most) { value = from_.text(most); }
  template <typename T>
  void optional(std::optional<T>& value, auto show) {
    bool is_there = false;
    bits(is_there);
    if (is_there) show(value.emplace());
  }
  template <typename T>
  void list(std::vector<T>& values, std::uint64_t most, auto show) {
    const std::uint64_t size = from_.at_most(from_.u32(), most);
    for (std::uint64_t i = 0; i < size && from_.ok(); ++i) show(values.emplace_back());
  }
  void map(auto& values, std::uint64_t most, std::uint32_t most_name, auto show) {
    const std::uint64_t size = from_.at_most(from_.u32(), most);
    for (std::uint64_t i = 0; i < size && from_.ok(); ++i) show(values[std::string(from_.text(most_name))]);
  }
  void require(bool holds) {
    if (!holds) from_.spoil();
  }

  [[nodiscard]] bool is_complete() const { return from_.is_complete(); }

 private:
  ByteReader from_;
};

}  // namespace negzero::base

// Memory of one buffer between two guard zones, all of it poisoned before a launch and compared after it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/protocol/launch_plan.hpp>

namespace negzero::protocol {

/// Bytes of data and both of its zones.
[[nodiscard]] constexpr std::size_t guarded_bytes(std::size_t size_bytes) noexcept {
  return size_bytes + 2 * kGuardBytes;
}

/// More than any machine has: a request for more (a negative size, say) is refused before zones are added to it.
inline constexpr std::size_t kMostBufferBytes = std::size_t{1} << 38;

/// Eight bytes of poison of a format, as they lie at the start of the data.
[[nodiscard]] std::uint64_t poison_pattern(operation::Poison poison, const number::Format& format) noexcept;

/// The same of inputs, by input_poison_word(): what a kernel reads past an input and writes past an output is seen
/// there.
[[nodiscard]] std::uint64_t input_poison_pattern(operation::Poison poison, const number::Format& format) noexcept;

/// Repeats a pattern over `memory`, at least eight bytes.
void fill_pattern(std::span<std::byte> memory, std::uint64_t pattern) noexcept;

/// [guard][data][guard] in memory that another object owns. Both guards and the data hold one pattern, over and over
/// from the start of the data on, so that a kernel that reads past its data finds elements of the format there.
class GuardedRegion {
 public:
  GuardedRegion() = default;
  /// Requires kGuardBytes of memory before `data` and behind data + size_bytes. Writes nothing.
  GuardedRegion(std::byte* data, std::size_t size_bytes, std::uint64_t pattern)
      : start_(data), size_(size_bytes), pattern_(pattern) {}

  /// Fills data and guards with the pattern.
  void poison() noexcept;
  [[nodiscard]] std::span<std::byte> data() const noexcept { return {start_, size_}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_; }
  /// Byte offset (from the start of data, so negative in the front guard) of the first byte that changed in a guard
  /// zone, or nothing. Requires that poison() was called here, or on the memory this is a copy of.
  [[nodiscard]] std::optional<std::ptrdiff_t> guard_damage() const noexcept;
  /// Byte offset of the first byte of data that differs from `before`, or nothing.
  [[nodiscard]] std::optional<std::ptrdiff_t> difference(const std::byte* before) const noexcept;

 private:
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t pattern_ = 0;
};

}  // namespace negzero::protocol

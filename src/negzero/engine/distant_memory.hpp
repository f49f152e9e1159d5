// Addresses without memory behind most of them: few elements of a tensor that lie gigabytes apart.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace negzero::engine {

/// An access to reserved addresses that are no memory, as the handler of the signal leaves it: three numbers, for
/// memory that another process reads. Such an access ends the process.
struct DistantFault {
  std::uint64_t kind = 0;         ///< 0: none; 1: a read; 2: a write
  std::uint64_t reservation = 0;  ///< its number
  std::int64_t byte = 0;          ///< counted from the address that the reservation is for
};

/// Reservations of addresses, of which parts are opened for a launch.
///
///   reserved   |... before ...|base ....[part]............[part]............|      what is no part is no memory:
///                              ^ what buffers begin at                             an access faults
///
/// A reservation stays for the process, and serves one launch after another. Used from one thread at a time.
class DistantMemory {
 public:
  /// Reservations of `size_bytes` each, a multiple of a page, with their bases `before_bytes` from their starts.
  DistantMemory(std::size_t size_bytes, std::size_t before_bytes)
      : size_bytes_(size_bytes), before_bytes_(before_bytes) {}
  ~DistantMemory();
  DistantMemory(const DistantMemory&) = delete;
  DistantMemory& operator=(const DistantMemory&) = delete;

  static constexpr std::size_t kMost = 24;

  /// The base of reservation `number`, below kMost, which is made where it is not there yet. Null where the system has
  /// no such room. Installs the handler of faults.
  [[nodiscard]] std::byte* base(std::size_t number);
  /// Opens the pages that hold [begin, begin + size_bytes) of a reservation, and returns them: zeros. Empty where the
  /// system refuses.
  [[nodiscard]] std::span<std::byte> open(std::byte* begin, std::size_t size_bytes);
  /// Takes back all that was opened, with its memory.
  void close() noexcept;
  /// Bytes of a reservation, and how many of them lie before its base.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] std::size_t before_bytes() const noexcept { return before_bytes_; }
  /// Where faults are noted from now on; null: nowhere. Not owned.
  void show(DistantFault* fault) noexcept;

 private:
  std::size_t size_bytes_, before_bytes_;
  std::array<std::byte*, kMost> starts_{};
  std::vector<std::span<std::byte>> opened_;
};

/// For the signal handler: notes a fault in a reservation. Async-signal-safe.
void note_distant_fault(const std::byte* address, bool is_write) noexcept;

}  // namespace negzero::engine

// The shared memory of one block: an arena with guard zones, filled with poison.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/engine/current.hpp>

namespace negzero::engine {

/// Shared memory that one block of sm_90 may use: 227 KiB (CUDA C++ Programming Guide 13, table of compute
/// capabilities).
inline constexpr std::size_t kMaxSharedBytes = 227 * 1024;

class SharedArena {
 public:
  SharedArena() = default;
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;
  ~SharedArena();

  /// Starts a block: forgets all arrays and lays out `dynamic_bytes` of poisoned dynamic shared memory, 1024-byte
  /// aligned. Requires dynamic_bytes <= kMaxSharedBytes.
  void begin_block(std::size_t dynamic_bytes, std::uint8_t poison);

  /// Places an array after the others. Returns null when the block's total would exceed kMaxSharedBytes or the number
  /// of arrays SharedTable::kCapacity.
  [[nodiscard]] std::byte* allocate(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment);

  /// Returns the index of an array beside which a guard zone was overwritten (count() for dynamic shared memory), or
  /// -1. Always -1 under the address sanitizer, which stops at the access itself.
  [[nodiscard]] int overrun() const;

  [[nodiscard]] SharedTable& table() noexcept { return table_; }
  [[nodiscard]] const SharedTable& table() const noexcept { return table_; }
  [[nodiscard]] std::size_t used_bytes() const noexcept { return used_bytes_; }

 private:
  void guard(std::byte* end);

  std::byte* memory_ = nullptr;
  std::byte* next_ = nullptr;   ///< first byte after the last guard zone
  std::size_t used_bytes_ = 0;  ///< arrays alone
  std::size_t dynamic_bytes_ = 0;
  std::uint8_t poison_ = 0;
  SharedTable table_;
};

}  // namespace negzero::engine

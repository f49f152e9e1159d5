// Addresses of a GPU without memory behind most of them, by the virtual memory of the driver.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <negzero/device/error.hpp>

namespace negzero::device {

/// A reservation of addresses of the current GPU, of which parts are mapped to memory. An access to what is not is an
/// illegal address, which ends the use of the GPU by this process.
///
/// CUDA Driver API, "Virtual Memory Management": cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess.
class Addresses {
 public:
  Addresses() = default;
  ~Addresses();
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;

  /// Reserves so many addresses, if none are yet. kNotSupported where driver or GPU has no such memory.
  [[nodiscard]] Answer reserve(std::size_t size_bytes);
  /// The bytes of a page of that memory, 2 MiB as a rule. Requires reserve().
  [[nodiscard]] std::size_t page_bytes() const noexcept { return page_bytes_; }
  /// Maps memory at bytes [begin, end) of the reservation, whole pages of which none is mapped yet.
  [[nodiscard]] Answer map(std::size_t begin, std::size_t end);
  /// Unmaps all that is mapped, and gives its memory back. Requires that nothing enqueued uses it.
  void unmap() noexcept;
  /// The first address.
  [[nodiscard]] std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(begin_); }

 private:
  struct Mapped {
    std::size_t begin, size_bytes;
    unsigned long long memory;  ///< a CUmemGenericAllocationHandle
  };
  std::uintptr_t begin_ = 0;
  std::size_t size_bytes_ = 0, page_bytes_ = 0;
  [[maybe_unused]] int gpu_ = 0;
  std::vector<Mapped> mapped_;
};

}  // namespace negzero::device

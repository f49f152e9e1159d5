// Device memory that launchers allocate for themselves: what cudaMalloc gives on the host.

#pragma once

#include <cstddef>
#include <cstdint>

namespace negzero::engine {

struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;  ///< 0: there is none
};

/// Memory of that size that begins as poison, 256-byte aligned; null where there is none or nothing is asked for.
[[nodiscard]] void* allocate_device_memory(std::size_t size_bytes);
/// Gives memory of allocate_device_memory() back; null is nothing.
void free_device_memory(void* memory);
/// The allocation that holds an address. Safe to call while a launch runs: launchers are not running then.
[[nodiscard]] Allocation allocation_of(std::uintptr_t address);

}  // namespace negzero::engine

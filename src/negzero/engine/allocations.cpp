// A list of what launchers have allocated, so that the watch knows it.

#include <cstdlib>
#include <cstring>
#include <map>

#include <negzero/engine/allocations.hpp>

namespace negzero::engine {
namespace {

std::map<std::uintptr_t, std::size_t>& sizes() {
  static std::map<std::uintptr_t, std::size_t> all;
  return all;
}

}  // namespace

void* allocate_device_memory(std::size_t size_bytes) {
  constexpr std::size_t kAlignment = 256;
  if (size_bytes == 0 || size_bytes > SIZE_MAX - kAlignment) return nullptr;
  void* const memory = std::aligned_alloc(kAlignment, (size_bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0xff, size_bytes);
  sizes()[reinterpret_cast<std::uintptr_t>(memory)] = size_bytes;
  return memory;
}

void free_device_memory(void* memory) {
  sizes().erase(reinterpret_cast<std::uintptr_t>(memory));
  std::free(memory);
}

Allocation allocation_of(std::uintptr_t address) {
  auto next = sizes().upper_bound(address);
  if (next == sizes().begin()) return {};
  const auto [begin, size_bytes] = *--next;
  return address - begin < size_bytes ? Allocation{begin, size_bytes} : Allocation{};
}

}  // namespace negzero::engine

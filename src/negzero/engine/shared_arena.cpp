// The shared memory of one block.
//
//   | guard | dynamic, 1024-byte aligned | guard | array 0 | guard | array 1 | guard | ... unused
//
// A guard is at least kGuardBytes long. Under the address sanitizer guards and the unused rest are poisoned redzones;
// in other builds they hold a pattern that is compared when the block ends.

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include <negzero/engine/no_memory.hpp>
#include <negzero/engine/sanitizer.hpp>
#include <negzero/engine/shared_arena.hpp>

namespace negzero::engine {

namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr std::size_t kDynamicOffset = 1024;
// Guards and alignment never need more than this beside the arrays.
constexpr std::size_t kArenaBytes =
    kDynamicOffset + kMaxSharedBytes + (SharedTable::kCapacity + 2) * 2 * std::max<std::size_t>(kGuardBytes, 128);
constexpr unsigned char kGuardByte = 0xa5;

std::byte* align_up(std::byte* address, std::size_t alignment) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return address + ((value + alignment - 1) / alignment * alignment - value);
}

bool intact(const std::byte* guard) {
  return std::all_of(guard, guard + kGuardBytes, [](std::byte b) { return b == std::byte{kGuardByte}; });
}

}  // namespace

SharedArena::~SharedArena() {
  if (memory_ == nullptr) return;
  unpoison_memory(memory_, kArenaBytes);
  munmap(memory_, kArenaBytes);
}

void SharedArena::guard(std::byte* end) {
  if constexpr (!kAddressSanitizer) std::memset(end, kGuardByte, kGuardBytes);
  next_ = end + kGuardBytes;
}

void SharedArena::begin_block(std::size_t dynamic_bytes, std::uint8_t poison) {
  if (memory_ == nullptr) {
    void* memory =
        mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw_no_memory();
    memory_ = static_cast<std::byte*>(memory);
    table_.begin = reinterpret_cast<std::uintptr_t>(memory_);
    table_.size_bytes = kArenaBytes;
  }
  poison_memory(memory_, kArenaBytes);
  poison_ = poison;
  dynamic_bytes_ = dynamic_bytes;
  used_bytes_ = dynamic_bytes;
  table_.count = 0;
  table_.dynamic = memory_ + kDynamicOffset;
  unpoison_memory(table_.dynamic, dynamic_bytes);
  std::memset(table_.dynamic, poison, dynamic_bytes);
  guard(table_.dynamic - kGuardBytes);
  guard(table_.dynamic + dynamic_bytes);
}

std::byte* SharedArena::allocate(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment) {
  if (table_.count == SharedTable::kCapacity || size_bytes > kMaxSharedBytes - used_bytes_) return nullptr;
  std::byte* address = align_up(next_, std::max<std::size_t>(alignment, 16));
  if (address + size_bytes + kGuardBytes > memory_ + kArenaBytes) return nullptr;
  used_bytes_ += size_bytes;
  unpoison_memory(address, size_bytes);
  std::memset(address, poison_, size_bytes);
  guard(address + size_bytes);
  table_.entries[table_.count++] = {&tag, address, size_bytes};
  return address;
}

int SharedArena::overrun() const {
  if constexpr (kAddressSanitizer) return -1;
  if (!intact(table_.dynamic - kGuardBytes) || !intact(table_.dynamic + dynamic_bytes_)) {
    return static_cast<int>(table_.count);
  }
  for (std::size_t i = 0; i < table_.count; ++i) {
    if (!intact(table_.entries[i].address + table_.entries[i].size_bytes)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace negzero::engine

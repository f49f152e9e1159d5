// Stacks for fibers: slabs of address space whose pages appear when they are touched.

#include <cstdint>
#include <new>

#include <sys/mman.h>

#include <negzero/engine/no_memory.hpp>
#include <negzero/engine/sanitizer.hpp>
#include <negzero/engine/stack_pool.hpp>

namespace negzero::engine {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStacksPerSlab = 64;
// A guard that is a mapping costs two of the 65,530 that Linux gives a process (vm.max_map_count).
constexpr std::size_t kGuardedSlabs = 256;
// CUDA gives a thread up to 512 KiB of local memory. Pages that are not touched cost nothing but addresses. The address
// sanitizer's redzones make frames several times larger. An odd number of pages: at a power of two the pages in use
// would share a few sets of the second-level cache and of the TLB (barriers of 1024 threads: 1.15 times slower).
constexpr std::size_t kStackBytes = (kAddressSanitizer ? 257u : 145u) * kPage;
// All fibers of a block stop at the same depth. Without a shift their hot lines would share a few sets of each cache.
constexpr std::size_t kColourStep = 320;

/// Makes a page at which a stack that overflows faults. Without one an overflow would hit the neighbour: that is all
/// that a failure costs.
void guard(std::byte* page, bool may_map) {
  // Linux 6.13 has guards that are no mappings: a third of the time, and as many as one likes.
  constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL
  static const bool has_guards = ::madvise(page, kPage, kGuardInstall) == 0;
  if (has_guards && ::madvise(page, kPage, kGuardInstall) == 0) return;
  if (may_map) ::mprotect(page, kPage, PROT_NONE);
}

}  // namespace

StackPool::~StackPool() {
  // exit() in a kernel runs here on one of these stacks.
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  for (const Slab& slab : slabs_) {
    if (here - reinterpret_cast<std::uintptr_t>(slab.address) < slab.size_bytes) continue;
    unpoison_memory(slab.address, slab.size_bytes);
    munmap(slab.address, slab.size_bytes);
  }
}

void StackPool::grow() {
  if (!try_to_grow()) throw_no_memory();
}

bool StackPool::reserve(std::size_t count) {
  while (slabs_.size() * kStacksPerSlab < count) {
    if (!try_to_grow()) return false;
  }
  return true;
}

bool StackPool::try_to_grow() {
  const std::size_t bytes = kStacksPerSlab * kStackBytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  // A huge page under stacks of which each uses a few small ones would be memory for nothing.
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  Slab slab{static_cast<std::byte*>(memory), bytes, std::make_unique<Stack[]>(kStacksPerSlab)};
  free_.reserve((slabs_.size() + 1) * kStacksPerSlab);
  for (std::size_t i = kStacksPerSlab; i-- > 0;) {
    std::byte* bottom = slab.address + i * kStackBytes;
    guard(bottom, i == 0 || slabs_.size() < kGuardedSlabs);
    const std::size_t colour = (i * kColourStep) % kPage / 64 * 64;
    slab.stacks[i] = {bottom + kPage, kStackBytes - kPage - colour};
    free_.push_back(&slab.stacks[i]);
  }
  slabs_.push_back(std::move(slab));
  return true;
}

void StackPool::reclaim_all() {
  free_.clear();
  for (const Slab& slab : slabs_) {
    for (std::size_t i = kStacksPerSlab; i-- > 0;) {
      unpoison_memory(slab.stacks[i].bottom, slab.stacks[i].size_bytes);
      free_.push_back(&slab.stacks[i]);
    }
  }
}

}  // namespace negzero::engine

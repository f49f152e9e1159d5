// Addresses without memory behind most of them.

#include <atomic>

#include <sys/mman.h>
#include <unistd.h>

#include <negzero/engine/device_memory.hpp>
#include <negzero/engine/distant_memory.hpp>
#include <negzero/engine/runtime_calls.hpp>

namespace negzero::engine {

namespace {

/// What the handler of signals knows of reservations: those of the object that was used last.
struct Known {
  std::atomic<std::uintptr_t> starts[DistantMemory::kMost]{};
  std::atomic<std::size_t> size_bytes = 0, before_bytes = 0;
  std::atomic<DistantFault*> fault = nullptr;
};
constinit Known known;

}  // namespace

DistantMemory::~DistantMemory() {
  close();
  for (std::size_t i = 0; i < kMost; ++i) {
    if (starts_[i] == nullptr) continue;
    auto start = reinterpret_cast<std::uintptr_t>(starts_[i]);
    known.starts[i].compare_exchange_strong(start, 0);
    unmap_device_memory(starts_[i], size_bytes_);
  }
}

std::byte* DistantMemory::base(std::size_t number) {
  std::byte*& start = starts_[number];
  if (start == nullptr) start = reserve_device_memory(size_bytes_);
  if (start == nullptr) return nullptr;
  known.size_bytes = size_bytes_;
  known.before_bytes = before_bytes_;
  known.starts[number] = reinterpret_cast<std::uintptr_t>(start);
  catch_faults();
  return start + before_bytes_;
}

std::span<std::byte> DistantMemory::open(std::byte* begin, std::size_t size_bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(begin) + size_bytes + page - 1) / page * page;
  const std::span<std::byte> pages(reinterpret_cast<std::byte*>(first), end - first);
  if (protect_device_memory(pages.data(), pages.size(), PROT_READ | PROT_WRITE) != 0) return {};
  opened_.push_back(pages);
  return pages;
}

void DistantMemory::close() noexcept {
  for (const std::span<std::byte> pages : opened_) {
    advise_device_memory(pages.data(), pages.size(), MADV_DONTNEED);
    protect_device_memory(pages.data(), pages.size(), PROT_NONE);
  }
  opened_.clear();
}

void DistantMemory::show(DistantFault* fault) noexcept { known.fault = fault; }

void note_distant_fault(const std::byte* address, bool is_write) noexcept {
  DistantFault* const fault = known.fault;
  if (fault == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < DistantMemory::kMost; ++i) {
    const std::uintptr_t start = known.starts[i];
    if (start == 0 || at - start >= known.size_bytes) continue;
    fault->reservation = i;
    fault->byte = static_cast<std::int64_t>(at - start - known.before_bytes);
    fault->kind = is_write ? 2 : 1;
    return;
  }
}

}  // namespace negzero::engine

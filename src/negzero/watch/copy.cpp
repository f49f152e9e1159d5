// Copies of memory, and structs with padding: bytes that are moved but never used need not have been written.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <negzero/watch/access.hpp>

namespace negzero::watch {

namespace {

/// The largest alignment that a struct with padding can have which is copied by one access of that place and size.
///
/// Its size is a multiple of its alignment and holds at least two members' worth of it (System V psABI 3.1.2), or it
/// would have no padding; CUDA's own vectors have the largest alignment, 16.
constexpr std::size_t largest_alignment(std::uintptr_t address, std::size_t size_bytes) {
  std::size_t alignment = 16;
  while (alignment > 1 && (alignment * 2 > size_bytes || (address | size_bytes) % alignment != 0)) alignment /= 2;
  return alignment;
}

}  // namespace

bool WatchState::is_padding(const Shadow& shadow, std::size_t cell, std::uintptr_t address,
                            std::size_t size_bytes) noexcept {
  if ((shadow.flags[cell] & Shadow::kRead) == 0) return false;
  // Padding comes before a member, up to its alignment, or at the end, up to that of the struct: always within one
  // aligned word, and behind a member that begins it.
  const std::uintptr_t byte = std::max(shadow.begin + (cell << shadow.shift), address);
  const std::uintptr_t word = byte & ~(largest_alignment(address, size_bytes) - 1);
  if (word < address) return false;
  constexpr std::uint8_t kWritten = Shadow::kRead | Shadow::kInitialised;
  return (shadow.flags[(word - shadow.begin) >> shadow.shift] & kWritten) == kWritten;
}

void WatchState::copy(std::uintptr_t to, std::uintptr_t from, std::size_t size_bytes, const void* site) {
  access<AccessKind::Read, Reading::Copy>(from, size_bytes, site);
  // A write of an overlapping place comes later, and so may other threads.
  struct Missing {
    std::size_t first, count;
    bool padding;
  };
  std::vector<Missing> missing;
  const auto collect = [&] {
    const Paused paused;
    const Shadow* const source = find(from);
    if (source == nullptr) return;
    const std::size_t cell_bytes = std::size_t{1} << source->shift;
    for (std::size_t i = 0; i < size_bytes; i += cell_bytes) {
      const std::size_t cell = (from - source->begin + i) >> source->shift;
      if ((source->flags[cell] & Shadow::kInitialised) == 0) {
        missing.push_back({i, cell_bytes, is_padding(*source, cell, from, size_bytes)});
      }
    }
  };
  collect();
  access<AccessKind::Write>(to, size_bytes, site);
  if (missing.empty()) return;
  Shadow* const target = find(to);
  for (const Missing& bytes : missing) {
    if (target != nullptr) {
      const Paused paused;
      const std::size_t first = to - target->begin + bytes.first;
      target->refine(static_cast<unsigned>(std::countr_zero(first | bytes.count)), crowds, launch_start_);
      for (std::size_t i = first >> target->shift; i < (first + bytes.count) >> target->shift; ++i) {
        target->flags[i] &= static_cast<std::uint8_t>(~Shadow::kInitialised);
      }
    } else if (!bytes.padding) {
      // A thread's own memory has no shadow to carry this on.
      const Shadow& source = *find(from);
      refuse(source, (from - source.begin + bytes.first) >> source.shift, from, size_bytes, AccessKind::Read, site);
    }
  }
}

}  // namespace negzero::watch

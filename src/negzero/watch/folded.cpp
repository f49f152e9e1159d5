// Reads that g++ may have made of two: which bytes the source reads is unknown, so they are wrong if all bytes are.
//
// g++ makes one load of the integers of `h->full == 1 && h->kind == 2` where they lie side by side in a struct that
// is aligned (fold_truth_andor in fold-const.cc, from -O1 on; no flag stops it), although the source reads the second
// only if the first matches. The load is as wide as a register can be, 2, 4 or 8 bytes, at a multiple of its size, and
// takes members around the two with it. It comes before the instrumentation, which reports it as any load of that size.
// clang does not do it.

#include <algorithm>
#include <cstdint>

#include <negzero/watch/state.hpp>

namespace negzero::watch {

namespace {

bool is_written(std::uint8_t flags) {
  constexpr std::uint8_t kWritten = Shadow::kRead | Shadow::kInitialised;
  return (flags & kWritten) == kWritten;
}

}  // namespace

bool WatchState::is_partly_right(std::uintptr_t address, std::size_t size_bytes) {
  const Paused paused;
  const Shadow& shadow = *find(address);
  const unsigned thread = engine::current.linear_thread;
  const Actor self = block_->clocks.actor(thread);
  const auto races = [&](const Stamp& stamp, std::uint32_t since) {
    return conflict(stamp.kind(), AccessKind::Read) && !ordered(stamp, since, thread, self);
  };
  const auto is_right = [&](const Cell& cell) {
    if (!ordered(cell.write, shadow.since, thread, self)) return false;
    if (cell.other.time < shadow.since) return true;
    if (cell.other.site != Cell::kCrowd) return !races(cell.other, shadow.since);
    const Crowd& crowd = crowds[cell.other.actor];
    return crowd.reads_only ||
           std::ranges::none_of(crowd.list, [&](const Stamp& stamp) { return races(stamp, launch_start_); });
  };
  const std::size_t end = (address + size_bytes - shadow.begin) >> shadow.shift;
  for (std::size_t i = (address - shadow.begin) >> shadow.shift; i < end; ++i) {
    if (is_written(shadow.flags[i]) && (!shadow.tracked || is_right(shadow.cells[i]))) return true;
  }
  return false;
}

bool WatchState::was_partly_right(const Cell& cell, const Stamp& read, const Stamp& self, std::uintptr_t address,
                                  std::size_t size_bytes) {
  const Paused paused;
  const Shadow& shadow = *find(address);
  const std::uintptr_t at = shadow.begin + (static_cast<std::size_t>(&cell - shadow.cells.data()) << shadow.shift);
  const std::uintptr_t begin = at & ~std::uintptr_t{read.size_bytes() - 1};
  for (std::uintptr_t byte = begin; byte < begin + read.size_bytes(); ++byte) {
    const std::size_t i = (byte - shadow.begin) >> shadow.shift;
    // What this thread has written a moment ago is as little ordered with the read as what it writes now: so the
    // members of a struct, one after another, are all of a read of the whole.
    const Stamp& write = shadow.cells[i].write;
    const bool races = byte - address < size_bytes || (write.actor == self.actor && write.time == self.time);
    if (!races && is_written(shadow.flags[i])) return true;
  }
  return false;
}

}  // namespace negzero::watch

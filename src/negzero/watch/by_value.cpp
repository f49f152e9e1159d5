// Races of lanes that have met in a warp function between their accesses: a warning, for the function orders no memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <negzero/watch/state.hpp>

namespace negzero::watch {

namespace {

/// Pairs of instructions that are kept: an unrolled loop has many of few lines.
constexpr std::size_t kMostPairs = 64;

}  // namespace

bool WatchState::met(std::uintptr_t address, std::size_t size_bytes, const Stamp& self, const Stamp& other) {
  if (!block_->clocks.has_met(self.actor & 1023u, other.actor, other.time)) return false;
  const auto is_same = [&](const Raw& known) {
    const void* const access = known.access.address();
    const void* const before = known.other->address();
    return (access == self.address() && before == other.address()) ||
           (access == other.address() && before == self.address());
  };
  if (by_value.size() >= kMostPairs || std::ranges::any_of(by_value, is_same)) return true;
  const Paused paused;
  by_value.push_back({FindingKind::Race,
                      shared_byte(address, size_bytes, other),
                      self,
                      static_cast<unsigned>(size_bytes),
                      other,
                      where(shared_byte(address, size_bytes, other), 1),
                      {}});
  return true;
}

void WatchState::keep_write(Cell& cell, std::uint32_t since) {
  const Paused paused;
  Stamp& other = cell.other;
  if (other.time < since) {
    if (other.site == Cell::kCrowd && other.time >= launch_start_) crowds.give(other.actor);
    other = cell.write;
    return;
  }
  if (other.site != Cell::kCrowd) {
    const Stamp first = other;
    other = {crowds.take(), first.time, Cell::kCrowd};
    crowds[other.actor].begin_list(first);
  }
  Crowd& crowd = crowds[other.actor];
  crowd.expand();
  crowd.list.insert(crowd.list.begin(), cell.write);
  crowd.reads_only = false;
  crowd.mixed = crowd.mixed || crowd.block != cell.write.actor >> 10;
  crowd.examine();
  other.time = std::max(other.time, cell.write.time);
}

}  // namespace negzero::watch

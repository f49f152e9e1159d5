// The path of every watched access, inline: bounds, rights and races.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <negzero/watch/state.hpp>

namespace negzero::watch {

template <AccessKind kKind>
inline __attribute__((always_inline)) void WatchState::track(Cell& cell, std::uint32_t since, const Stamp& self,
                                                             unsigned thread, std::uintptr_t address,
                                                             std::size_t size_bytes) {
  if (!ordered(cell.write, since, thread, self.actor)) [[unlikely]] {
    if constexpr (kKind == AccessKind::Write) {
      if (met(address, size_bytes, self, cell.write)) {
        keep_write(cell, since);
      } else {
        store_again(address, size_bytes, self, cell.write);
      }
    } else if (kKind != AccessKind::Read || !self.may_be_folded() || !is_partly_right(address, size_bytes)) {
      if (!met(address, size_bytes, self, cell.write)) race(address, size_bytes, self, cell.write);
    }
  }
  Stamp& other = cell.other;
  if (other.time >= since) {
    if (other.site == Cell::kCrowd) {
      if constexpr (kKind == AccessKind::Read) {
        // Many threads of a block read what one has written: the common life of shared memory.
        Crowd& crowd = crowds[other.actor];
        if (crowd.add_if_alike(self)) return;
        if (crowd.reads_only && !crowd.mixed && crowd.block == self.actor >> 10 && !crowd.list.empty() &&
            !crowd.is_full() && other.time >= block_->clocks.floor()) {
          if (crowd.list.back().actor == self.actor) {
            crowd.list.back() = self;
          } else {
            crowd.list.push_back(self);
          }
          other.time = std::max(other.time, self.time);
          return;
        }
      }
      return track_crowd(cell, self, thread, address, size_bytes);
    }
    if (is_plain(kKind) || !observes(self, other)) {
      const bool before = ordered(other, since, thread, self.actor);
      if (!before && conflict(other.kind(), kKind)) [[unlikely]] {
        unordered(cell, address, size_bytes, self, other);
        if constexpr (kKind == AccessKind::Write) {
          // What this write is not ordered behind stays remembered.
          if (block_->clocks.has_met(thread, other.actor, other.time)) {
            cell.write = self;
            return;
          }
        }
      }
      if constexpr (kKind != AccessKind::Write) {
        if ((!before || !covers(kKind, other.kind())) && !confirms<kKind>(self, other)) {
          return track_crowd(cell, self, thread, address, size_bytes);
        }
      }
    }
  } else if (other.site == Cell::kCrowd && other.time >= launch_start_) {
    crowds.give(other.actor);
  }
  if constexpr (kKind == AccessKind::Write) {
    cell.write = self;
    other.time = 0;
  } else {
    other = self;
  }
}

inline __attribute__((always_inline)) bool WatchState::reads_input(std::uintptr_t address,
                                                                   std::size_t size_bytes) noexcept {
  if (countdown_ == 1 || address - block_->shared.begin < block_->shared.size_bytes) return false;
  for (const Span& span : spans_) {
    const std::size_t offset = address - span.begin;
    if (offset >= span.size_bytes) continue;
    const Shadow& shadow = *span.shadow;
    if (shadow.tracked || offset + size_bytes > span.size_bytes ||
        ((offset | size_bytes) & ((1u << shadow.shift) - 1)) != 0) {
      return false;
    }
    const std::uint8_t* const flags = shadow.flags.data() + (offset >> shadow.shift);
    constexpr std::uint8_t kNeeds = Shadow::kRead | Shadow::kInitialised;
    for (std::size_t i = 0; i < size_bytes >> shadow.shift; ++i) {
      if ((flags[i] & kNeeds) != kNeeds) return false;
    }
    --countdown_;
    return true;
  }
  return false;
}

template <AccessKind kKind, Reading kReading>
inline __attribute__((always_inline)) void WatchState::access(std::uintptr_t address, std::size_t size_bytes,
                                                              const void* site) {
  Shadow* shadow = find(address);
  if (shadow == nullptr) [[unlikely]] {
    shadow = other_memory(address, size_bytes, kKind, site);
    if (shadow == nullptr) return;
  }
  // Another thread that runs in between may swap something else.
  const std::uint64_t changes = kKind == AccessKind::AtomicCompare ? swap_changes_ : 0;
  if (--countdown_ == 0) preempt();
  const std::uintptr_t whole = address;
  std::size_t offset = address - shadow->begin;
  if (offset + size_bytes > shadow->size_bytes) [[unlikely]] {
    if (!may_overhang(*shadow, address, size_bytes, kKind, changes, site)) {
      out_of_bounds(address, size_bytes, kKind, site);
    }
  }
  if (((offset | size_bytes) & ((1u << shadow->shift) - 1)) != 0) [[unlikely]] {
    shadow->refine(static_cast<unsigned>(std::countr_zero(offset | size_bytes)), crowds, launch_start_);
  }
  std::size_t first = offset >> shadow->shift;
  std::size_t end = first + (size_bytes >> shadow->shift);
  constexpr std::uint8_t kReads = kKind == AccessKind::Read || kKind == AccessKind::AtomicRead ||
                                          kKind == AccessKind::AtomicUpdate || kKind == AccessKind::AtomicCompare
                                      ? Shadow::kRead | (kReading == Reading::Copy ? 0 : Shadow::kInitialised)
                                      : 0;
  constexpr std::uint8_t kNeeds = kReads | (writes(kKind) ? Shadow::kWrite : 0);
  for (std::size_t i = first; i < end; ++i) {
    if ((shadow->flags[i] & kNeeds) != kNeeds) [[unlikely]] {
      const bool is_spared =
          kKind == AccessKind::Read && (is_padding(*shadow, i, address, size_bytes) ||
                                        (kReading == Reading::MaybeLess && (shadow->flags[i] & Shadow::kRead) != 0 &&
                                         is_partly_right(address, size_bytes)));
      if (is_spared) continue;
      if constexpr (kKind == AccessKind::Read || kKind == AccessKind::AtomicRead ||
                    kKind == AccessKind::AtomicCompare) {
        if (may_overhang(*shadow, address, size_bytes, kKind, changes, site)) {
          // Now of one number alone.
          offset = address - shadow->begin;
          first = offset >> shadow->shift;
          end = first + (size_bytes >> shadow->shift);
          i = first - 1;
          continue;
        }
      }
      refuse(*shadow, i, address, size_bytes, kKind, site);
    }
  }
  if (!shadow->tracked) return;
  const unsigned thread = engine::current.linear_thread;
  if constexpr (!is_plain(kKind)) {
    if (block_->unconfirmed_count != 0) [[unlikely]] {
      // A volatile read may be the first look at a word that the swap behind it confirms.
      if (kKind != AccessKind::AtomicRead || !awaits(thread, whole)) {
        settle(thread, address, kKind == AccessKind::AtomicCompare ? size_bytes : 0,
               kKind == AccessKind::AtomicCompare ? whole : 0);
      }
    }
  }
  Stamp self = stamp(thread, size_bytes, kKind, site);
  if constexpr (kReading == Reading::MaybeLess) self.site |= Stamp::kMayBeFolded;
  for (std::size_t i = first; i < end; ++i) {
    track<kKind>(shadow->cells[i], shadow->since, self, thread, address, size_bytes);
    if constexpr (writes(kKind)) shadow->flags[i] |= Shadow::kInitialised;
  }
  if constexpr (!is_plain(kKind)) {
    if (fences_used_) synchronise(kKind, address, thread);
    block_->clocks.step(thread);
  }
}

}  // namespace negzero::watch

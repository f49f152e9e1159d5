// Plain reads that a compare and swap confirms: the first read of the CUDA guide's own loop.

#include <algorithm>

#include <negzero/watch/state.hpp>

namespace negzero::watch {

namespace {

/// The largest compare and swap.
constexpr unsigned kMaxConfirmed = 8;

}  // namespace

void WatchState::unordered(const Cell& cell, std::uintptr_t address, std::size_t size_bytes, const Stamp& self,
                           const Stamp& other) {
  const bool self_reads = self.kind() == AccessKind::Read;
  const Stamp& read = self_reads ? self : other;
  const Stamp& peer = self_reads ? other : self;
  if (read.may_be_folded() &&
      (self_reads ? is_partly_right(address, size_bytes) : was_partly_right(cell, read, self, address, size_bytes))) {
    return;
  }
  if (met(address, size_bytes, self, other)) return;
  if (self.kind() == AccessKind::Write && other.kind() == AccessKind::Write) {
    return store_again(address, size_bytes, self, other);
  }
  const unsigned size = read.size_bytes();
  if (read.kind() != AccessKind::Read || is_plain(peer.kind()) || size > kMaxConfirmed) {
    race(address, size_bytes, self, other);
  }
  const Paused paused;
  // Every atomic, barrier, warp operation and fence steps the time of its thread, and so does its end: a read of the
  // time that its thread still has may be confirmed by what that thread does next. Blocks of earlier launches, which
  // are kept for their memory, have older times only.
  const unsigned thread = read.actor & 1023u;
  const auto reads_now = [&read, thread](const BlockWatch& block) {
    return block.clocks.block() == read.actor >> 10 && thread < block.clocks.threads() &&
           block.clocks.time(thread) == read.time;
  };
  BlockWatch* block = block_;
  if (!reads_now(*block)) {
    const auto found = std::ranges::find_if(blocks_, [&](const auto& resident) { return reads_now(*resident); });
    if (found == blocks_.end()) race(address, size_bytes, self, other);
    block = found->get();
  }

  const Shadow& shadow = *find(address);
  const std::uintptr_t at = shadow.begin + (static_cast<std::size_t>(&cell - shadow.cells.data()) << shadow.shift);
  const std::uintptr_t begin = at & ~std::uintptr_t{size - 1};
  if (block->unconfirmed.empty()) block->unconfirmed.resize(block->clocks.threads());
  Unconfirmed& waiting = block->unconfirmed[thread];
  if (waiting.begin != waiting.end) {
    // Reads of two places become one range that no compare and swap covers.
    waiting.begin = std::min(waiting.begin, begin);
    waiting.end = std::max(waiting.end, begin + size);
    return;
  }
  waiting = {begin, begin + size, address, static_cast<unsigned>(size_bytes), self, other};
  ++block->unconfirmed_count;
}

void WatchState::settle(unsigned thread, std::uintptr_t address, std::size_t size_bytes, std::uintptr_t word) {
  settle_overhang(thread, word);
  if (block_->unconfirmed.empty()) return;
  Unconfirmed& waiting = block_->unconfirmed[thread];
  if (waiting.begin == waiting.end) return;
  if (address > waiting.begin || waiting.end > address + size_bytes) {
    race(waiting.address, waiting.size_bytes, waiting.access, waiting.other);
  }
  waiting = {};
  --block_->unconfirmed_count;
}

}  // namespace negzero::watch

// The word around a 16-bit number at the end of a region, of which 2 bytes belong to no buffer.

#include <algorithm>

#include <negzero/watch/state.hpp>
#include <negzero/watch/symbol.hpp>

namespace negzero::watch {

namespace {

/// Of the atomics that GPUs have had from the start.
constexpr std::size_t kWordBytes = 4;
/// An allocation of a GPU is a multiple of a word, so that these bytes are there.
constexpr std::size_t kMostPast = 2;

}  // namespace

bool WatchState::may_overhang(const Shadow& shadow, std::uintptr_t address, std::size_t size_bytes, AccessKind kind,
                              std::uint64_t changes, const void* site) {
  const std::uintptr_t end = shadow.begin + shadow.size_bytes;
  if (&shadow == &block_->shared || size_bytes != kWordBytes || address % kWordBytes != 0 ||
      address + kWordBytes - end > kMostPast) {
    return false;
  }
  const Paused paused;
  const unsigned thread = engine::current.linear_thread;
  if (kind == AccessKind::Read) {
    if (block_->overhangs.empty()) block_->overhangs.resize(block_->clocks.threads());
    Overhang& open = block_->overhangs[thread];
    if (open.address == address) return true;
    if (open.address != 0) return false;  // Two words at a time: no compare and swap confirms both.
    open = {address, stamp(thread, size_bytes, kind, site)};
    ++block_->unconfirmed_count;
    return true;
  }
  const std::uint64_t past = ~std::uint64_t{0} << 8 * (end - address);
  if (kind != AccessKind::AtomicCompare || (changes & past) != 0) return false;
  if (warnings.empty()) {
    warnings.push_back(
        "atomicCAS at " + place_of(site) + " of the word around " + where(address, size_bytes) +
        ", leaves those bytes as they are: harmless where memory is allocated in words, as by cudaMalloc");
  }
  return true;
}

void WatchState::settle_overhang(unsigned thread, std::uintptr_t address) {
  if (block_->overhangs.empty()) return;
  Overhang& open = block_->overhangs[thread];
  if (open.address == 0) return;
  if (open.address != address) {
    listening = nullptr;
    stop({FindingKind::OutOfBounds, open.address, open.access, kWordBytes, {}, where(open.address, kWordBytes), {}});
  }
  open = {};
  --block_->unconfirmed_count;
}

}  // namespace negzero::watch

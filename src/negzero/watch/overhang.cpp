// The word around a 16-bit number, of which the other 2 bytes belong to no element: past the end of a region, in its
// padding, or before its offset.

#include <algorithm>
#include <bit>

#include <negzero/watch/state.hpp>
#include <negzero/watch/symbol.hpp>

namespace negzero::watch {

namespace {

/// Of the atomics that GPUs have had from the start.
constexpr std::size_t kWordBytes = 4;
/// An allocation of a GPU is a multiple of a word, so that these bytes are there.
constexpr std::size_t kMostPast = 2;
constexpr std::size_t kHalfBytes = 2;

}  // namespace

bool WatchState::may_overhang(const Shadow& shadow, std::uintptr_t& address, std::size_t& size_bytes, AccessKind kind,
                              std::uint64_t changes, const void* site) {
  if (&shadow == &block_->shared || size_bytes != kWordBytes || address % kWordBytes != 0) return false;
  const std::uintptr_t word = address, end = shadow.begin + shadow.size_bytes;
  std::uintptr_t own = word, beside = end;
  std::size_t own_bytes = end - word;
  if (word + kWordBytes <= end) {
    // One half may be read and written, and no byte of the other may be touched.
    constexpr std::uint8_t kTouched = Shadow::kRead | Shadow::kWrite;
    const auto all = [&](std::uintptr_t half, std::uint8_t flags) {
      const std::size_t first = (half - shadow.begin) >> shadow.shift;
      const auto* const at = shadow.flags.data() + first;
      return std::all_of(at, at + (kHalfBytes >> shadow.shift),
                         [flags](std::uint8_t each) { return (each & kTouched) == flags; });
    };
    if ((1u << shadow.shift) > kHalfBytes) return false;
    own_bytes = kHalfBytes;
    beside = word + kHalfBytes;
    if (!all(own, kTouched)) std::swap(own, beside);
    if (!all(own, kTouched) || !all(beside, 0)) return false;
  } else if (word + kWordBytes - end > kMostPast) {
    return false;
  }
  const Paused paused;
  if (kind == AccessKind::Read || kind == AccessKind::AtomicRead) {
    const unsigned thread = engine::current.linear_thread;
    if (block_->overhangs.empty()) block_->overhangs.resize(block_->clocks.threads());
    Overhang& open = block_->overhangs[thread];
    // Two words at a time: no compare and swap confirms both.
    if (open.address != word && open.address != 0) return false;
    if (open.address == 0) {
      open = {word, beside, stamp(thread, size_bytes, kind, site)};
      ++block_->unconfirmed_count;
    }
  } else {
    std::uint64_t others = ~std::uint64_t{0} >> (64 - 8 * kWordBytes);
    others &= ~((~std::uint64_t{0} >> (64 - 8 * own_bytes)) << 8 * (own - word));
    if (kind != AccessKind::AtomicCompare || (changes & others) != 0) return false;
    warn_of_overhang(own, beside, own_bytes, site);
  }
  address = own;
  size_bytes = own_bytes;
  return true;
}

void WatchState::warn_of_overhang(std::uintptr_t own, std::uintptr_t beside, std::size_t size_bytes, const void* site) {
  if (std::ranges::find(warned, site) != warned.end()) return;
  warned.push_back(site);
  const std::string call = "atomicCAS at " + place_of(site) + " of the word around ";
  // A compiler may make several calls of one.
  if (std::ranges::any_of(warnings, [&](const std::string& known) { return known.starts_with(call); })) return;
  const bool is_past_end = find(beside) != find(own);
  const std::string where_beside =
      is_past_end ? where(own, kWordBytes) : where(own, size_bytes) + ", and of " + where(beside, kHalfBytes);
  warnings.push_back(call + where_beside +
                     ", leaves those bytes as they are: harmless where memory is allocated in words, as by cudaMalloc" +
                     (is_past_end ? "" : ", and nothing else writes them meanwhile"));
}

void WatchState::settle_overhang(unsigned thread, std::uintptr_t address) {
  if (block_->overhangs.empty()) return;
  Overhang& open = block_->overhangs[thread];
  if (open.address == 0) return;
  if (open.address != address) {
    const Shadow* const shadow = find(open.beside);
    if (shadow != nullptr && shadow == find(open.address)) {
      refuse(*shadow, (open.beside - shadow->begin) >> shadow->shift, open.address, kWordBytes, AccessKind::Read,
             open.access.address());
    }
    listening = nullptr;
    stop({FindingKind::OutOfBounds, open.address, open.access, kWordBytes, {}, where(open.address, kWordBytes), {}});
  }
  open = {};
  --block_->unconfirmed_count;
}

}  // namespace negzero::watch

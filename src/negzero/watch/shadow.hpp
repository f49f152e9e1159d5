// The shadow of one region: for each few bytes of it who may touch them, who wrote last, and who has read since.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <negzero/watch/clocks.hpp>

namespace negzero::watch {

enum class AccessKind : std::uint8_t {
  Read,
  Write,
  AtomicRead,   ///< a volatile load
  AtomicStore,  ///< a volatile store
  AtomicUpdate,
  AtomicCompare,   ///< compare and swap, whether or not it swapped
  AtomicExchange,  ///< an update that need not read: what it returns may be ignored
};
[[nodiscard]] constexpr bool is_plain(AccessKind kind) noexcept { return kind <= AccessKind::Write; }
[[nodiscard]] constexpr bool writes(AccessKind kind) noexcept {
  return kind != AccessKind::Read && kind != AccessKind::AtomicRead;
}

/// Whether two unordered accesses of these kinds are a race.
[[nodiscard]] constexpr bool conflict(AccessKind a, AccessKind b) noexcept {
  return (writes(a) || writes(b)) && (is_plain(a) || is_plain(b));
}
/// Whether a later access of kind b that is ordered after one of kind a races with all that a could race with.
[[nodiscard]] constexpr bool covers(AccessKind b, AccessKind a) noexcept {
  if (is_plain(a)) return a == b;
  if (a == AccessKind::AtomicRead) return true;
  return writes(b) && !is_plain(b);
}

/// Who accessed something, when and from where.
struct Stamp {
  Actor actor = 0;
  std::uint32_t time = 0;  ///< 0: none yet
  /// Return address in the kernel << 8 | log2 of the access's size << 4 | kMayBeFolded or 0 | AccessKind.
  std::uint64_t site = 0;
  static constexpr std::uint64_t kMayBeFolded = 8;

  [[nodiscard]] AccessKind kind() const noexcept { return static_cast<AccessKind>(site & 7); }
  /// Whether it is a read that may be wider than the source's (folded.cpp).
  [[nodiscard]] bool may_be_folded() const noexcept { return (site & kMayBeFolded) != 0; }
  [[nodiscard]] unsigned size_bytes() const noexcept { return 1u << (site >> 4 & 15); }
  [[nodiscard]] const void* address() const noexcept { return reinterpret_cast<const void*>(site >> 8); }
};

/// Whether `later` reads, modifies and writes what `earlier`, the last atomic write before it, has written. Then it
/// represents `earlier` too, though nothing orders the two: an access that is ordered after `later` is ordered after
/// `earlier`.
///
/// PTX ISA, memory consistency model, causality order: X precedes Y if X precedes Z in observation order and Z precedes
/// Y in base causality order. Read-modify-writes hand observation order on, so a chain of them counts; a compare and
/// swap that does not swap stores what it has read (PTX ISA, atom). Only of the same bytes: other sizes are not morally
/// strong. A volatile store does not observe what it overwrites, and nothing observes an atomic load: what they leave
/// stays remembered, but for loads before a read-modify-write of the same thread: on the host most atomics are made of
/// both. Other memory is not ordered by it: that takes fences.
[[nodiscard]] inline bool observes(const Stamp& later, const Stamp& earlier) noexcept {
  return later.kind() >= AccessKind::AtomicUpdate && writes(earlier.kind()) && !is_plain(earlier.kind()) &&
         later.size_bytes() == earlier.size_bytes();
}

/// The accesses of a few bytes (1, 2 or 4) that a later one may still race with.
struct Cell {
  Stamp write;                                                ///< the last plain write
  Stamp other;                                                ///< the last read or atomic since then
  static constexpr std::uint64_t kCrowd = ~std::uint64_t{0};  ///< other.site: other.actor is the index of a crowd
};

/// Reads and atomics of one cell that are not ordered among each other.
///
/// Most crowds are threads of one block that read what one of them has written, at one time by one instruction: a bit a
/// thread is then the whole stamp, and a crowd is one line of cache. The first other access makes a list of it.
class alignas(64) Crowd {
 public:
  /// Forgets everything; the next stamps are a list.
  void begin_list(const Stamp& first) {
    alike_ = false;
    list.assign(1, first);
    block = first.actor >> 10;
    mixed = false;
    reads_only = first.kind() == AccessKind::Read;
    examine();
  }
  /// Whether two reads can be kept in a crowd as bits.
  [[nodiscard]] static bool are_alike(const Stamp& a, const Stamp& b) noexcept {
    return a.site == b.site && a.time == b.time && a.actor >> 10 == b.actor >> 10 && a.kind() == AccessKind::Read;
  }
  /// Forgets everything; `first` is a read of a block of that many threads.
  void begin_alike(const Stamp& first, unsigned threads) noexcept {
    list.clear();
    block = first.actor >> 10;
    mixed = false;
    reads_only = alike_ = true;
    atomics_only = false;
    time_ = first.time;
    site_ = first.site;
    words_ = static_cast<std::uint8_t>((threads + 63) / 64);
    std::fill_n(readers_.begin(), words_, std::uint64_t{0});
    add_alike(first);
  }
  /// Adds a read if all of the crowd are like it.
  [[nodiscard]] bool add_if_alike(const Stamp& stamp) noexcept {
    if (!alike_ || site_ != stamp.site || time_ != stamp.time || block != stamp.actor >> 10) return false;
    add_alike(stamp);
    return true;
  }
  /// Makes a list of bits.
  void expand() {
    if (!alike_) return;
    alike_ = false;
    for (unsigned w = 0; w < words_; ++w) {
      for (std::uint64_t rest = readers_[w]; rest != 0; rest &= rest - 1) {
        list.push_back({block << 10 | (w * 64 + static_cast<unsigned>(std::countr_zero(rest))), time_, site_});
      }
    }
  }
  /// Whether it is time to look for stamps of the list that can go: at every doubling.
  [[nodiscard]] bool is_full() const noexcept { return list.size() >= 8 && std::has_single_bit(list.size()); }

  /// Looks at the list again after a change that is not an add_atomic().
  void examine() noexcept;
  /// Adds an atomic access to a list of nothing else. At most about `most` stay, the latest.
  void add_atomic(const Stamp& stamp, std::size_t most);
  /// The stamp of the list that `later` observes, or the list's size.
  [[nodiscard]] std::size_t observed_by(const Stamp& later) const noexcept {
    return last_write_ < list.size() && observes(later, list[last_write_]) ? last_write_ : list.size();
  }

  std::uint32_t block = 0;  ///< of all of them, where `mixed` is false
  bool mixed = false;       ///< stamps of several blocks
  bool reads_only = true;
  bool atomics_only = false;

 private:
  void forget_covered(std::size_t most);
  void add_alike(const Stamp& stamp) noexcept {
    const unsigned thread = stamp.actor & 1023u;
    readers_[thread / 64] |= std::uint64_t{1} << (thread % 64);
  }

  bool alike_ = false;
  std::uint8_t words_ = 0;  ///< of `readers_` that are in use
  std::uint32_t time_ = 0;
  std::uint64_t site_ = 0;
  std::array<std::uint64_t, 1024 / 64> readers_{};
  std::size_t last_write_ = 0;  ///< in the list; past its end where none wrote
  std::size_t limit_ = 0;       ///< of the list of atomics, before those that can go are looked for

 public:
  std::vector<Stamp> list;  ///< all of them after expand()
};

/// The crowds of one launch. An index stays valid until it is given back.
class Crowds {
 public:
  void clear();
  [[nodiscard]] std::uint32_t take();
  void give(std::uint32_t index) { free_.push_back(index); }
  /// Until the next take().
  [[nodiscard]] Crowd& operator[](std::uint32_t index) noexcept { return all_[index]; }

 private:
  std::vector<Crowd> all_;
  std::vector<std::uint32_t> free_;
};

struct Shadow {
  static constexpr std::uint8_t kRead = 1, kWrite = 2, kInitialised = 4;
  static constexpr std::uint8_t kAwaited = 8;  ///< a copy is on its way to there that its thread has not waited for
  /// Cells are this large at most; one access of part of a cell makes all cells of the region smaller.
  static constexpr unsigned kMaxShift = 2;

  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
  std::uint32_t since = 0;  ///< older stamps mean nothing: of an earlier launch, or of shared memory's last block
  unsigned shift = kMaxShift;
  bool tracked = true;  ///< false where no write is permitted: then nothing can race
  std::vector<std::uint8_t> flags;
  std::vector<Cell> cells;

  /// Covers [begin, begin + size_bytes) by cells of 1 << shift bytes with these flags. Old stamps stay: they are older
  /// than every launch to come.
  void reset(std::uintptr_t begin_, std::size_t size_bytes_, unsigned shift_, std::uint8_t flags_, bool tracked_);
  /// Cuts all cells into cells of 1 << finer bytes. Crowds are copied where their time is at least `now`, the start of
  /// the launch; older ones are gone.
  void refine(unsigned finer, Crowds& crowds, std::uint32_t now);
  /// Sets the flags of bytes [first, first + count). Requires whole cells.
  void set(std::size_t first, std::size_t count, std::uint8_t flags_);
};

}  // namespace negzero::watch

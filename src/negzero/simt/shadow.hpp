// The shadow of one region: for each few bytes of it who may touch them, who wrote last, and who has read since.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <negzero/simt/clocks.hpp>

namespace negzero::simt {

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

/// Who accessed something, when and from where.
struct Stamp {
  Actor actor = 0;
  std::uint32_t time = 0;  ///< 0: nobody yet
  std::uint64_t site = 0;  ///< return address in the kernel << 8 | size of the access / 1 << 4 | AccessKind

  [[nodiscard]] AccessKind kind() const noexcept { return static_cast<AccessKind>(site & 15); }
  [[nodiscard]] unsigned size_bytes() const noexcept { return 1u << (site >> 4 & 15); }
  [[nodiscard]] const void* address() const noexcept { return reinterpret_cast<const void*>(site >> 8); }
};

/// The accesses of a few bytes (1, 2 or 4) that a later one may still race with.
struct Cell {
  Stamp write;                                    ///< the last plain write
  Stamp other;                                    ///< the last read or atomic since then
  static constexpr std::uint64_t kCrowd = ~std::uint64_t{0};  ///< other.site: other.actor is the index of a crowd
};

/// Reads and atomics of one cell that are not ordered among each other.
struct Crowd {
  std::vector<Stamp> stamps;
  std::uint32_t last = 0;       ///< the largest time
  std::uint32_t block = 0;      ///< of all of them, where `mixed` is false
  bool mixed = false;           ///< stamps of several blocks
  bool reads_only = true;

  /// Whether it is time to look for stamps that can go: at every doubling.
  [[nodiscard]] bool is_full() const noexcept { return stamps.size() >= 8 && (stamps.size() & (stamps.size() - 1)) == 0; }
};

/// The crowds of one launch. An index stays valid until it is given back.
class Crowds {
 public:
  void clear();
  [[nodiscard]] std::uint32_t take();
  void give(std::uint32_t index) { free_.push_back(index); }
  [[nodiscard]] Crowd& operator[](std::uint32_t index) noexcept { return *all_[index]; }

 private:
  std::vector<std::unique_ptr<Crowd>> all_;
  std::vector<std::uint32_t> free_;
};

struct Shadow {
  static constexpr std::uint8_t kRead = 1, kWrite = 2, kInitialised = 4;
  /// Cells are this large at most; one access of part of a cell makes all cells of the region smaller.
  static constexpr unsigned kMaxShift = 2;

  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
  std::uint32_t since = 0;  ///< older stamps mean nothing: of an earlier launch, or of shared memory's last block
  unsigned shift = kMaxShift;
  bool tracked = true;  ///< false where nobody may write: then nothing can race
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

}  // namespace negzero::simt

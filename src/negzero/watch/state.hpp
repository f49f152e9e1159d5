// The inside of a Watch: shadows of all memory of a launch, and who has accessed what.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <negzero/engine/current.hpp>
#include <negzero/engine/engine.hpp>
#include <negzero/engine/observer.hpp>
#include <negzero/watch/clocks.hpp>
#include <negzero/watch/seam.hpp>
#include <negzero/watch/shadow.hpp>
#include <negzero/watch/watch.hpp>

namespace negzero::watch {

/// A race of a plain read with an atomic that is no finding if the reading thread confirms the read (see Watch).
struct Unconfirmed {
  std::uintptr_t begin = 0, end = 0;  ///< the bytes of such reads that a compare and swap must cover; empty for none
  std::uintptr_t address = 0;         ///< of the later access of the race, with its size
  unsigned size_bytes = 0;
  Stamp access, other;
};

/// A plain read of the word around a 16-bit number, beside which no element lies, that its thread must confirm by a
/// compare and swap of the same word (see Watch).
struct Overhang {
  std::uintptr_t address = 0;  ///< of the word; 0: none is open
  std::uintptr_t beside = 0;   ///< of its bytes that belong to no element
  Stamp access;
};

/// What is watched of one resident block.
struct BlockWatch {
  BlockClocks clocks;
  Shadow shared;
  struct Array {
    std::size_t first, size_bytes;
  };
  std::vector<Array> arrays;             ///< of shared memory, the dynamic one first
  std::vector<Unconfirmed> unconfirmed;  ///< by thread; empty before the first
  std::vector<Overhang> overhangs;       ///< by thread; empty before the first
  unsigned unconfirmed_count = 0;        ///< of both
  /// Whether that thread's unconfirmed read is of that byte.
  [[nodiscard]] bool waits(unsigned thread, std::uintptr_t address) const noexcept {
    return !unconfirmed.empty() &&
           address - unconfirmed[thread].begin < unconfirmed[thread].end - unconfirmed[thread].begin;
  }
};

/// The name of a region that holds variables of kernel files and all others of the program or of a library.
inline constexpr const char* kProgramVariables = "the program's variables";

/// Turns the hooks off while functions run that the linker may have taken from a watched object.
class Paused {
 public:
  Paused() noexcept : watch_(listening) { listening = nullptr; }
  ~Paused() { listening = watch_; }
  Paused(const Paused&) = delete;
  Paused& operator=(const Paused&) = delete;

 private:
  WatchState* watch_;
};

/// What a plain read is for.
enum class Reading : std::uint8_t {
  Use,        ///< the kernel reads all of these bytes and uses them
  MaybeLess,  ///< a load by g++, of which the source may read a part only (folded.cpp)
  Copy,       ///< the value goes nowhere but into a copy: it may be of bytes that nothing has written
};

class WatchState final : public engine::Observer {
 public:
  struct Region {
    WatchedRegion what;
    Shadow shadow;
    std::string reason;
  };
  /// What is kept when a launch ends, in the words of the machine.
  struct Raw {
    FindingKind kind;
    std::uintptr_t address;
    Stamp access;
    unsigned size_bytes;
    std::optional<Stamp> other;
    std::string where;
    std::string detail;
    std::string place{};  ///< of the access, where the site does not say
  };

  // Of the engine.
  void launch_began(const engine::Grid& grid, const engine::Schedule& schedule) override;
  void launch_ended() noexcept override;
  void block_began(std::size_t slot, std::uint64_t linear, unsigned threads, const engine::SharedTable& table,
                   std::size_t dynamic_bytes) override;
  void block_entered(std::size_t slot) noexcept override { block_ = blocks_[slot].get(); }
  void block_ended(std::size_t slot) noexcept override { latest_ = std::max(latest_, blocks_[slot]->clocks.top()); }
  void array_placed(std::size_t slot, const std::byte* address, std::size_t size_bytes) override {
    add_array(*blocks_[slot], address, size_bytes);
  }
  void barrier_completed(std::size_t slot) override { blocks_[slot]->clocks.barrier(); }
  void warp_synchronised(std::size_t slot, unsigned warp, std::uint32_t lanes) override {
    blocks_[slot]->clocks.sync_warp(warp, lanes);
  }
  void warp_exchanged(std::size_t slot, unsigned warp, std::uint32_t lanes) override {
    blocks_[slot]->clocks.meet(warp, lanes);
  }
  /// False where it begins in a region and goes on behind its end.
  [[nodiscard]] bool may_copy(const void* to, const void* from, std::size_t size_bytes) override;
  /// What was written may be read from now on. Memory of no region is left alone.
  void host_wrote(const void* to, std::size_t size_bytes) override;
  [[nodiscard]] std::string reason() override;

  // Of the hooks. Each may end the launch and not return.
  template <AccessKind kKind, Reading kReading = Reading::Use>
  void access(std::uintptr_t address, std::size_t size_bytes, const void* site);
  /// Whether a read is of memory that must not be written, and permitted: then there is nothing more to do about it.
  [[nodiscard]] bool reads_input(std::uintptr_t address, std::size_t size_bytes) noexcept;
  /// The read and the write of a copy that is about to happen: bytes that nothing has written stay so in the copy.
  void copy(std::uintptr_t to, std::uintptr_t from, std::size_t size_bytes, const void* site);
  /// An index outside the bounds that the type of an array declares.
  [[noreturn]] void index_outside(const char* file, unsigned line, const char* type, std::intptr_t index,
                                  const void* site);
  /// The running thread has begun a copy to there: from now on nothing may touch its target, until the copy lands where
  /// the thread waits for it. PTX ISA, cp.async: nothing orders the copy with anything before such a wait.
  void copy_began(std::uintptr_t address, std::size_t size_bytes);
  void copy_lands(std::uintptr_t address, std::size_t size_bytes);
  void fence(engine::FenceScope scope);
  void synchronise(AccessKind kind, std::uintptr_t address, unsigned thread);
  /// Whether the address lies in a buffer, or in the guard zone around one.
  [[nodiscard]] bool is_at_a_buffer(std::uintptr_t address) const noexcept {
    constexpr std::size_t kBeside = 64;
    return std::ranges::any_of(buffers_, [&](const Span& buffer) {
      return address - buffer.begin + kBeside < buffer.size_bytes + 2 * kBeside;
    });
  }
  /// The running thread synchronises or ends: no compare and swap can confirm what it has read until now.
  void close_reads() {
    if (store_.waits) [[unlikely]]
      settle_store();
    if (block_->unconfirmed_count != 0) [[unlikely]]
      settle(engine::current.linear_thread, 0, 0);
    block_->clocks.step(engine::current.linear_thread);
  }
  /// Of a compare and swap that comes next: the bits that it changes where it swaps.
  void about_to_swap(std::uint64_t changes) noexcept { swap_changes_ = changes; }
  [[noreturn]] void misaligned(std::uintptr_t address, AccessKind kind, std::size_t size_bytes, const void* site,
                               std::string detail);

  // Of Watch.
  std::vector<std::unique_ptr<Region>> regions;  ///< the first `used` are in use
  std::size_t used = 0;
  /// Addresses that are no memory, around a buffer of which they mean places.
  struct Nowhere {
    WatchedRegion buffer;
    std::uintptr_t begin;
    std::size_t size_bytes;
  };
  std::vector<Nowhere> nowhere;
  std::optional<Raw> raw;
  std::optional<Raw> equal_stores;  ///< the first ones
  std::vector<Raw> by_value;        ///< races that met() knows, the first of each pair of instructions
  std::optional<WatchFinding> finding;
  std::vector<std::string> warnings;
  std::vector<const void*> warned;  ///< the calls that these are about
  Crowds crowds;
  [[nodiscard]] std::uint32_t launch_start() const noexcept { return launch_start_; }
  [[nodiscard]] WatchFinding describe(const Raw& raw) const;
  /// The races of `by_value` in words, each pair of lines once.
  [[nodiscard]] std::vector<std::string> describe_by_value() const;
  /// The finding that ended a launch, described when this is asked for the first time.
  [[nodiscard]] const std::optional<WatchFinding>& described();

 private:
  /// Changes flags of bytes. Leaves those of other shadows alone.
  void mark(Shadow& shadow, std::uintptr_t address, std::size_t size_bytes, std::uint8_t set, std::uint8_t clear);
  [[nodiscard]] Shadow* find(std::uintptr_t address) noexcept {
    if (address - block_->shared.begin < block_->shared.size_bytes) return &block_->shared;
    for (const Span& span : spans_) {
      if (address - span.begin < span.size_bytes) return span.shadow;
    }
    return nullptr;
  }
  [[nodiscard]] bool ordered(const Stamp& earlier, std::uint32_t since, unsigned thread, Actor self) const noexcept {
    return earlier.time < since || earlier.actor == self || block_->clocks.knows(thread, earlier.actor, earlier.time);
  }
  /// The stamp of what the running thread does now.
  [[nodiscard]] Stamp stamp(unsigned thread, std::size_t size_bytes, AccessKind kind, const void* site) const noexcept {
    const BlockClocks& clocks = block_->clocks;
    const auto size = static_cast<unsigned>(std::bit_width(size_bytes > 1 ? size_bytes - 1 : 0));
    return {
        clocks.actor(thread), clocks.time(thread),
        reinterpret_cast<std::uint64_t>(site) << 8 | std::uint64_t{size & 15} << 4 | static_cast<std::uint64_t>(kind)};
  }
  template <AccessKind kKind>
  void track(Cell& cell, std::uint32_t since, const Stamp& self, unsigned thread, std::uintptr_t address,
             std::size_t size_bytes);
  void track_crowd(Cell& cell, const Stamp& self, unsigned thread, std::uintptr_t address, std::size_t size_bytes);
  /// Two accesses of a cell that nothing orders and that conflict: a race, unless the read may yet be confirmed.
  void unordered(const Cell& cell, std::uintptr_t address, std::size_t size_bytes, const Stamp& self,
                 const Stamp& other);
  /// Whether a read that the running thread is about to do, which may be folded, has a byte that is initialised and
  /// races with nothing: then the source may read no more than such bytes.
  [[nodiscard]] bool is_partly_right(std::uintptr_t address, std::size_t size_bytes);
  /// The same for an earlier read of that cell, which races with what the running thread is about to do.
  [[nodiscard]] bool was_partly_right(const Cell& cell, const Stamp& read, const Stamp& self, std::uintptr_t address,
                                      std::size_t size_bytes);
  /// Whether a race of the running thread is one with a lane that it has met since (BlockClocks::has_met()). Notes such
  /// a race, which ends no launch.
  [[nodiscard]] bool met(std::uintptr_t address, std::size_t size_bytes, const Stamp& self, const Stamp& other);
  /// Keeps a cell's last plain write beside the reads and atomics since, for a write that comes after it in no order:
  /// an access may be ordered after one of the two and race with the other.
  void keep_write(Cell& cell, std::uint32_t since);
  /// Ends the wait of the thread's unconfirmed read: a compare and swap of these bytes confirms it where it covers
  /// them.
  /// `word`: the address of that compare and swap itself, which may be of more bytes than belong to elements.
  void settle(unsigned thread, std::uintptr_t address, std::size_t size_bytes, std::uintptr_t word = 0);
  /// A store that nothing orders behind another one is about to happen: what is there is compared at the next access,
  /// synchronisation or end of a thread.
  void store_again(std::uintptr_t address, std::size_t size_bytes, const Stamp& self, const Stamp& other);
  /// The store has happened: a race where it has changed something.
  void settle_store();
  /// What lies there in words: as a number where it is an element of a region whose format is known.
  [[nodiscard]] std::string value_at(std::uintptr_t address, std::size_t size_bytes) const;
  /// Whether `read` is one of the running thread's reads that a compare and swap of that size confirms.
  template <AccessKind kKind>
  [[nodiscard]] static bool confirms(const Stamp& self, const Stamp& read) noexcept {
    return kKind == AccessKind::AtomicCompare && read.kind() == AccessKind::Read && read.actor == self.actor &&
           read.time == self.time && read.size_bytes() <= self.size_bytes();
  }
  /// Whether an access is one of the word around a 16-bit number beside which no element lies, and harmless if what
  /// follows confirms it: then it becomes one of that number alone, or of what lies in the region. `changes`: the bits
  /// that a compare and swap changes.
  [[nodiscard]] bool may_overhang(const Shadow& shadow, std::uintptr_t& address, std::size_t& size_bytes,
                                  AccessKind kind, std::uint64_t changes, const void* site);
  void warn_of_overhang(std::uintptr_t own, std::uintptr_t beside, std::size_t size_bytes, const void* site);
  /// Whether the thread has such a word open there.
  [[nodiscard]] bool awaits(unsigned thread, std::uintptr_t word) const noexcept {
    return !block_->overhangs.empty() && block_->overhangs[thread].address == word && word != 0;
  }
  /// Ends the wait of the thread's read of such a word. `address`: of a compare and swap, or 0.
  void settle_overhang(unsigned thread, std::uintptr_t address);
  void add_array(BlockWatch& block, const std::byte* address, std::size_t size_bytes);
  void preempt();
  /// The shadow of an address outside all regions: program data that kernels may use, or null where it needs no watch.
  [[nodiscard]] Shadow* other_memory(std::uintptr_t address, std::size_t size_bytes, AccessKind kind, const void* site);
  [[noreturn]] void refuse(const Shadow& shadow, std::size_t cell, std::uintptr_t address, std::size_t size_bytes,
                           AccessKind kind, const void* site);
  [[noreturn]] void out_of_bounds(std::uintptr_t address, std::size_t size_bytes, AccessKind kind, const void* site);
  [[noreturn]] void race(std::uintptr_t address, std::size_t size_bytes, const Stamp& self, const Stamp& other);
  [[noreturn]] void stop(Raw found);
  /// Whether that cell, which nothing has written, may be padding of a struct that an access reads whole.
  [[nodiscard]] static bool is_padding(const Shadow& shadow, std::size_t cell, std::uintptr_t address,
                                       std::size_t size_bytes) noexcept;
  /// The first byte of an access that the other access of its race has touched.
  [[nodiscard]] std::uintptr_t shared_byte(std::uintptr_t address, std::size_t size_bytes, const Stamp& other);
  [[nodiscard]] std::string where(std::uintptr_t address, std::size_t size_bytes) const;
  [[nodiscard]] WatchedAccess access_of(const Stamp& stamp, unsigned size_bytes) const;

  std::vector<std::unique_ptr<BlockWatch>> blocks_;  ///< by slot
  BlockWatch* block_ = nullptr;
  struct Span {
    std::uintptr_t begin;
    std::size_t size_bytes;
    Shadow* shadow;
  };
  std::vector<Span> spans_;    ///< of all regions in use, in one line or two of cache
  std::vector<Span> buffers_;  ///< those of them that are no data of the program, as the launch found them
  /// A store of store_again().
  struct Store {
    std::uintptr_t address = 0;  ///< of the whole store
    std::uintptr_t begin = 0;    ///< of the bytes that the other one has stored, too
    std::size_t size_bytes = 0;  ///< of those
    Stamp access{}, other{};
    std::uint64_t countdown = 0;  ///< countdown_ but for this store
    std::byte before[16]{};
    bool waits = false;
  };
  Store store_;
  Messages messages_;
  bool fences_used_ = false;
  std::uint64_t countdown_ = 1;  ///< accesses until the schedule asks for another thread; never without preemption
  std::uint64_t swap_changes_ = 0;
  std::uint32_t launch_start_ = 1;
  std::uint32_t latest_ = 1;
  engine::Coordinates grid_blocks_, block_threads_;
  std::uintptr_t arguments_ = 0;
  std::size_t arguments_bytes_ = 0;
};

/// The watch of the launch that runs on this host thread; null: none.
extern thread_local constinit WatchState* on_duty NEGZERO_WATCH_TLS;

}  // namespace negzero::watch

// Happens-before on the device: which earlier access the running thread may rely on.
//
// A thread's own accesses, those before a barrier that both threads passed, those before a __syncwarp that both lanes
// took part in. Beyond that the PTX memory model's release and acquire patterns: a fence, then an atomic; an atomic
// that observes it, then a fence. Atomics without fences order nothing.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <negzero/engine/current.hpp>

namespace negzero::watch {

/// A thread of a launch: its block's linear index times 1024, plus its own in the block.
using Actor = std::uint32_t;

/// What is known about threads of other warps and blocks: all that a block did before a time, and all that one thread
/// did up to a time. Sorted by the first member; never changed once it is shared.
struct Knowledge {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
  std::vector<std::pair<Actor, std::uint32_t>> threads;
  [[nodiscard]] bool covers(Actor actor, std::uint32_t time) const noexcept;
  /// Whether `other` says nothing that this does not say.
  [[nodiscard]] bool includes(const Knowledge& other) const noexcept;
};
using KnowledgePtr = std::shared_ptr<const Knowledge>;
/// What either says: one of the two where it includes the other, so that what has not changed keeps its address.
[[nodiscard]] KnowledgePtr join(const KnowledgePtr& a, const KnowledgePtr& b);

/// What one thread knows beyond its block's barriers and its warp, and what is on its way.
struct Far {
  KnowledgePtr known;
  KnowledgePtr fenced_block, fenced_device;    ///< comes before a fence of that scope: the next atomic passes it on
  KnowledgePtr pending_block, pending_device;  ///< passed on by an atomic that was observed: the next fence takes it
  // A loop that waits sends and receives the same again and again.
  KnowledgePtr sent_block, sent_device;          ///< what an address held that includes what is fenced, or null
  KnowledgePtr received_block, received_device;  ///< what an address held that is included in what is pending, or null
};

/// Times of the threads of one block. All start from one time, and a barrier takes all of them to a new one.
class BlockClocks {
 public:
  void begin(std::uint32_t block, unsigned threads, std::uint32_t now);
  [[nodiscard]] std::uint32_t block() const noexcept { return block_; }
  [[nodiscard]] std::uint32_t floor() const noexcept { return floor_; }
  [[nodiscard]] std::uint32_t top() const noexcept { return top_; }
  [[nodiscard]] unsigned threads() const noexcept { return static_cast<unsigned>(own_.size()); }
  [[nodiscard]] Actor actor(unsigned thread) const noexcept { return block_ << 10 | thread; }
  [[nodiscard]] std::uint32_t time(unsigned thread) const noexcept {
    return own_[thread] > floor_ ? own_[thread] : floor_;
  }
  /// Whether an access of that actor at that time happens before what `thread` does now. Requires a time of this
  /// launch.
  [[nodiscard]] bool knows(unsigned thread, Actor actor, std::uint32_t time) const noexcept {
    if (actor >> 10 == block_) {
      if (time < floor_) return true;
      const unsigned other = actor & 1023u;
      if (other == thread) return true;
      if (other / 32 == thread / 32 && lanes_used_ && time <= lanes_[thread][other % 32]) return true;
    }
    return far_used_ && far_[thread].known != nullptr && far_[thread].known->covers(actor, time);
  }

  /// Splits the thread's time: separates what it has done from what it does from now on; both are ordered as before.
  void step(unsigned thread) noexcept {
    own_[thread] = time(thread) + 1;
    top_ = std::max(top_, own_[thread]);
  }
  void barrier();
  /// A __syncwarp of these lanes. No other warp operation orders memory.
  void sync_warp(unsigned warp, std::uint32_t lanes);
  /// A shuffle, vote, match or reduction of these lanes, which orders no memory (CUDA C++ Programming Guide, Warp
  /// Shuffle Functions, and the same of the others). They have met, and nothing more.
  void meet(unsigned warp, std::uint32_t lanes);
  /// Whether `thread` and a lane of its warp have met after an access of that lane at that time. Requires a time of
  /// this launch. Meetings do not add up: of A with B and then of B with C, nothing is said of A and C.
  [[nodiscard]] bool has_met(unsigned thread, Actor actor, std::uint32_t time) const noexcept {
    const unsigned other = actor & 1023u;
    if (actor >> 10 != block_ || other / 32 != thread / 32 || thread / 32 >= met_.size()) return false;
    const WarpMet& met = met_[thread / 32];
    const bool met_last = (met.last.lanes >> thread % 32 & met.last.lanes >> other % 32 & 1) != 0;
    return (met_last && time <= met.last.times[other % 32]) || time <= met.before[thread % 32][other % 32];
  }
  void fence(unsigned thread, engine::FenceScope scope);
  /// Whether any thread of this block has executed a fence or received something from one.
  [[nodiscard]] bool uses_far() const noexcept { return far_used_; }
  [[nodiscard]] Far& far(unsigned thread);

 private:
  void use_lanes();
  std::uint32_t block_ = 0;
  std::uint32_t floor_ = 1;
  std::uint32_t top_ = 1;
  bool lanes_used_ = false;
  bool far_used_ = false;
  std::vector<std::uint32_t> own_;
  std::vector<std::array<std::uint32_t, 32>> lanes_;  ///< what a thread knows of each lane of its warp
  /// When each lane of a warp last met each other one, in the other's time.
  using Met = std::array<std::array<std::uint32_t, 32>, 32>;
  struct Meeting {
    std::uint32_t lanes = 0;
    std::array<std::uint32_t, 32> times{};  ///< of these lanes
    void keep(Met& of_lanes) const noexcept;
  };
  /// What lanes of one warp have met. Most meet again and again as the same group, which is quick to note.
  struct WarpMet {
    Meeting last;
    Met before{};  ///< of other groups
  };
  std::vector<WarpMet> met_;  ///< by warp; those of earlier blocks stay, older than any access of this one
  std::vector<Far> far_;
};

/// What atomics and volatile accesses of one launch have passed on, by address.
class Messages {
 public:
  void clear() { cells_.clear(); }
  /// `thread` has written to the address; what it had fenced goes with the value. A plain store ends what was there.
  void send(std::uintptr_t address, BlockClocks& clocks, unsigned thread, bool replaces);
  /// `thread` has read the address.
  void receive(std::uintptr_t address, BlockClocks& clocks, unsigned thread);

 private:
  struct Cell {
    KnowledgePtr device;
    std::vector<std::pair<std::uint32_t, KnowledgePtr>> blocks;  ///< for readers of the same block
  };
  std::unordered_map<std::uintptr_t, Cell> cells_;
};

}  // namespace negzero::watch

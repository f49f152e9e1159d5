// One block on the host: which of its threads can run, which wait, and when a wait is over.

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/context/detail/fcontext.hpp>

#include <negzero/base/random.hpp>
#include <negzero/simt/current.hpp>
#include <negzero/simt/shared_arena.hpp>
#include <negzero/simt/stack_pool.hpp>

namespace negzero::simt {

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kWarpSize = 32;

/// One thread of a block.
struct Lane {
  boost::context::detail::fcontext_t context = nullptr;  ///< where it stopped; null before its start and after its end
  Stack* stack = nullptr;                                ///< the stack that it runs or stopped on
  WarpRequest* request = nullptr;                        ///< its part in the warp operation it waits at, or null
  BarrierKind barrier = BarrierKind::Sync;               ///< the barrier it waits at when `request` is null
  Place place{};                                         ///< where it waits
  Coordinates index;
  std::uint32_t id = 0;  ///< linear index in the block
  std::uint64_t spent = 0;
};

/// A set of threads of one block.
class ThreadSet {
 public:
  void clear() noexcept { words_.fill(0); }
  void fill(unsigned count) noexcept {
    for (unsigned w = 0; w < words_.size(); ++w) {
      const unsigned rest = count > 64 * w ? count - 64 * w : 0;
      words_[w] = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    }
  }
  void insert(unsigned id) noexcept { words_[id / 64] |= std::uint64_t{1} << (id % 64); }
  void remove(unsigned id) noexcept { words_[id / 64] &= ~(std::uint64_t{1} << (id % 64)); }
  [[nodiscard]] bool contains(unsigned id) const noexcept { return (words_[id / 64] >> (id % 64) & 1) != 0; }
  /// The members of warp `warp`, one bit a lane.
  [[nodiscard]] std::uint32_t warp(unsigned warp) const noexcept {
    return static_cast<std::uint32_t>(words_[warp / 2] >> (warp % 2 * 32));
  }
  void insert_warp(unsigned warp, std::uint32_t lanes) noexcept {
    words_[warp / 2] |= std::uint64_t{lanes} << (warp % 2 * 32);
  }
  /// Moves all members of `other` here.
  void take_all(ThreadSet& other) noexcept {
    for (unsigned w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    other.clear();
  }
  [[nodiscard]] unsigned size() const noexcept {
    unsigned size = 0;
    for (const std::uint64_t word : words_) size += static_cast<unsigned>(std::popcount(word));
    return size;
  }
  /// The smallest member that is at least `from`, or -1.
  [[nodiscard]] int at_or_after(unsigned from) const noexcept;
  /// The largest member that is at most `from` (-1: none), or -1.
  [[nodiscard]] int at_or_before(int from) const noexcept;
  /// The member with `rank` smaller members. Requires rank < size().
  [[nodiscard]] int select(unsigned rank) const noexcept;

 private:
  std::array<std::uint64_t, kMaxThreads / 64> words_{};
};

/// What a block has to say about lawful but suspicious behaviour.
class Notes {
 public:
  virtual ~Notes() = default;
  virtual void exited_at_barrier(Place place, unsigned exited) = 0;
  virtual void lane_without_value(Place place, WarpKind kind, std::uint32_t mask, unsigned lane, int source) = 0;
};

/// The threads of one resident block. Knows waits and their completion; the engine moves between stacks.
class Block {
 public:
  /// Lays out lanes for blocks of these extents.
  void prepare(Coordinates extents, Notes& notes);
  /// Starts a block: every thread is ready, shared memory is poisoned.
  void begin(Coordinates index, std::uint64_t linear, const Settings& settings, std::size_t dynamic_bytes);

  /// The lane that the schedule runs next, or null when none is ready. May be the current one.
  [[nodiscard]] Lane* choose() noexcept;
  /// Notes that `lane` runs now: orders go on from it.
  void mark_running(const Lane& lane) noexcept { cursor_ = static_cast<int>(lane.id); }
  /// Whether running `next` after `self` starts a new round through the ready threads.
  [[nodiscard]] bool starts_round(const Lane& self, const Lane& next) noexcept;

  /// `lane` waits at a barrier; all are released when it is the last live one.
  void arrive(Lane& lane, BarrierKind kind, bool predicate, Place place);
  /// The value of the barrier that was released last.
  [[nodiscard]] int barrier_value() const noexcept { return barrier_value_; }
  /// `lane` waits at a warp operation; its group is released when all of its live lanes wait alike.
  void arrive(Lane& lane, WarpRequest& request, Place place);
  /// `lane` has returned from the kernel. Whoever waited only for it goes on.
  void retire(Lane& lane);

  [[nodiscard]] unsigned live() const noexcept { return live_; }
  [[nodiscard]] unsigned threads() const noexcept { return static_cast<unsigned>(lanes_.size()); }
  [[nodiscard]] const std::vector<Lane>& lanes() const noexcept { return lanes_; }
  [[nodiscard]] bool is_alive(const Lane& lane) const noexcept { return alive_.contains(lane.id); }
  [[nodiscard]] Coordinates index() const noexcept { return index_; }
  [[nodiscard]] std::uint64_t linear() const noexcept { return linear_; }
  [[nodiscard]] SharedArena& shared() noexcept { return shared_; }
  [[nodiscard]] base::Random& random() noexcept { return random_; }

 private:
  void release_barrier_if_complete();
  void complete_warp_group(unsigned warp, const WarpRequest& request);
  void restart_order(unsigned first, unsigned count) noexcept;

  std::vector<Lane> lanes_;
  ThreadSet ready_;
  ThreadSet alive_;
  ThreadSet at_barrier_;
  std::array<std::uint32_t, kMaxThreads / kWarpSize> at_warp_operation_{};
  unsigned live_ = 0;
  unsigned arrived_ = 0;
  unsigned predicates_ = 0;
  unsigned waiting_lanes_ = 0;           ///< at warp operations, in the whole block
  const Lane* first_arrival_ = nullptr;  ///< at the barrier that is being gathered
  bool places_differ_ = false;
  int barrier_value_ = 0;
  int cursor_ = -1;
  Order order_ = Order::Forward;
  std::uint8_t poison_ = 0;
  Coordinates extents_;
  Coordinates index_;
  std::uint64_t linear_ = 0;
  base::Random random_{0};
  Notes* notes_ = nullptr;
  SharedArena shared_;
};

/// One line that says which live threads of `block` wait where, and the first of them.
struct WaitDescription {
  std::string text;
  Coordinates first;
};
[[nodiscard]] WaitDescription describe_waits(const Block& block);

/// "__shfl_down_sync" and so on.
[[nodiscard]] const char* to_string(WarpKind kind) noexcept;
[[nodiscard]] const char* to_string(BarrierKind kind) noexcept;
[[nodiscard]] std::string to_string(Coordinates c);
/// "gemm.cu:41"
[[nodiscard]] std::string to_string(Place place);

}  // namespace negzero::simt

// Cooperative groups on the host: the block, groups of lanes of one warp, and the base type that can be either.
//
// All of them wait through the barriers and warp operations of sync.hpp, with the mask of their lanes, and pass the
// caller's line on: the watch and the reports of deadlocks name the author's call. group_tiles.hpp has tiles and
// coalesced groups, group_grid.hpp the grid, group_operations.hpp reductions and scans, group_copies.hpp copies.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <negzero/cuda/sync.hpp>
#include <negzero/cuda/types.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace cooperative_groups {
inline namespace NEGZERO_BUILD {

namespace details {

using negzero::engine::BarrierKind;
using negzero::engine::CallSite;
using negzero::engine::WarpKind;
namespace threads = negzero::cuda_on_host::threads;

NEGZERO_INLINE unsigned thread_in_block() { return negzero::engine::current.linear_thread; }
NEGZERO_INLINE unsigned lane() { return thread_in_block() % 32; }
NEGZERO_INLINE unsigned threads_in_block() {
  const dim3& d = negzero::engine::current.block_dim;
  return d.x * d.y * d.z;
}
NEGZERO_INLINE unsigned count(unsigned mask) { return static_cast<unsigned>(std::popcount(mask)); }
/// The lanes of `mask` below the calling one: its rank among them.
NEGZERO_INLINE unsigned rank_in(unsigned mask) { return count(mask & ((1u << lane()) - 1)); }

/// The lane with this rank in `mask`; 31 where there is none, as CUDA's own groups answer (__fns gives ~0).
NEGZERO_INLINE unsigned lane_of_rank(unsigned mask, unsigned rank) {
  for (; mask != 0; mask &= mask - 1) {
    if (rank-- == 0) return static_cast<unsigned>(std::countr_zero(mask));
  }
  return 31;
}

/// A shuffle of any trivially copyable type: in pieces of 8 bytes, as CUDA's groups do in pieces of 4.
template <typename T>
NEGZERO_INLINE T shuffle(WarpKind kind, unsigned mask, T value, unsigned operand, unsigned width, CallSite site) {
  static_assert(std::is_trivially_destructible_v<T>, "groups shuffle trivially copyable types only");
  if constexpr (sizeof(T) <= 8) {
    return negzero::cuda_on_host::global::warp_exchange(kind, mask, value, operand, static_cast<int>(width), site);
  } else {
    std::uint64_t pieces[(sizeof(T) + 7) / 8] = {};
    std::memcpy(pieces, &value, sizeof(T));
    for (std::uint64_t& piece : pieces) {
      piece = negzero::cuda_on_host::global::warp_exchange(kind, mask, piece, operand, static_cast<int>(width), site);
    }
    std::memcpy(static_cast<void*>(&value), pieces, sizeof(T));
    return value;
  }
}

template <typename T>
NEGZERO_INLINE T vote(WarpKind kind, unsigned mask, T value, CallSite site) {
  return negzero::cuda_on_host::global::warp_exchange(kind, mask, value, 0, 32, site);
}

/// Waits until a thread of every block has come here, and until all live threads of this block have.
///
/// The first thread of each block counts it in and waits for the others, with turns for other threads. Blocks that have
/// not started are started as for any wait (Settings::resident_blocks), so the grid may be larger than a GPU could hold
/// for a cooperative launch. A block that never comes is reported as a hang, and so is one whose first thread has
/// ended.
inline void wait_at_grid(CallSite site) {
  threads::wait_at_barrier(BarrierKind::Sync, site);
  const bool counts = thread_in_block() == 0;
  if (counts) {
    const std::uint64_t target = threads::arrive_at_grid();
    while (!threads::has_grid_arrived(target)) threads::sleep_thread();
  }
  if (threads::reduce_at_barrier(BarrierKind::Or, counts, site) == 0) {
    for (;;) threads::sleep_thread();
  }
}

}  // namespace details

/// Any group. Copies of a group as this type keep its threads and lose its kind: what a function takes that is handed a
/// block as well as a tile.
class thread_group {
 public:
  NEGZERO_INLINE unsigned long long size() const {
    switch (kind_) {
      case Kind::Block:
        return details::threads_in_block();
      case Kind::Grid: {
        const dim3& blocks = negzero::engine::current.grid_dim;
        return std::uint64_t{blocks.x} * blocks.y * blocks.z * details::threads_in_block();
      }
      default:
        return details::count(mask_);
    }
  }
  NEGZERO_INLINE unsigned long long num_threads() const { return size(); }
  NEGZERO_INLINE unsigned long long thread_rank() const {
    switch (kind_) {
      case Kind::Block:
        return details::thread_in_block();
      case Kind::Grid: {
        const uint3& at = negzero::engine::current.block_index;
        const dim3& blocks = negzero::engine::current.grid_dim;
        const std::uint64_t block = (std::uint64_t{at.z} * blocks.y + at.y) * blocks.x + at.x;
        return block * details::threads_in_block() + details::thread_in_block();
      }
      default:
        return details::rank_in(mask_);
    }
  }
  NEGZERO_INLINE void sync(NEGZERO_CALL_SITE) const {
    switch (kind_) {
      case Kind::Block:
        return details::threads::wait_at_barrier(details::BarrierKind::Sync, {file, line, column});
      case Kind::Grid:
        return details::wait_at_grid({file, line, column});
      default:
        details::vote(details::WarpKind::Sync, mask_, 0u, {file, line, column});
    }
  }
  NEGZERO_INLINE bool is_valid() const { return true; }

 protected:
  enum class Kind : unsigned char { Grid, Block, Lanes };
  NEGZERO_INLINE explicit thread_group(Kind kind, unsigned mask = 0, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size), kind_(kind) {}
  friend thread_group tiled_partition(const thread_group& parent, unsigned size);

  unsigned mask_;       ///< of lanes, where it is lanes of one warp
  unsigned meta_rank_;  ///< which of the groups that a partition has made this is
  unsigned meta_size_;  ///< how many groups that partition has made
  Kind kind_;
};

/// Scratch memory of tiles of more than one warp, which the host has not: see thread_block_tile.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {};

/// All threads of the block.
class thread_block : public thread_group {
 public:
  struct arrival_token {};

  NEGZERO_INLINE thread_block() : thread_group(Kind::Block) {}

  static NEGZERO_INLINE void sync(NEGZERO_CALL_SITE) {
    details::threads::wait_at_barrier(details::BarrierKind::Sync, {file, line, column});
  }
  /// A barrier in two halves. The second one waits for both: what a thread does between them is then ordered before
  /// what others do behind it, so the watch misses a race that CUDA would have there.
  NEGZERO_INLINE arrival_token barrier_arrive() const { return {}; }
  NEGZERO_INLINE void barrier_wait(arrival_token&&, NEGZERO_CALL_SITE) const {
    details::threads::wait_at_barrier(details::BarrierKind::Sync, {file, line, column});
  }

  static NEGZERO_INLINE unsigned size() { return details::threads_in_block(); }
  static NEGZERO_INLINE unsigned num_threads() { return details::threads_in_block(); }
  static NEGZERO_INLINE unsigned thread_rank() { return details::thread_in_block(); }
  static NEGZERO_INLINE dim3 group_index() { return negzero::engine::current.block_index; }
  static NEGZERO_INLINE dim3 thread_index() { return negzero::engine::current.thread_index; }
  static NEGZERO_INLINE dim3 group_dim() { return negzero::engine::current.block_dim; }
  static NEGZERO_INLINE dim3 dim_threads() { return negzero::engine::current.block_dim; }
};

NEGZERO_INLINE thread_block this_thread_block() { return {}; }
template <unsigned MaxBlockSize>
NEGZERO_INLINE thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return {};
}

template <typename Group>
NEGZERO_INLINE void sync(const Group& group, NEGZERO_CALL_SITE) {
  group.sync(file, line, column);
}
template <typename Group>
NEGZERO_INLINE auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <typename Group>
NEGZERO_INLINE auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

}  // namespace NEGZERO_BUILD
}  // namespace cooperative_groups

// Cooperative groups on the host: the grid, and what the host has not (clusters, several devices).

#pragma once

#include <negzero/cuda/groups.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace cooperative_groups {
inline namespace NEGZERO_BUILD {

namespace details {

template <typename>
inline constexpr bool kHasClusters = false;

}  // namespace details

/// All threads of the grid. sync() works in every launch, whereas CUDA wants a cooperative one.
class grid_group : public thread_group {
 public:
  struct arrival_token {};

  NEGZERO_INLINE grid_group() : thread_group(Kind::Grid) {}

  NEGZERO_INLINE void sync(NEGZERO_CALL_SITE) const { details::wait_at_grid({file, line, column}); }
  /// As thread_block::barrier_arrive(): the second half waits for both.
  NEGZERO_INLINE arrival_token barrier_arrive() const { return {}; }
  NEGZERO_INLINE void barrier_wait(arrival_token&&, NEGZERO_CALL_SITE) const {
    details::wait_at_grid({file, line, column});
  }

  static NEGZERO_INLINE unsigned long long block_rank() {
    const dim3 at = block_index();
    const dim3 blocks = dim_blocks();
    return (std::uint64_t{at.z} * blocks.y + at.y) * blocks.x + at.x;
  }
  static NEGZERO_INLINE unsigned long long num_blocks() {
    const dim3 blocks = dim_blocks();
    return std::uint64_t{blocks.x} * blocks.y * blocks.z;
  }
  static NEGZERO_INLINE unsigned long long size() { return num_blocks() * details::threads_in_block(); }
  static NEGZERO_INLINE unsigned long long num_threads() { return size(); }
  static NEGZERO_INLINE unsigned long long thread_rank() {
    return block_rank() * details::threads_in_block() + details::thread_in_block();
  }
  static NEGZERO_INLINE dim3 group_dim() { return negzero::engine::current.grid_dim; }
  static NEGZERO_INLINE dim3 dim_blocks() { return negzero::engine::current.grid_dim; }
  static NEGZERO_INLINE dim3 block_index() { return negzero::engine::current.block_index; }
  static NEGZERO_INLINE dim3 thread_index() {
    const dim3 at = block_index();
    const dim3 block = negzero::engine::current.block_dim;
    const uint3& thread = negzero::engine::current.thread_index;
    return {at.x * block.x + thread.x, at.y * block.y + thread.y, at.z * block.z + thread.z};
  }
  static NEGZERO_INLINE dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    const dim3 block = negzero::engine::current.block_dim;
    return {blocks.x * block.x, blocks.y * block.y, blocks.z * block.z};
  }
};

NEGZERO_INLINE grid_group this_grid() { return {}; }

/// The host has no clusters of blocks: their shared memory cannot be reached from another block. A file may name the
/// type; a call of this does not compile.
class cluster_group;
template <typename T = void>
cluster_group& this_cluster() {
  static_assert(details::kHasClusters<T>, "negzero: clusters of blocks do not exist on the host");
  __builtin_unreachable();
}

}  // namespace NEGZERO_BUILD
}  // namespace cooperative_groups

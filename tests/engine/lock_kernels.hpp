// Launch wrappers of kernels that lock, queue and wait for each other: correct ones, and some that wait for ever.

#pragma once

#include <cstddef>

#include <negzero/engine/stream.hpp>

namespace negzero_tests {

using negzero::engine::Stream;

/// What one such kernel works on. All memory is zero at first.
struct LockArgs {
  static constexpr unsigned kSync = 8;   ///< words before those of `each`
  static constexpr unsigned kEach = 4;   ///< words that each thread of the grid has in `sync`
  static constexpr unsigned kData = 64;  ///< words of `data`
  unsigned* sync = nullptr;              ///< locks, flags, tickets
  unsigned* data = nullptr;              ///< [0]: what was done under the lock; [1]: how often something was wrong
  unsigned rounds = 1;                   ///< how often each thread, warp or block does it
};

/// Who locks: data[0] is `rounds` times their number in the end.
enum class Unit { Thread, Warp, Block };

/// A kernel and where it is right.
struct LockKernel {
  const char* name;
  Unit unit;
  unsigned min_blocks, min_threads;  ///< of the grid and of a block
  unsigned multiple;                 ///< a block has a multiple of so many threads

  /// How many of them a grid has.
  [[nodiscard]] constexpr unsigned units(unsigned blocks, unsigned threads) const {
    return unit == Unit::Thread ? blocks * threads : unit == Unit::Warp ? blocks * threads / 32 : blocks;
  }
};

/// All that are right.
inline constexpr LockKernel kLockKernels[] = {
    {"test_and_set", Unit::Thread, 1, 1, 1},
    {"spin_then_enter", Unit::Thread, 1, 1, 1},
    {"test_and_sleep", Unit::Thread, 1, 1, 1},
    {"sleep_inside", Unit::Thread, 1, 1, 1},
    {"warp_lock", Unit::Warp, 1, 32, 32},
    {"warp_tries_together", Unit::Warp, 1, 32, 32},
    {"block_lock", Unit::Block, 1, 1, 1},
    {"ticket", Unit::Thread, 1, 1, 1},
    {"ticket_backoff", Unit::Thread, 1, 1, 1},
    {"ticket_of_blocks", Unit::Block, 1, 1, 1},
    {"mcs", Unit::Thread, 1, 1, 1},
    {"semaphore", Unit::Thread, 1, 1, 1},
    {"semaphore_backoff", Unit::Thread, 1, 1, 1},
    {"semaphore_cas", Unit::Thread, 1, 1, 1},
    {"read_write_lock", Unit::Thread, 1, 1, 1},
    {"philosophers", Unit::Thread, 1, 1, 1},
    {"bounded_queue", Unit::Thread, 1, 2, 2},
    {"look_back", Unit::Block, 1, 1, 1},
    {"look_back_by_index", Unit::Block, 1, 1, 1},
    {"look_back_by_warp", Unit::Block, 1, 32, 32},
    {"chain_at_barriers_up", Unit::Block, 1, 1, 1},
    {"chain_at_barriers_down", Unit::Block, 1, 1, 1},
    {"chain_of_threads_up", Unit::Thread, 1, 1, 1},
    {"chain_of_threads_down", Unit::Thread, 1, 1, 1},
    {"stream_k", Unit::Block, 1, 1, 1},
    {"grid_barrier", Unit::Block, 1, 1, 1},
    {"thread_barrier", Unit::Thread, 1, 1, 1},
    {"peterson", Unit::Thread, 1, 1, 1},
};

#define NEGZERO_TESTS_LOCK_GROUP(group) \
  bool run_##group##_kernel(const char* name, Stream& stream, unsigned blocks, unsigned threads, const LockArgs& args);
#define NEGZERO_TESTS_LOCK_WRAPPERS(executor)                                                         \
  namespace executor {                                                                                \
  NEGZERO_TESTS_LOCK_GROUP(lock)                                                                      \
  NEGZERO_TESTS_LOCK_GROUP(handover)                                                                  \
  NEGZERO_TESTS_LOCK_GROUP(deadlock)                                                                  \
  /** Runs the kernel of that name; false where there is none. */                                     \
  inline bool run_waiting_kernel(const char* name, Stream& stream, unsigned blocks, unsigned threads, \
                                 const LockArgs& args) {                                              \
    return run_lock_kernel(name, stream, blocks, threads, args) ||                                    \
           run_handover_kernel(name, stream, blocks, threads, args) ||                                \
           run_deadlock_kernel(name, stream, blocks, threads, args);                                  \
  }                                                                                                   \
  }
NEGZERO_TESTS_LOCK_WRAPPERS(host)
NEGZERO_TESTS_LOCK_WRAPPERS(watched)
NEGZERO_TESTS_LOCK_WRAPPERS(cuda)
#undef NEGZERO_TESTS_LOCK_WRAPPERS
#undef NEGZERO_TESTS_LOCK_GROUP

}  // namespace negzero_tests

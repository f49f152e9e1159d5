// Launch wrappers of kernels that lock, queue and wait for each other: correct ones, and some that wait for ever.

#pragma once

#include <cstddef>

#include <negzero/simt/stream.hpp>

namespace negzero_tests {

using negzero::simt::Stream;

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

// Launch wrappers of the kernels that the tests of the watch run: one fault each, or none.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/engine/stream.hpp>

namespace negzero_tests {

using negzero::engine::Stream;

/// Memory of one test kernel: 256 elements each, registered under these names by the tests.
struct WatchArgs {
  const float* in = nullptr;
  float* out = nullptr;
  unsigned* counter = nullptr;
  float* scratch = nullptr;
  unsigned short* halves = nullptr;  ///< 5 of them: the word around the last ends 2 bytes past it
  /// 17 of them, in rows of 4 from element 1 on, 6 apart: the others are padding.
  unsigned short* rows = nullptr;
  int n = 256;
};

#define NEGZERO_TESTS_WATCH_GROUP(group) \
  bool run_##group##_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args);
#define NEGZERO_TESTS_WATCH_WRAPPERS(executor)                                                                     \
  namespace executor {                                                                                             \
  NEGZERO_TESTS_WATCH_GROUP(bounds)                                                                                \
  NEGZERO_TESTS_WATCH_GROUP(race)                                                                                  \
  NEGZERO_TESTS_WATCH_GROUP(fence)                                                                                 \
  NEGZERO_TESTS_WATCH_GROUP(confirm)                                                                               \
  NEGZERO_TESTS_WATCH_GROUP(copy)                                                                                  \
  NEGZERO_TESTS_WATCH_GROUP(group)                                                                                 \
  NEGZERO_TESTS_WATCH_GROUP(barrier)                                                                               \
  /** Runs the kernel of that name; false where there is none. */                                                  \
  inline bool run_watch_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) { \
    return run_bounds_kernel(name, stream, blocks, threads, args) ||                                               \
           run_race_kernel(name, stream, blocks, threads, args) ||                                                 \
           run_fence_kernel(name, stream, blocks, threads, args) ||                                                \
           run_confirm_kernel(name, stream, blocks, threads, args) ||                                              \
           run_copy_kernel(name, stream, blocks, threads, args) ||                                                 \
           run_group_kernel(name, stream, blocks, threads, args) ||                                                \
           run_barrier_kernel(name, stream, blocks, threads, args);                                                \
  }                                                                                                                \
  }
NEGZERO_TESTS_WATCH_WRAPPERS(host)
NEGZERO_TESTS_WATCH_WRAPPERS(watched)
NEGZERO_TESTS_WATCH_WRAPPERS(cuda)
#undef NEGZERO_TESTS_WATCH_WRAPPERS
#undef NEGZERO_TESTS_WATCH_GROUP

}  // namespace negzero_tests

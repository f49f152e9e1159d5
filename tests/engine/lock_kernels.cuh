// What the kernels that lock share: where they are, a name each, and the launch.

#pragma once

#include <cstddef>
#include <cstring>

#include <negzero/cuda/cuda.hpp>

#include "lock_kernels.hpp"

namespace {

using negzero_tests::LockArgs;
using negzero_tests::Stream;

[[maybe_unused]] __device__ unsigned global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
[[maybe_unused]] __device__ unsigned grid_threads() { return gridDim.x * blockDim.x; }
/// One word of thread `thread` of the grid.
[[maybe_unused]] __device__ unsigned* word_of(const LockArgs& args, unsigned thread, unsigned word) {
  return args.sync + LockArgs::kSync + thread * LockArgs::kEach + word;
}
[[maybe_unused]] __device__ unsigned load(unsigned* word) { return atomicAdd(word, 0u); }
/// What is done under a lock: plain accesses, so that two at a time would lose one or race.
[[maybe_unused]] __device__ void count(const LockArgs& args) {
  __threadfence();
  args.data[0] = args.data[0] + 1;
  __threadfence();
}
[[maybe_unused]] __device__ void expect(const LockArgs& args, bool right) {
  if (!right) atomicAdd(&args.data[1], 1u);
}
[[maybe_unused]] __device__ void wait_for_cycles(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

struct LockEntry {
  const char* name;
  void (*kernel)(LockArgs);
};

/// Runs the kernel of that name; false where there is none.
template <std::size_t kCount>
bool run_entry(const LockEntry (&entries)[kCount], const char* name, Stream& stream, unsigned blocks, unsigned threads,
               const LockArgs& args) {
  for (const LockEntry& entry : entries) {
    if (std::strcmp(entry.name, name) != 0) continue;
    negzero::launch(stream, entry.kernel, blocks, threads, 0, args);
    return true;
  }
  return false;
}

}  // namespace

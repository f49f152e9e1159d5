// Kernels that wait for ever.

#include "lock_kernels.cuh"

namespace {

__global__ void never_released_kernel(LockArgs args) {
  while (atomicCAS(args.sync, 0u, 1u) != 0u) {
  }
  count(args);
}

__global__ void taken_twice_kernel(LockArgs args) {
  for (int i = 0; i < 2; ++i) {
    while (atomicCAS(args.sync, 0u, 1u) != 0u) {
    }
  }
  atomicExch(args.sync, 0u);
}

/// Even threads have the first lock of a pair and want the second; odd ones the other way round.
__global__ void circular_kernel(LockArgs args) {
  const unsigned self = global_thread() % 2, pair = global_thread() - self;
  if (pair + 1 >= grid_threads()) return;
  while (atomicCAS(word_of(args, pair + self, 0), 0u, 1u) != 0u) {
  }
  atomicAdd(word_of(args, pair, 1), 1u);
  while (load(word_of(args, pair, 1)) != 2u) {
  }
  while (atomicCAS(word_of(args, pair + 1 - self, 0), 0u, 1u) != 0u) __nanosleep(20);
}

__global__ void flag_kernel(LockArgs args) {
  while (load(args.sync) == 0u) {
  }
}

__global__ void sleeping_kernel(LockArgs args) {
  while (load(args.sync) == 0u) __nanosleep(100);
}

__global__ void volatile_flag_kernel(LockArgs args) {
  volatile unsigned* const flag = args.sync;
  while (*flag == 0u) {
  }
}

__global__ void at_barriers_kernel(LockArgs args) {
  NEGZERO_SHARED(unsigned, seen);
  bool ready = false;
  while (!ready) {
    if (threadIdx.x == 0) seen = load(args.sync);
    __syncthreads();
    ready = seen != 0u;
    __syncthreads();
  }
}

__global__ void at_warp_operations_kernel(LockArgs args) {
  unsigned seen = 0;
  while (seen == 0u) {
    if (threadIdx.x % 32 == 0) seen = load(args.sync);
    seen = __shfl_sync(0xffffffffu, seen, 0);
  }
}

/// The last block does not come to the barrier of the grid.
__global__ void absent_block_kernel(LockArgs args) {
  if (blockIdx.x == gridDim.x - 1) return;
  if (threadIdx.x == 0) {
    atomicAdd(args.sync, 1u);
    while (load(args.sync) < gridDim.x) {
    }
  }
  __syncthreads();
}

constexpr LockEntry kEntries[] = {
    {"never_released", never_released_kernel},
    {"taken_twice", taken_twice_kernel},
    {"circular", circular_kernel},
    {"flag", flag_kernel},
    {"sleeping", sleeping_kernel},
    {"volatile_flag", volatile_flag_kernel},
    {"at_barriers", at_barriers_kernel},
    {"at_warp_operations", at_warp_operations_kernel},
    {"absent_block", absent_block_kernel},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_deadlock_kernel(const char* name, Stream& stream, unsigned blocks, unsigned threads, const LockArgs& args) {
  return run_entry(kEntries, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR

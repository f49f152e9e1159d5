// Kernels whose lanes come together in __activemask() and coalesced_threads(), which needs more than one warp's luck.

#include <negzero/cuda/cuda.hpp>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#else
#include <negzero/cuda/group_partitions.hpp>
#endif

#include "active_kernels.hpp"

namespace {

namespace cg = cooperative_groups;
using negzero_tests::kLoopRow;

__global__ void all_together_kernel(bool synchronises, unsigned* out) {
  if (synchronises) __syncwarp();
  out[threadIdx.x] = __activemask();
}

/// A barrier or a vote comes between: the __syncwarp is not directly before.
__global__ void long_after_kernel(bool barrier, unsigned* out) {
  __syncwarp();
  if (barrier) {
    __syncthreads();
  } else {
    static_cast<void>(__any_sync(~0u, 1));
  }
  out[threadIdx.x] = __activemask();
}

__global__ void branch_kernel(unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned mask = 0;
  if (lane % 2 == 1) mask = __activemask();
  out[threadIdx.x] = mask;
}

/// Both ways of a branch, which meet behind it.
__global__ void two_ways_kernel(unsigned* out, unsigned* behind) {
  const unsigned lane = threadIdx.x % 32;
  unsigned mask = 0;
  if (lane < 12) {
    mask = __activemask();
  } else {
    mask = __activemask();
  }
  out[threadIdx.x] = mask;
  behind[threadIdx.x] = __activemask();
}

__global__ void elsewhere_kernel(int place, unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned mask = 0;
  if (lane < 20) {
    mask = __activemask();
  } else if (place == 0) {
    return;
  }
  if (place == 1) __syncthreads();
  if (place == 2) __syncwarp();
  if (place == 3) static_cast<void>(__shfl_sync(~0u, 1, 0));
  out[threadIdx.x] = mask;
}

/// Lane i goes round i % 4 times, and in each round i % 3 times within.
__global__ void loops_kernel(unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned* row = out + threadIdx.x * kLoopRow;
  unsigned at = 0;
  for (unsigned outer = 0; outer < lane % 4; ++outer) {
    for (unsigned inner = 0; inner < lane % 3; ++inner) row[at++] = __activemask();
    row[at++] = __activemask();
  }
  row[at++] = __activemask();
}

/// Lane 0 asks memory for what lane 1 does behind the call; `counts`: each question changes memory.
__global__ void asks_kernel(bool counts, unsigned* words, unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  if (lane == 0) {
    while (atomicAdd(&words[0], 0u) == 0u) {
      if (counts) atomicAdd(&words[1], 1u);
    }
  } else {
    out[threadIdx.x] = __activemask();
    if (lane == 1) atomicExch(&words[0], 1u);
  }
}

/// The first lane holds a lock that all take in turn while it gathers.
__global__ void locks_kernel(unsigned* lock, unsigned* sum) {
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  *sum += static_cast<unsigned>(__popc(__activemask()));
  __threadfence();
  atomicExch(lock, 0u);
}

/// Adds as the CUDA guide does where many threads add to one number: one atomic for all that come together.
__global__ void aggregate_kernel(int n, const int* in, unsigned* count, unsigned* sizes) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
    if (in[i] <= 0) continue;
    const cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) {
      atomicAdd(count, static_cast<unsigned>(active.size()));
      atomicMax(&sizes[0], static_cast<unsigned>(active.size()));
      atomicMin(&sizes[1], static_cast<unsigned>(active.size()));
    }
  }
}

__device__ void add_together(unsigned* count) {
  const cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(count, static_cast<unsigned>(active.size()));
}
__device__ __attribute__((noinline)) void add_out_of_line(unsigned* count) {
  const cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(count, static_cast<unsigned>(active.size()));
}

/// Both ways of a branch call one function: lanes of the two never come together.
__global__ void two_counts_kernel(bool out_of_line, unsigned* counts) {
  const unsigned lane = threadIdx.x % 32;
  if (out_of_line) {
    if (lane % 3 == 0) {
      add_out_of_line(&counts[0]);
    } else {
      add_out_of_line(&counts[1]);
    }
  } else {
    if (lane % 3 == 0) {
      add_together(&counts[0]);
    } else {
      add_together(&counts[1]);
    }
  }
  // No call is the last thing that the kernel does: a compiler would jump there instead.
  atomicAdd(&counts[2], 1u);
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void all_together(Stream& stream, int threads, bool synchronises, unsigned* out) {
  negzero::launch(stream, all_together_kernel, 1, threads, 0, synchronises, out);
}
void long_after(Stream& stream, int threads, bool barrier, unsigned* out) {
  negzero::launch(stream, long_after_kernel, 1, threads, 0, barrier, out);
}
void branch(Stream& stream, int threads, unsigned* out) { negzero::launch(stream, branch_kernel, 1, threads, 0, out); }
void two_ways(Stream& stream, int threads, unsigned* out, unsigned* behind) {
  negzero::launch(stream, two_ways_kernel, 1, threads, 0, out, behind);
}
void elsewhere(Stream& stream, int threads, int place, unsigned* out) {
  negzero::launch(stream, elsewhere_kernel, 1, threads, 0, place, out);
}
void loops(Stream& stream, int threads, unsigned* out) { negzero::launch(stream, loops_kernel, 1, threads, 0, out); }
void asks(Stream& stream, int threads, bool counts, unsigned* words, unsigned* out) {
  negzero::launch(stream, asks_kernel, 1, threads, 0, counts, words, out);
}
void locks(Stream& stream, int threads, unsigned* lock, unsigned* sum) {
  negzero::launch(stream, locks_kernel, 1, threads, 0, lock, sum);
}
void two_counts(Stream& stream, int threads, bool out_of_line, unsigned* counts) {
  negzero::launch(stream, two_counts_kernel, 1, threads, 0, out_of_line, counts);
}
void aggregate(Stream& stream, int threads, int n, const int* in, unsigned* count, unsigned* sizes) {
  negzero::launch(stream, aggregate_kernel, 1, threads, 0, n, in, count, sizes);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR

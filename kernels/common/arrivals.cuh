// How blocks that share a result find out who of them is the last: a counter in the workspace, and fences around it.

#pragma once

#include <negzero/cuda/cuda.hpp>

#include "grid.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// What blocks that share a result count their arrivals with: zeros before the launch that counts.
__global__ void clear_arrivals_kernel(unsigned* arrived, int64_t count) {
  for (int64_t i = first_piece(); i < count; i += piece_stride()) arrived[i] = 0;
}

/// Whether this block is the last of `expected` to arrive. Called by one thread, between two barriers of its block.
///
/// The fence before the count publishes what the block wrote before the first barrier; the fence after it lets the
/// block see, after the second, what the others had published (PTX ISA, memory consistency model: release and acquire
/// patterns are cumulative over barriers).
__device__ inline bool arrives_last(unsigned* arrived, unsigned expected) {
  __threadfence();
  const bool last = atomicAdd(arrived, 1u) + 1 == expected;
  __threadfence();
  return last;
}

}  // namespace
}  // namespace negzero::kernels

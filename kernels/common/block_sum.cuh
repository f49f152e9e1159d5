// The sum of a value from each thread of a block, by a tree in shared memory.

#pragma once

#include <negzero/cuda/cuda.hpp>

#include "numbers.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Folds the upper half of `scratch` onto the lower until one value is left, which thread 0 gets; the others get 0. For
/// blocks of a power of two of threads along x, with `scratch` one float a thread.
///
/// Nobody but thread 0 touches scratch[0] after the last barrier, so the block may call it again with no barrier
/// between.
__device__ inline float block_sum(float* scratch, float value) {
  const unsigned lane = threadIdx.x;
  scratch[lane] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (lane < half) scratch[lane] = add(scratch[lane], scratch[lane + half]);
    __syncthreads();
  }
  return lane == 0 ? scratch[0] : 0.0f;
}

}  // namespace
}  // namespace negzero::kernels

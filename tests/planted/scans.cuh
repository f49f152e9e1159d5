// What planted scans share.

#pragma once

#include "planted.cuh"

namespace negzero::kernels {
namespace {

/// The inclusive sum of the values of a block of kBlock threads up to this one (Hillis and Steele), in `partial`, which
/// has an element for each thread and is free when all threads have called this.
template <int kBlock>
__device__ float scan_block(float* partial, float value) {
  const int thread = static_cast<int>(threadIdx.x);
  partial[thread] = value;
  __syncthreads();
  for (int step = 1; step < kBlock; step *= 2) {
    const float below = thread >= step ? partial[thread - step] : 0.0f;
    __syncthreads();
    if (thread >= step) partial[thread] = value = below + value;
    __syncthreads();
  }
  return value;
}

/// Of a grid with a row along y. `tile`: what is said of columns; 0: nothing.
inline operation::Limits scan_limits(int64_t tile) {
  ExtentLimit columns{};
  if (tile != 0) columns.tiles = {tile};
  return {.extents = {{"rows", {.max = kMostBlocks}}, {"columns", columns}}};
}

}  // namespace
}  // namespace negzero::kernels

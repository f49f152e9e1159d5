// Kernels that wait by volatile loads alone: files that name `volatile` are compiled so that others get a turn.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"

namespace {

/// The last thread of each block waits for the last one of the next block, all others for the last of their own.
__global__ void wait_by_volatile_kernel(volatile unsigned* flags) {
  const unsigned awaited = blockIdx.x + (threadIdx.x + 1 == blockDim.x ? 1 : 0);
  if (awaited < gridDim.x) {
    while (flags[awaited] == 0u) {
    }
  }
  if (threadIdx.x + 1 == blockDim.x) flags[blockIdx.x] = 1u;
}

__global__ void spin_on_volatile_kernel(volatile unsigned* flag) {
  while (*flag == 0u) {
  }
}

/// Warp 0 hands tiles of 32 numbers to warp 1 through two stages; every lane asks for its turn.
__global__ void pipeline_kernel(const float* in, float* out, int tiles) {
  NEGZERO_SHARED(float, stages, [2][32]);
  NEGZERO_SHARED(int, flags, [2]);
  volatile int* full = flags;
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 2) full[threadIdx.x] = 0;
  __syncthreads();
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    const int wanted = threadIdx.x < 32 ? 0 : 1;
    while (full[stage] != wanted) {
    }
    __threadfence_block();
    if (wanted == 0) stages[stage][lane] = in[static_cast<unsigned>(tile) * 32 + lane];
    if (wanted == 1) sum += stages[stage][lane];
    __threadfence_block();
    __syncwarp();
    if (lane == 0) full[stage] = 1 - wanted;
    __syncwarp();
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void pipeline(Stream& stream, const float* in, float* out, int tiles) {
  negzero::launch(stream, pipeline_kernel, 1, 64, 0, in, out, tiles);
}

void wait_by_volatile(Stream& stream, int blocks, int threads, unsigned* flags) {
  negzero::launch(stream, wait_by_volatile_kernel, blocks, threads, 0, flags);
}

void spin_on_volatile(Stream& stream, unsigned* flag) {
  negzero::launch(stream, spin_on_volatile_kernel, 1, 1, 0, flag);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR

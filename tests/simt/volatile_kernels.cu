// Kernels that wait by volatile loads alone: files that name `volatile` are compiled so that others get a turn.

#include <negzero/simt/simt.hpp>

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

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void wait_by_volatile(Stream& stream, int blocks, int threads, unsigned* flags) {
  negzero::launch(stream, wait_by_volatile_kernel, blocks, threads, 0, flags);
}

void spin_on_volatile(Stream& stream, unsigned* flag) {
  negzero::launch(stream, spin_on_volatile_kernel, 1, 1, 0, flag);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR

// Kernels whose threads wait for each other by cooperative groups, or forget to.

#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#endif

#include "watch_kernels.cuh"

#ifndef __CUDACC__
#include <negzero/cuda/group_copies.hpp>
#include <negzero/cuda/group_grid.hpp>
#endif

namespace {

namespace cg = cooperative_groups;

/// Overwrites what another block has written.
template <bool kWaits>
__global__ void grid_exchange_kernel(WatchArgs args) {
  const auto self = global_thread();
  const auto other = (self + blockDim.x) % (gridDim.x * blockDim.x);
  args.scratch[self] = args.in[self];
  if (kWaits) {
    cg::this_grid().sync();
  } else {
    __syncthreads();
  }
  args.scratch[other] = 1.0f;
}

/// Overwrites what another lane of the tile has written.
template <bool kWaits>
__global__ void tile_exchange_kernel(WatchArgs args) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const auto self = global_thread();
  args.scratch[self] = args.in[self];
  if (kWaits) {
    tile.sync();
  } else {
    static_cast<void>(tile.shfl(self, 0));  // orders no memory
  }
  args.scratch[self ^ 1] = 1.0f;
}

template <bool kWaits, unsigned kExcess>
__global__ void group_copy_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, stage, [64]);
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, stage, args.in + 192, 256 + kExcess);
  if (kWaits) cg::wait(block);
  stage[63 - threadIdx.x] = 1.0f;
}

/// Waits for one copy too few of two.
template <unsigned kPrior>
__global__ void group_copies_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, stage, [2][64]);
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, stage[0], args.in, 256);
  cg::memcpy_async(block, stage[1], args.in + 64, 256);
  cg::wait_prior<kPrior>(block);
  args.scratch[threadIdx.x] = stage[0][63 - threadIdx.x] + stage[1][63 - threadIdx.x];
}

constexpr WatchEntry kKernels[] = {
    {"grid_exchange", grid_exchange_kernel<true>},
    {"grid_exchange_no_wait", grid_exchange_kernel<false>},
    {"tile_exchange", tile_exchange_kernel<true>},
    {"tile_exchange_no_wait", tile_exchange_kernel<false>},
    {"group_copy", group_copy_kernel<true, 0>},
    {"group_copy_no_wait", group_copy_kernel<false, 0>},
    {"group_copies", group_copies_kernel<0>},
    {"group_copies_one_too_few", group_copies_kernel<1>},
    {"group_copy_past_end", group_copy_kernel<true, 4>},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_group_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  return run_entry(kKernels, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR

// Exclusive sums of rows by Blelloch's two sweeps over a tree in shared memory (Blelloch, CMU-CS-90-190, 1990).

#include <negzero/cuda/cuda.hpp>

#include "../common/scan.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Elements of a tile: two a thread.
constexpr unsigned kTile = 2 * kScanThreads;

/// Sums of pairs, then of pairs of these, up to the whole tile in the last element.
__device__ void sweep_up(float* tree) {
  for (unsigned step = 1; step < kTile; step *= 2) {
    __syncthreads();
    const unsigned right = (threadIdx.x + 1) * 2 * step - 1;
    if (right < kTile) tree[right] = add(tree[right - step], tree[right]);
  }
}

/// What lies left of each node goes to its left child; to the right one with the left child's own sum.
__device__ void sweep_down(float* tree) {
  for (unsigned step = kTile / 2; step > 0; step /= 2) {
    __syncthreads();
    const unsigned right = (threadIdx.x + 1) * 2 * step - 1;
    if (right < kTile) {
      const float left = tree[right - step];
      tree[right - step] = tree[right];
      tree[right] = add(tree[right], left);
    }
  }
  __syncthreads();
}

__global__ void blelloch_kernel(Scan problem) {
  NEGZERO_SHARED(float, tree, [kTile]);
  for (int64_t row = blockIdx.x; row < problem.rows.rows; row += gridDim.x) {
    float carry = 0.0f;
    for (int64_t tile = 0; tile < problem.rows.columns; tile += kTile) {
      for (unsigned i = threadIdx.x; i < kTile; i += kScanThreads) {
        tree[i] = tile + i < problem.rows.columns ? problem.rows.at(row, tile + i) : 0.0f;
      }
      sweep_up(tree);
      __syncthreads();
      const float sum = tree[kTile - 1];
      __syncthreads();
      // What the tiles before sum to stands at the root, so that it goes to every element with the sweep.
      if (threadIdx.x == 0) tree[kTile - 1] = carry;
      sweep_down(tree);
      for (unsigned i = threadIdx.x; i < kTile; i += kScanThreads) {
        if (tile + i < problem.rows.columns) *problem.out(row, tile + i) = tree[i];
      }
      __syncthreads();
      carry = add(carry, sum);
    }
  }
}

kernel::LaunchResult launch_blelloch(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_scan(blelloch_kernel, args, stream);
}

const bool registered = kernel::registry().add({
    .name = "scan.exclusive.blelloch.f32",
    .operation = "scan.exclusive",
    .about = "a block a row, tiles swept up and down a tree in shared memory",
    // Eight levels up, the carry from tile to tile, and eight levels down.
    .contract = scan_contract(contract::Determinism::GpuToGpu, "15 + ceil_div(columns, 256)"),
    .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kTile}}}}},
    .launch = launch_blelloch,
});

}  // namespace
}  // namespace negzero::kernels

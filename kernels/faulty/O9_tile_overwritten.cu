// O9: a transpose without a barrier between reading a tile and writing the next one into the same shared memory.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/transpose.cuh"

namespace negzero::kernels {
namespace {

/// Few blocks, so that a small matrix has several tiles for each: with one tile a block the barrier has no part.
constexpr int64_t kFewBlocks = 2;

/// A block of kTile * kTile threads walks over every gridDim-th tile.
template <bool kFaulty>
__global__ void transpose_kernel(TransposeProblem problem) {
  NEGZERO_SHARED(float, tile, [kTile][kTile + 1]);
  const int across = static_cast<int>(threadIdx.x) % kTile, down = static_cast<int>(threadIdx.x) / kTile;
  for (int64_t piece = blockIdx.x; piece < problem.tiles(); piece += gridDim.x) {
    const int64_t top = piece / problem.tiles_across() * kTile, left = piece % problem.tiles_across() * kTile;
    if (top + down < problem.rows && left + across < problem.columns) {
      tile[down][across] = problem.x.at(top + down, left + across);
    }
    __syncthreads();
    if (left + down < problem.columns && top + across < problem.rows) {
      problem.y.at(left + down, top + across) = tile[across][down];
    }
    if (!kFaulty) __syncthreads();
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_transpose(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_tiles(transpose_kernel<kFaulty>, args, kFewBlocks, stream);
}

const bool registered = kernel::add_fault({.id = "O9",
                                           .slug = "tile_overwritten",
                                           .twin_slug = "tile_after_barrier",
                                           .about = "the next tile is written while others still read the last one",
                                           .twin_about = "a barrier between reading a tile and writing the next one",
                                           .seen_in = "HeCBench#253, RAJA PR#1917",
                                           .operation = kTranspose,
                                           .contract = fixed_order_contract(),
                                           .limits = transpose_limits(),
                                           .reference = transpose_reference(),
                                           .faulty = launch_transpose<true>,
                                           .twin = launch_transpose<false>});

}  // namespace
}  // namespace negzero::kernels

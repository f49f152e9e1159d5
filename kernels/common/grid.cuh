// Grids that fold any amount of work into blocks along x.

#pragma once

#include <algorithm>
#include <cstdint>

#include <negzero/cuda/cuda.hpp>

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

using std::int64_t;

/// Kernels stride over what is left beyond this many blocks, so no extent meets a limit of the grid: y and z end at
/// 65535, and with a block for each piece of work the pieces past it would never be done.
constexpr int64_t kMostBlocks = 1 << 14;

/// Blocks for `work` pieces at `per_block` each; at least one piece is required.
template <typename Count>
unsigned blocks_for(Count work, Count per_block) {
  return static_cast<unsigned>(std::min<Count>((work + per_block - 1) / per_block, kMostBlocks));
}

/// The first piece of this thread, and the distance to its next, where a piece is one thread's work.
template <typename Count = int64_t>
__device__ Count first_piece() {
  return static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
}
template <typename Count = int64_t>
__device__ Count piece_stride() {
  return static_cast<Count>(gridDim.x) * blockDim.x;
}

}  // namespace
}  // namespace negzero::kernels

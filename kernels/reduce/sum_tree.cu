// Sum of rows by a tree in shared memory: each thread adds every blockDim-th element, then the halves are folded.

#include <negzero/cuda/cuda.hpp>

#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Grid: any number of blocks along x; a block of 2^q <= kMostThreads threads walks over every gridDim-th row.
__global__ void sum_tree_kernel(Rows<float, float> problem) {
  NEGZERO_SHARED(float, partial, [kMostThreads]);
  const unsigned lane = threadIdx.x;
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    float sum = 0.0f;
    for (int64_t column = lane; column < problem.columns; column += blockDim.x) {
      sum = add(sum, problem.at(row, column));
    }
    partial[lane] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (lane < half) partial[lane] = add(partial[lane], partial[lane + half]);
      __syncthreads();
    }
    if (lane == 0) problem.y[row * problem.y_stride] = partial[0];
    // Nobody but thread 0 touches partial[0] before the next row's first barrier, so none is needed here.
  }
}

kernel::LaunchResult launch_sum_tree(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(sum_tree_kernel, args, stream);
}

const bool registered = kernel::registry().add({
    .name = "reduce.sum.tree.f32",
    .operation = "reduce.sum",
    .about = "a block a row, partial sums folded in shared memory",
    .contract = {.wider = false,
                 .depth = {"ceil_div(columns, 256) + ceil_log2(min(columns, 256)) - 1"},
                 .start = contract::Start::PlusZero,
                 .zero_sign = contract::ZeroSign::Ieee,
                 .determinism = contract::Determinism::GpuToGpu,
                 .position_invariant = true},
    .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {32, kMostThreads}}}}},
    .launch = launch_sum_tree,
});

}  // namespace
}  // namespace negzero::kernels

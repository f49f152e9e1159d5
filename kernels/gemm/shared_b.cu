// GEMM of a batch that shares B, as a layer's weights are: the rows of all batches are tiles of one tall matrix.

#include <negzero/cuda/cuda.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using operation::LayoutOrder;

constexpr int kTile = 16;

/// Grid: any number of blocks along x, each of kTile x kTile threads; a block walks over every gridDim-th tile of the
/// batch * m rows and n columns, so that a tile of B serves rows of several batches.
__global__ void shared_b_kernel(GemmProblem<F32> problem) {
  NEGZERO_SHARED(float, tile_a, [kTile][kTile + 1]);
  NEGZERO_SHARED(float, tile_b, [kTile][kTile + 1]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t rows = problem.batch * problem.m;
  const int64_t tile_rows = (rows + kTile - 1) / kTile, tile_columns = (problem.n + kTile - 1) / kTile;
  for (int64_t tile = blockIdx.x; tile < tile_rows * tile_columns; tile += gridDim.x) {
    const int64_t row = tile / tile_columns * kTile + y;
    const Position at{row / problem.m, row % problem.m, tile % tile_columns * kTile + x};
    const bool row_inside = row < rows, column_inside = at.column < problem.n;
    float sum = 0.0f;
    for (int64_t k0 = 0; problem.reads_a_b && k0 < problem.k; k0 += kTile) {
      tile_a[y][x] = row_inside && k0 + x < problem.k ? problem.a.at(at.batch, at.row, k0 + x) : 0.0f;
      tile_b[y][x] = column_inside && k0 + y < problem.k ? problem.b.at(0, k0 + y, at.column) : 0.0f;
      __syncthreads();
      const int depth = problem.k - k0 < kTile ? static_cast<int>(problem.k - k0) : kTile;
      for (int i = 0; i < depth; ++i) sum = multiply_add(tile_a[y][i], tile_b[i][x], sum);
      __syncthreads();
    }
    if (row_inside && column_inside) problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

kernel::LaunchResult launch_shared_b(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = gemm_problem<F32>(args);
  const int64_t tiles = (problem.batch * problem.m + kTile - 1) / kTile * ((problem.n + kTile - 1) / kTile);
  if (tiles > 0) {
    launch(stream, shared_b_kernel, blocks_for<int64_t>(tiles, 1), dim3(kTile, kTile), 0, problem);
  }
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "gemm.shared_b.f32",
    .operation = "gemm",
    .about = "one B for the whole batch, 16 x 16 tiles of all its rows, one fma chain an output",
    .contract = chain_contract(),
    .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
               .extents = {{"m", {.tiles = {kTile}}}, {"n", {.tiles = {kTile}}}, {"k", {.tiles = {kTile}}}},
               .tensors = {{"b", {.order = LayoutOrder::RowMajor, .shared = {"batch"}}}}},
    .launch = launch_shared_b,
});

}  // namespace
}  // namespace negzero::kernels

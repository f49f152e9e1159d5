// GEMM of column-major matrices with leading dimensions, as the BLAS have it: 16 x 16 tiles, threads along columns.

#include <negzero/cuda/cuda.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using operation::LayoutOrder;

constexpr int kTile = 16;

/// What a BLAS is given of a batch of matrices: element (row, column) lies at data[row + column * ld].
template <typename T>
struct Columns {
  T* data;
  int64_t ld, batch_stride;

  __device__ T& at(int64_t batch, int64_t row, int64_t column) const {
    return data[batch * batch_stride + row + column * ld];
  }
};

template <typename T>
Columns<T> columns_of(const Matrices<T>& matrices) {
  return {matrices.data, matrices.column_stride, matrices.batch_stride};
}

/// Grid: any number of blocks along x, each of kTile x kTile threads, x along the rows, which are neighbours in memory;
/// a block walks over every gridDim-th tile of d.
__global__ void column_major_kernel(GemmProblem<F32> problem, Columns<const float> a, Columns<const float> b,
                                    Columns<const float> c, Columns<float> d) {
  NEGZERO_SHARED(float, tile_a, [kTile][kTile + 1]);
  NEGZERO_SHARED(float, tile_b, [kTile][kTile + 1]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t tile_rows = (problem.m + kTile - 1) / kTile, tile_columns = (problem.n + kTile - 1) / kTile;
  for (int64_t tile = blockIdx.x; tile < problem.batch * tile_rows * tile_columns; tile += gridDim.x) {
    const Position at{tile / (tile_rows * tile_columns), tile % tile_rows * kTile + x,
                      tile / tile_rows % tile_columns * kTile + y};
    const bool row_inside = at.row < problem.m, column_inside = at.column < problem.n;
    float sum = 0.0f;
    for (int64_t k0 = 0; problem.reads_a_b && k0 < problem.k; k0 += kTile) {
      tile_a[y][x] = row_inside && k0 + y < problem.k ? a.at(at.batch, at.row, k0 + y) : 0.0f;
      tile_b[y][x] = column_inside && k0 + x < problem.k ? b.at(at.batch, k0 + x, at.column) : 0.0f;
      __syncthreads();
      const int depth = problem.k - k0 < kTile ? static_cast<int>(problem.k - k0) : kTile;
      for (int i = 0; i < depth; ++i) sum = multiply_add(tile_a[i][x], tile_b[y][i], sum);
      __syncthreads();
    }
    if (!row_inside || !column_inside) continue;
    float value = problem.reads_a_b ? multiply(problem.alpha, sum) : sum;
    if (problem.reads_c) {
      const float addend = c.at(at.batch, at.row, at.column);
      value = problem.reads_a_b ? multiply_add(problem.beta, addend, value) : multiply(problem.beta, addend);
    }
    d.at(at.batch, at.row, at.column) = value;
  }
}

kernel::LaunchResult launch_column_major(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = gemm_problem<F32>(args);
  const int64_t tiles = problem.batch * ((problem.m + kTile - 1) / kTile) * ((problem.n + kTile - 1) / kTile);
  if (tiles > 0) {
    launch(stream, column_major_kernel, blocks_for<int64_t>(tiles, 1), dim3(kTile, kTile), 0, problem,
           columns_of(problem.a), columns_of(problem.b), columns_of(problem.c), columns_of(problem.d));
  }
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "gemm.column_major.f32",
    .operation = "gemm",
    .about = "column-major matrices with leading dimensions, 16 x 16 tiles, one fma chain an output",
    .contract = chain_contract(),
    .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
               .extents = {{"m", {.tiles = {kTile}}}, {"n", {.tiles = {kTile}}}, {"k", {.tiles = {kTile}}}},
               .inputs = {.order = LayoutOrder::ColumnMajor, .broadcast = false},
               .output = {.order = LayoutOrder::ColumnMajor}},
    .launch = launch_column_major,
});

}  // namespace
}  // namespace negzero::kernels

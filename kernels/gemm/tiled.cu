// GEMM by 16 x 16 tiles in shared memory: a block loads a tile of A and one of B, waits, uses them, waits.

#include <algorithm>
#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/gemm.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kTile = 16;

/// Grid: any number of blocks along x, each of kTile x kTile threads; a block walks over every gridDim-th tile of d.
template <class Number>
__global__ void tiled_kernel(GemmProblem<Number> problem) {
  using Value = typename Number::Value;
  // One column more than is used: a column of the tile would otherwise lie in one or two banks.
  NEGZERO_SHARED(Value, tile_a, [kTile][kTile + 1]);
  NEGZERO_SHARED(Value, tile_b, [kTile][kTile + 1]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const Value zero(0.0f);

  const int64_t tile_rows = (problem.m + kTile - 1) / kTile, tile_columns = (problem.n + kTile - 1) / kTile;
  for (int64_t tile = blockIdx.x; tile < problem.batch * tile_rows * tile_columns; tile += gridDim.x) {
    const Position at{tile / (tile_rows * tile_columns), tile / tile_columns % tile_rows * kTile + y,
                      tile % tile_columns * kTile + x};
    const bool row_inside = at.row < problem.m, column_inside = at.column < problem.n;
    Value sum = zero;
    for (int64_t k0 = 0; problem.reads_a_b && k0 < problem.k; k0 += kTile) {
      tile_a[y][x] = row_inside && k0 + x < problem.k ? Number::widen(problem.a.at(at.batch, at.row, k0 + x)) : zero;
      tile_b[y][x] =
          column_inside && k0 + y < problem.k ? Number::widen(problem.b.at(at.batch, k0 + y, at.column)) : zero;
      __syncthreads();
      // Only the k that exist: adding the padding's 0 * 0 would be one more rounding step, and it turns -0 into +0.
      const int depth = problem.k - k0 < kTile ? static_cast<int>(problem.k - k0) : kTile;
      for (int i = 0; i < depth; ++i) sum = multiply_add(tile_a[y][i], tile_b[i][x], sum);
      __syncthreads();
    }
    if (row_inside && column_inside) problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

template <class Number>
kernel::LaunchResult launch_tiled(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = gemm_problem<Number>(args);
  const int64_t tiles = problem.batch * ((problem.m + kTile - 1) / kTile) * ((problem.n + kTile - 1) / kTile);
  if (tiles > 0) {
    launch(stream, tiled_kernel<Number>, blocks_for<int64_t>(tiles, 1), dim3(kTile, kTile), 0, problem);
  }
  return kernel::LaunchResult::launched();
}

template <class Number>
bool add_tiled(std::string name, std::string about, FormatId element, FormatId accumulator) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "gemm",
      .about = std::move(about),
      .contract = {.accumulate = accumulator,
                   .wider = false,
                   .order = contract::Order::Ascending,
                   .contraction = contract::Contraction::Fused,
                   .start = contract::Start::PlusZero,
                   .alpha = contract::AlphaPlace::Epilogue,
                   .beta = contract::BetaPlace::Epilogue,
                   .scalar_format = accumulator,
                   .zero_sign = contract::ZeroSign::Ieee,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{element, element, element}},
                 .extents = {{"m", {.tiles = {kTile}}}, {"n", {.tiles = {kTile}}}, {"k", {.tiles = {kTile}}}}},
      .launch = launch_tiled<Number>,
  });
}

const bool registered[] = {
    add_tiled<F32>("gemm.tiled.f32", "16 x 16 tiles in shared memory, one fma chain an output", FormatId::F32,
                   FormatId::F32),
    add_tiled<F16AccF32>("gemm.tiled.f16", "16 x 16 tiles, F16 in and out, F32 accumulator", FormatId::F16,
                         FormatId::F32),
    add_tiled<Bf16AccF32>("gemm.tiled.bf16", "16 x 16 tiles, BF16 in and out, F32 accumulator", FormatId::BF16,
                          FormatId::F32),
    add_tiled<F16AccF16>("gemm.tiled.f16_acc_f16", "16 x 16 tiles, F16 in, out and in the accumulator", FormatId::F16,
                         FormatId::F16),
    add_tiled<F64>("gemm.tiled.f64", "16 x 16 tiles, F64 throughout", FormatId::F64, FormatId::F64),
};

}  // namespace
}  // namespace negzero::kernels

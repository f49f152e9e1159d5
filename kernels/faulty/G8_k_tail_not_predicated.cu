// G8: the last tile of K is loaded whole, although K ends inside it.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kTile = 16;
/// The fault reads at most kTile - 1 rows of B past its end. With packed rows of at most this length those are less
/// than 4 KiB, so the read stays in the guard zone behind B, where the executor has put poison: wrong numbers, not a
/// crash.
constexpr int64_t kMostColumns = 64;
static_assert((kTile - 1) * kMostColumns * sizeof(float) < 4096);

/// As gemm.tiled.f32: grid of any size along x, blocks of kTile x kTile threads.
template <bool kFaulty>
__global__ void tiled_kernel(GemmProblem<F32> problem) {
  NEGZERO_SHARED(float, tile_a, [kTile][kTile + 1]);
  NEGZERO_SHARED(float, tile_b, [kTile][kTile + 1]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t tile_rows = (problem.m + kTile - 1) / kTile, tile_columns = (problem.n + kTile - 1) / kTile;
  for (int64_t tile = blockIdx.x; tile < problem.batch * tile_rows * tile_columns; tile += gridDim.x) {
    const Position at{tile / (tile_rows * tile_columns), tile / tile_columns % tile_rows * kTile + y,
                      tile % tile_columns * kTile + x};
    const bool row_inside = at.row < problem.m, column_inside = at.column < problem.n;
    float sum = 0.0f;
    for (int64_t k0 = 0; problem.reads_a_b && k0 < problem.k; k0 += kTile) {
      const bool a_inside = row_inside && (kFaulty || k0 + x < problem.k);
      const bool b_inside = column_inside && (kFaulty || k0 + y < problem.k);
      tile_a[y][x] = a_inside ? problem.a.at(at.batch, at.row, k0 + x) : 0.0f;
      tile_b[y][x] = b_inside ? problem.b.at(at.batch, k0 + y, at.column) : 0.0f;
      __syncthreads();
      for (int i = 0; i < kTile; ++i) sum = multiply_add(tile_a[y][i], tile_b[i][x], sum);
      __syncthreads();
    }
    if (row_inside && column_inside) problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_tiled(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = gemm_problem<F32>(args);
  const int64_t tiles = problem.batch * ((problem.m + kTile - 1) / kTile) * ((problem.n + kTile - 1) / kTile);
  if (tiles > 0) {
    launch(stream, tiled_kernel<kFaulty>, blocks_for<int64_t>(tiles, 1), dim3(kTile, kTile), 0, problem);
  }
  return kernel::LaunchResult::launched();
}

const bool registered =
    kernel::add_fault({.id = "G8",
                       .slug = "k_tail_not_predicated",
                       .twin_slug = "k_tail_predicated",
                       .about = "loads whole tiles of K: reads past K where it is not a multiple of 16",
                       .twin_about = "fills the last tile of K with zeros",
                       .seen_in = "cutlass#2697",
                       .operation = "gemm",
                       // zero_sign stays any: adding the 0 * 0 of the padding turns a sum of -0 into +0.
                       .contract = {.wider = false,
                                    .order = contract::Order::Ascending,
                                    .contraction = contract::Contraction::Fused,
                                    .start = contract::Start::PlusZero,
                                    .alpha = contract::AlphaPlace::Epilogue,
                                    .beta = contract::BetaPlace::Epilogue,
                                    .scalar_format = FormatId::F32,
                                    .determinism = contract::Determinism::GpuToGpu,
                                    .position_invariant = true},
                       .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
                                  .extents = {{"n", {.max = kMostColumns, .tiles = {kTile}}},
                                              {"m", {.tiles = {kTile}}},
                                              {"k", {.tiles = {kTile}}}},
                                  .inputs = {.order = operation::LayoutOrder::Packed, .broadcast = false}},
                       .faulty = launch_tiled<true>,
                       .twin = launch_tiled<false>});

}  // namespace
}  // namespace negzero::kernels

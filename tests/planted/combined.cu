// Faults that two things show together: a batch and a corner, a batch and slices of k, a second tile and a later step
// of k, several rows and many tiles.

#include <string>
#include <utility>

#include "scans.cuh"

namespace negzero::kernels {
namespace {

/// A tile of kTile x kTile: those of the whole tiles, or, behind them, of the ragged ones. `batches`: of those that
/// there are; the corner comes last.
template <int kTile>
__global__ void tiles_kernel(Gemm gemm, int64_t first_row, int64_t first_column) {
  multiply_tile<kTile>(gemm, blockIdx.z, first_row + int64_t{blockIdx.y} * kTile,
                       first_column + int64_t{blockIdx.x} * kTile);
}

/// Whole tiles with the strip at the right, the strip below, and the corner. The fault has the corner of one matrix.
template <int kTile, bool kFault>
kernel::LaunchResult launch_corners(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const auto down = static_cast<unsigned>(gemm.m / kTile), across = static_cast<unsigned>(gemm.n / kTile);
  const auto batch = static_cast<unsigned>(gemm.batch);
  const unsigned below = gemm.m % kTile == 0 ? 0 : 1, right = gemm.n % kTile == 0 ? 0 : 1;
  const int64_t row = int64_t{down} * kTile, column = int64_t{across} * kTile;
  const auto run = [&](dim3 grid, int64_t first_row, int64_t first_column) {
    if (grid.x * grid.y == 0) return;
    launch(stream, tiles_kernel<kTile>, grid, kThreads, 0, gemm, first_row, first_column);
  };
  run(dim3(across + right, down, batch), 0, 0);
  run(dim3(across, below, batch), row, 0);
  const bool is_small = down == 0 || across == 0;
  run(dim3(right, below, kFault && !is_small ? 1 : batch), row, column);
  return kernel::LaunchResult::launched();
}

/// Partial sums of kSlices slices of k. The fault has no place for the slices of a second batch, and the last one that
/// comes is there.
template <int kSlices, bool kFault>
__global__ void sliced_kernel(Gemm gemm, float* partial, int64_t per_slice) {
  const int64_t outputs = gemm.m * gemm.n, at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= outputs) return;
  const int64_t begin = blockIdx.y * per_slice, end = begin + per_slice < gemm.k ? begin + per_slice : gemm.k;
  float sum = 0.0f;
  for (int64_t k = begin; k < end; ++k) {
    sum = fmaf(gemm.a.at(blockIdx.z, at / gemm.n, k), gemm.b.at(blockIdx.z, k, at % gemm.n), sum);
  }
  const int64_t place = kFault ? blockIdx.y : int64_t{blockIdx.z} * kSlices + blockIdx.y;
  partial[place * outputs + at] = sum;
}

template <int kSlices, bool kFault>
__global__ void joining_kernel(Gemm gemm, const float* partial) {
  const int64_t outputs = gemm.m * gemm.n, at = blockIdx.x * int64_t{kThreads} + threadIdx.x, batch = blockIdx.y;
  if (at >= outputs) return;
  float sum = 0.0f;
  for (int slice = 0; slice < kSlices; ++slice) sum += partial[((kFault ? 0 : batch * kSlices) + slice) * outputs + at];
  gemm.d.at(batch, at / gemm.n, at % gemm.n) = sum;
}

/// Sums of less than a step of kDepth for each slice are not cut.
template <int kDepth, int kSlices, bool kFault>
kernel::LaunchResult launch_sliced(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const int64_t outputs = gemm.m * gemm.n, steps = pieces(gemm.k, kDepth);
  const auto blocks = static_cast<unsigned>(pieces(outputs, kThreads)), batch = static_cast<unsigned>(gemm.batch);
  const auto bytes = static_cast<std::size_t>(gemm.batch * outputs * kSlices) * sizeof(float);
  auto* const partial = static_cast<float*>(workspace.allocate(bytes));
  if (steps < kSlices) {
    launch(stream, sliced_kernel<1, false>, dim3(blocks, 1, batch), kThreads, 0, gemm, partial, gemm.k);
    launch(stream, joining_kernel<1, false>, dim3(blocks, batch), kThreads, 0, gemm, partial);
    return kernel::LaunchResult::launched();
  }
  launch(stream, sliced_kernel<kSlices, kFault>, dim3(blocks, kSlices, batch), kThreads, 0, gemm, partial,
         pieces(steps, kSlices) * kDepth);
  launch(stream, joining_kernel<kSlices, kFault>, dim3(blocks, batch), kThreads, 0, gemm, partial);
  return kernel::LaunchResult::launched();
}

/// k in steps of kDepth, kStages of which are loaded ahead. The fault's pointer to the rows of a later tile of A is not
/// moved on behind those.
template <int kTile, int kDepth, int kStages, bool kFault>
__global__ void staged_kernel(Gemm gemm) {
  const int64_t row = int64_t{blockIdx.y} * kTile, column = int64_t{blockIdx.x} * kTile, batch = blockIdx.z;
  constexpr int64_t kAhead = int64_t{kStages} * kDepth;
  for (int at = static_cast<int>(threadIdx.x); at < kTile * kTile; at += static_cast<int>(kThreads)) {
    const int64_t i = row + at / kTile, j = column + at % kTile;
    if (i >= gemm.m || j >= gemm.n) continue;
    float sum = 0.0f;
    for (int64_t k = 0; k < gemm.k; ++k) {
      const int64_t of_a = kFault && row > 0 && k >= kAhead ? k % kAhead : k;
      sum = fmaf(gemm.a.at(batch, i, of_a), gemm.b.at(batch, k, j), sum);
    }
    gemm.d.at(batch, i, j) = sum;
  }
}

template <int kTile, int kDepth, int kStages, bool kFault>
kernel::LaunchResult launch_staged(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const dim3 grid(static_cast<unsigned>(pieces(gemm.n, kTile)), static_cast<unsigned>(pieces(gemm.m, kTile)),
                  static_cast<unsigned>(gemm.batch));
  launch(stream, staged_kernel<kTile, kDepth, kStages, kFault>, grid, kThreads, 0, gemm);
  return kernel::LaunchResult::launched();
}

/// A block of 32 x kRows threads has the sums of kRows rows over kChunk columns, which other blocks add to. With the
/// fault rows of a second block and a later chunk go to the place of the first block's.
template <int kRows, int kChunk, bool kFault>
__global__ void chunks_of_rows_kernel(Rows rows, int64_t chunks, float* partial) {
  const int64_t row = int64_t{blockIdx.y} * kRows + threadIdx.y, chunk = blockIdx.x, begin = chunk * kChunk;
  if (row >= rows.rows) return;
  float sum = 0.0f;
  for (int64_t column = begin + threadIdx.x; column < begin + kChunk && column < rows.columns; column += 32) {
    sum += rows.x.at(row, column);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) partial[(kFault && chunk > 0 ? threadIdx.y : row) * chunks + chunk] = sum;
}

__global__ void joined_rows_kernel(Rows rows, int64_t chunks, const float* partial) {
  const int64_t row = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (row >= rows.rows) return;
  float sum = 0.0f;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += partial[row * chunks + chunk];
  rows.y.at(row) = sum;
}

template <int kRows, int kChunk, bool kFault>
kernel::LaunchResult launch_chunks_of_rows(const kernel::Args& args, kernel::Workspace& workspace,
                                           engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  const int64_t chunks = std::max<int64_t>(1, pieces(rows.columns, kChunk));
  const auto bytes = static_cast<std::size_t>(rows.rows * chunks) * sizeof(float);
  auto* const partial = static_cast<float*>(workspace.allocate(bytes));
  const dim3 grid(static_cast<unsigned>(chunks), static_cast<unsigned>(pieces(rows.rows, kRows)));
  launch(stream, chunks_of_rows_kernel<kRows, kChunk, kFault>, grid, dim3(32, kRows), 0, rows, chunks, partial);
  launch(stream, joined_rows_kernel, static_cast<unsigned>(pieces(rows.rows, kThreads)), kThreads, 0, rows, chunks,
         static_cast<const float*>(partial));
  return kernel::LaunchResult::launched();
}

template <int kTile>
operation::Limits grid_limits(bool has_hints) {
  ExtentLimit m{.max = kMostBlocks * kTile}, n{};
  if (has_hints) m.tiles = n.tiles = {kTile};
  return gemm_limits({{"batch", {.max = kMostBlocks}}, {"m", m}, {"n", n}});
}

template <int kTile>
bool plant_corners(const std::string& constant, bool has_hints) {
  return plant_gemm("corner_batch." + constant, "the corner of the first matrix alone is computed",
                    grid_limits<kTile>(has_hints), launch_corners<kTile, true>, launch_corners<kTile, false>);
}
template <int kDepth, int kSlices>
bool plant_sliced(const std::string& constant) {
  return plant_gemm("split_k_batch." + constant, "slices of all batches have one place", grid_limits<1>(false),
                    launch_sliced<kDepth, kSlices, true>, launch_sliced<kDepth, kSlices, false>);
}
template <int kTile, int kDepth, int kStages>
bool plant_staged(const std::string& constant, bool has_hints) {
  return plant_gemm("stages." + constant, "a later tile of A and a step of k behind those that are loaded ahead",
                    grid_limits<kTile>(has_hints), launch_staged<kTile, kDepth, kStages, true>,
                    launch_staged<kTile, kDepth, kStages, false>);
}
template <int kRows, int kChunk>
bool plant_chunks_of_rows(const std::string& constant) {
  return plant_rows("chunks_of_rows." + constant, "reduce.sum", "later chunks of later blocks of rows are misplaced",
                    {.extents = {{"rows", {.max = kMostBlocks * kRows}}}}, launch_chunks_of_rows<kRows, kChunk, true>,
                    launch_chunks_of_rows<kRows, kChunk, false>);
}

const bool planted[] = {
    plant_corners<16>("16", false),
    plant_corners<32>("32", false),
    plant_corners<64>("64", false),
    plant_corners<128>("128_hinted", true),
    plant_sliced<16, 2>("16_by_2"),
    plant_sliced<32, 4>("32_by_4"),
    plant_sliced<64, 4>("64_by_4"),
    plant_staged<32, 32, 2>("32_by_64", false),
    plant_staged<64, 32, 4>("64_by_128", false),
    plant_staged<128, 32, 3>("128_by_96_hinted", true),
    plant_chunks_of_rows<4, 256>("4_by_256"),
    plant_chunks_of_rows<8, 1024>("8_by_1024"),
    plant_chunks_of_rows<16, 512>("16_by_512"),
};

}  // namespace
}  // namespace negzero::kernels

// Sums and selections of rows: passes that end too early, rows that no block has, tails that lie in another row.

#include <string>
#include <utility>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

constexpr int kWarp = 32;

/// The sum of a warp's values, in all of its lanes.
__device__ float warp_sum(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

/// A warp a row. The first kHeld columns in registers, the others in a loop of their own, of which the fault makes one
/// step of a warp's width.
template <int kHeld, bool kFault>
__global__ void held_kernel(Rows rows) {
  const int64_t row = blockIdx.x;
  float sum = 0.0f;
  for (int64_t column = threadIdx.x; column < kHeld && column < rows.columns; column += kWarp) {
    sum += rows.x.at(row, column);
  }
  for (int64_t column = kHeld + threadIdx.x; column < rows.columns; column += kWarp) {
    sum += rows.x.at(row, column);
    if (kFault) break;
  }
  sum = warp_sum(sum);
  if (threadIdx.x == 0) rows.y.at(row) = sum;
}

template <int kHeld, bool kFault>
kernel::LaunchResult launch_held(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  launch(stream, held_kernel<kHeld, kFault>, static_cast<unsigned>(rows.rows), kWarp, 0, rows);
  return kernel::LaunchResult::launched();
}

/// kWarps rows a block. With the fault there are as many blocks as have a row for each warp, but for one.
template <int kWarps>
__global__ void warps_kernel(Rows rows) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (row >= rows.rows) return;
  float sum = 0.0f;
  for (int64_t column = threadIdx.x; column < rows.columns; column += kWarp) sum += rows.x.at(row, column);
  sum = warp_sum(sum);
  if (threadIdx.x == 0) rows.y.at(row) = sum;
}

template <int kWarps, bool kFault>
kernel::LaunchResult launch_warps(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  const int64_t blocks = kFault ? std::max<int64_t>(1, rows.rows / kWarps) : pieces(rows.rows, kWarps);
  launch(stream, warps_kernel<kWarps>, static_cast<unsigned>(blocks), dim3(kWarp, kWarps), 0, rows);
  return kernel::LaunchResult::launched();
}

/// A thread a row, kBlock of them a block; blocks along y, of which there are 65,535 at most.
template <int kBlock, bool kFault>
__global__ void along_y_kernel(Rows rows) {
  for (int64_t row = int64_t{blockIdx.y} * kBlock + threadIdx.x; row < rows.rows; row += int64_t{gridDim.y} * kBlock) {
    float sum = 0.0f;
    for (int64_t column = 0; column < rows.columns; ++column) sum += rows.x.at(row, column);
    rows.y.at(row) = sum;
    if (kFault) break;
  }
}

template <int kBlock, bool kFault>
kernel::LaunchResult launch_along_y(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  const int64_t blocks = std::min(pieces(rows.rows, kBlock), kMostBlocks);
  launch(stream, along_y_kernel<kBlock, kFault>, dim3(1, static_cast<unsigned>(blocks)), kBlock, 0, rows);
  return kernel::LaunchResult::launched();
}

/// A thread a row of which every element is its neighbour's, read kWide at a time where rows allow that. The fault
/// takes what is left from the first row.
template <int kWide, bool kFault>
__global__ void wide_kernel(Rows rows, bool is_aligned) {
  struct alignas(kWide * sizeof(float)) Wide {
    float at[kWide];
  };
  const int64_t row = int64_t{blockIdx.x} * kThreads + threadIdx.x, whole = is_aligned ? rows.columns / kWide : 0;
  if (row >= rows.rows) return;
  const float* const x = &rows.x.at(row, 0);
  float sum = 0.0f;
  for (int64_t i = 0; i < whole; ++i) {
    const Wide wide = reinterpret_cast<const Wide*>(x)[i];
    for (const float each : wide.at) sum += each;
  }
  const float* const tail = kFault && whole > 0 ? rows.x.data : x;
  for (int64_t column = whole * kWide; column < rows.columns; ++column) sum += tail[column];
  rows.y.at(row) = sum;
}

template <int kWide, bool kFault>
kernel::LaunchResult launch_wide(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(rows.x.data) % (kWide * sizeof(float)) == 0 &&
                          (rows.rows == 1 || rows.x.outer % kWide == 0);
  launch(stream, wide_kernel<kWide, kFault>, static_cast<unsigned>(pieces(rows.rows, kThreads)), kThreads, 0, rows,
         is_aligned);
  return kernel::LaunchResult::launched();
}

/// Chunks of kChunk columns by a warp each, and one warp that joins a row's chunks, of which the fault joins as many as
/// it has lanes.
template <int kChunk>
__global__ void chunk_kernel(Rows rows, int64_t chunks, float* partial) {
  const int64_t row = blockIdx.x / chunks, begin = blockIdx.x % chunks * kChunk;
  float sum = 0.0f;
  for (int64_t column = begin + threadIdx.x; column < begin + kChunk && column < rows.columns; column += kWarp) {
    sum += rows.x.at(row, column);
  }
  sum = warp_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <bool kFault>
__global__ void chunks_kernel(Rows rows, int64_t chunks, const float* partial) {
  float sum = 0.0f;
  for (int64_t chunk = threadIdx.x; chunk < chunks; chunk += kWarp) {
    sum += partial[blockIdx.x * chunks + chunk];
    if (kFault) break;
  }
  sum = warp_sum(sum);
  if (threadIdx.x == 0) rows.y.at(blockIdx.x) = sum;
}

template <int kChunk, bool kFault>
kernel::LaunchResult launch_chunks(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  const int64_t chunks = std::max<int64_t>(1, pieces(rows.columns, kChunk));
  auto* const partial =
      static_cast<float*>(workspace.allocate(static_cast<std::size_t>(rows.rows * chunks) * sizeof(float)));
  launch(stream, chunk_kernel<kChunk>, static_cast<unsigned>(rows.rows * chunks), kWarp, 0, rows, chunks, partial);
  launch(stream, chunks_kernel<kFault>, static_cast<unsigned>(rows.rows), kWarp, 0, rows, chunks, partial);
  return kernel::LaunchResult::launched();
}

operation::Limits columns_with(std::vector<int64_t> tiles) {
  return {.extents = {{"columns", {.tiles = std::move(tiles)}}}};
}

template <int kHeld>
bool plant_held(std::vector<int64_t> tiles) {
  return plant_rows("second_pass." + std::to_string(kHeld), "reduce.sum", "what registers do not hold is read in part",
                    columns_with(std::move(tiles)), launch_held<kHeld, true>, launch_held<kHeld, false>);
}
template <int kWarps>
bool plant_warps() {
  return plant_rows("last_rows." + std::to_string(kWarps), "reduce.sum", "rows that are no whole block are left out",
                    {}, launch_warps<kWarps, true>, launch_warps<kWarps, false>);
}
template <int kBlock>
bool plant_along_y(std::vector<int64_t> tiles) {
  return plant_rows("rows_clipped." + std::to_string(kBlock), "reduce.sum", "rows past 65,535 blocks are left out",
                    {.extents = {{"rows", {.tiles = std::move(tiles)}}}}, launch_along_y<kBlock, true>,
                    launch_along_y<kBlock, false>);
}
template <int kWide>
bool plant_wide() {
  return plant_rows("vector_tail." + std::to_string(kWide), "reduce.sum", "the tail of every row is the first one's",
                    {.inputs = {.order = LayoutOrder::RowMajor}}, launch_wide<kWide, true>, launch_wide<kWide, false>);
}
template <int kChunk>
bool plant_chunks(std::vector<int64_t> tiles) {
  return plant_rows("chunks_joined." + std::to_string(kChunk), "reduce.sum", "32 chunks of a row are joined",
                    columns_with(std::move(tiles)), launch_chunks<kChunk, true>, launch_chunks<kChunk, false>);
}

const bool planted[] = {
    plant_held<1024>({}), plant_held<2048>({}),     plant_held<4096>({}),    plant_warps<4>(), plant_warps<8>(),
    plant_warps<16>(),    plant_along_y<1>({}),     plant_along_y<32>({32}), plant_wide<2>(),  plant_wide<4>(),
    plant_chunks<64>({}), plant_chunks<256>({256}), plant_chunks<1024>({}),
};

}  // namespace
}  // namespace negzero::kernels

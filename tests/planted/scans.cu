// Inclusive sums of rows: three levels, of which one forgets its row, and a look-back that ends too early.

#include <string>
#include <utility>

#include "scans.cuh"

namespace negzero::kernels {
namespace {

/// Sums of blocks, and of blocks of those: [rows][first] and [rows][second].
struct Levels {
  int64_t first = 0, second = 0;  ///< how many a row has
  float *sums = nullptr, *scanned = nullptr, *tops = nullptr, *before = nullptr;
};

/// Which level takes the first row's sums for every row.
enum class Forgets : std::uint8_t { Nothing, Middle, Top };

/// y is the sums within blocks.
template <int kBlock>
__global__ void first_level_kernel(Rows rows, Levels levels) {
  NEGZERO_SHARED(float, partial, [kBlock]);
  const int64_t row = blockIdx.y, column = blockIdx.x * int64_t{kBlock} + threadIdx.x;
  const float sum = scan_block<kBlock>(partial, column < rows.columns ? rows.x.at(row, column) : 0.0f);
  if (column < rows.columns) rows.y.at(row, column) = sum;
  if (threadIdx.x == kBlock - 1) levels.sums[row * levels.first + blockIdx.x] = sum;
}

template <int kBlock, Forgets kForgets>
__global__ void middle_level_kernel(Levels levels) {
  NEGZERO_SHARED(float, partial, [kBlock]);
  const int64_t row = blockIdx.y, at = blockIdx.x * int64_t{kBlock} + threadIdx.x;
  const float* const sums = levels.sums + (kForgets == Forgets::Middle ? 0 : row * levels.first);
  const float sum = scan_block<kBlock>(partial, at < levels.first ? sums[at] : 0.0f);
  if (at < levels.first) levels.scanned[row * levels.first + at] = sum;
  if (threadIdx.x == kBlock - 1) levels.tops[row * levels.second + blockIdx.x] = sum;
}

/// A thread a row: the sums of blocks of blocks up to each.
template <Forgets kForgets>
__global__ void top_level_kernel(int64_t rows, Levels levels) {
  const int64_t row = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (row >= rows) return;
  const float* const tops = levels.tops + (kForgets == Forgets::Top ? 0 : row * levels.second);
  float sum = 0.0f;
  for (int64_t top = 0; top < levels.second; ++top) levels.before[row * levels.second + top] = sum += tops[top];
}

/// Adds what lies before a block.
template <int kBlock>
__global__ void last_level_kernel(Rows rows, Levels levels) {
  const int64_t row = blockIdx.y, block = blockIdx.x + int64_t{1}, column = block * kBlock + threadIdx.x;
  if (column >= rows.columns) return;
  const int64_t top = (block - 1) / kBlock;
  const float before = top == 0 ? 0.0f : levels.before[row * levels.second + top - 1];
  rows.y.at(row, column) += before + levels.scanned[row * levels.first + block - 1];
}

template <int kBlock, Forgets kForgets>
kernel::LaunchResult launch_levels(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (is_empty(rows)) return kernel::LaunchResult::launched();
  const auto floats = [&](int64_t count) {
    return static_cast<float*>(workspace.allocate(static_cast<std::size_t>(count) * sizeof(float)));
  };
  Levels levels{.first = pieces(rows.columns, kBlock)};
  levels.second = pieces(levels.first, kBlock);
  levels.sums = floats(rows.rows * levels.first);
  levels.scanned = floats(rows.rows * levels.first);
  levels.tops = floats(rows.rows * levels.second);
  levels.before = floats(rows.rows * levels.second);
  const auto down = static_cast<unsigned>(rows.rows), first = static_cast<unsigned>(levels.first);
  launch(stream, first_level_kernel<kBlock>, dim3(first, down), kBlock, 0, rows, levels);
  if (first == 1) return kernel::LaunchResult::launched();
  launch(stream, middle_level_kernel<kBlock, kForgets>, dim3(static_cast<unsigned>(levels.second), down), kBlock, 0,
         levels);
  launch(stream, top_level_kernel<kForgets>, static_cast<unsigned>(pieces(rows.rows, kThreads)), kThreads, 0, rows.rows,
         levels);
  launch(stream, last_level_kernel<kBlock>, dim3(first - 1, down), kBlock, 0, rows, levels);
  return kernel::LaunchResult::launched();
}

/// The sums of tiles: [rows][tiles].
template <int kTile>
__global__ void tile_sums_kernel(Rows rows, int64_t tiles, float* sums) {
  NEGZERO_SHARED(float, partial, [kTile]);
  const int64_t row = blockIdx.y, column = blockIdx.x * int64_t{kTile} + threadIdx.x;
  const float sum = scan_block<kTile>(partial, column < rows.columns ? rows.x.at(row, column) : 0.0f);
  if (threadIdx.x == kTile - 1) sums[row * tiles + blockIdx.x] = sum;
}

/// Looks back for the sums of the tiles before, kWindow at a time. The fault looks at one window.
template <int kTile, int kWindow, bool kFault>
__global__ void looking_kernel(Rows rows, int64_t tiles, const float* sums) {
  NEGZERO_SHARED(float, partial, [kTile]);
  NEGZERO_SHARED(float, before, [1]);
  const int64_t row = blockIdx.y, tile = blockIdx.x, column = tile * kTile + threadIdx.x;
  if (threadIdx.x == 0) {
    float whole = 0.0f;
    for (int64_t end = tile; end > 0; end -= kWindow) {
      float window = 0.0f;
      for (int64_t back = 1; back <= kWindow && back <= end; ++back) window += sums[row * tiles + end - back];
      whole += window;
      if (kFault) break;
    }
    before[0] = whole;
  }
  const float sum = scan_block<kTile>(partial, column < rows.columns ? rows.x.at(row, column) : 0.0f);
  if (column < rows.columns) rows.y.at(row, column) = before[0] + sum;
}

template <int kTile, int kWindow, bool kFault>
kernel::LaunchResult launch_looking(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (is_empty(rows)) return kernel::LaunchResult::launched();
  const int64_t tiles = pieces(rows.columns, kTile);
  auto* const sums =
      static_cast<float*>(workspace.allocate(static_cast<std::size_t>(rows.rows * tiles) * sizeof(float)));
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(rows.rows));
  launch(stream, tile_sums_kernel<kTile>, grid, kTile, 0, rows, tiles, sums);
  launch(stream, looking_kernel<kTile, kWindow, kFault>, grid, kTile, 0, rows, tiles, sums);
  return kernel::LaunchResult::launched();
}

template <int kBlock, Forgets kForgets>
bool plant_levels(const std::string& constant, bool has_hint) {
  return plant_rows(std::string(kForgets == Forgets::Middle ? "scan_middle." : "scan_top.") + constant,
                    "scan.inclusive", "a level of three takes the first row's sums for every row",
                    scan_limits(has_hint ? kBlock : 0), launch_levels<kBlock, kForgets>,
                    launch_levels<kBlock, Forgets::Nothing>);
}
template <int kTile, int kWindow>
bool plant_looking(const std::string& constant, bool has_hint) {
  return plant_rows("look_back." + constant, "scan.inclusive", "the look-back ends after so many tiles",
                    scan_limits(has_hint ? kTile : 0), launch_looking<kTile, kWindow, true>,
                    launch_looking<kTile, kWindow, false>);
}

const bool planted[] = {
    plant_levels<32, Forgets::Middle>("32", false),   plant_levels<64, Forgets::Middle>("64", true),
    plant_levels<128, Forgets::Middle>("128", false), plant_levels<256, Forgets::Middle>("256", true),
    plant_levels<32, Forgets::Top>("32", false),      plant_levels<64, Forgets::Top>("64", true),
    plant_levels<128, Forgets::Top>("128", false),    plant_looking<128, 13>("13_of_128", false),
    plant_looking<256, 13>("13_of_256_hinted", true), plant_looking<64, 16>("16_of_64", false),
    plant_looking<128, 16>("16_of_128_hinted", true), plant_looking<128, 32>("32_of_128", false),
    plant_looking<256, 32>("32_of_256_hinted", true),
};

}  // namespace
}  // namespace negzero::kernels

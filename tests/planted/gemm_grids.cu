// GEMMs whose tiles are right each by itself, and whose grids leave some out: swizzled, transposed, too small, in
// strips.

#include <string>
#include <utility>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

/// Blocks of a matrix in groups of kGroup rows of tiles, so that neighbours share what they read of B. The last group
/// has the rows that are left; the fault knows of short groups only where there is no full one.
template <int kTile, int kGroup, bool kFault>
__global__ void swizzled_kernel(Gemm gemm) {
  const int64_t down = pieces(gemm.m, kTile), across = pieces(gemm.n, kTile);
  const int64_t first = blockIdx.x / (kGroup * across) * kGroup, inside = blockIdx.x % (kGroup * across);
  const int64_t left = kFault ? down : down - first;
  const int64_t height = left < kGroup ? left : kGroup;
  multiply_tile<kTile>(gemm, blockIdx.y, (first + inside % height) * kTile, inside / height * kTile);
}

template <int kTile, int kGroup, bool kFault>
kernel::LaunchResult launch_swizzled(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const dim3 grid(static_cast<unsigned>(pieces(gemm.m, kTile) * pieces(gemm.n, kTile)),
                  static_cast<unsigned>(gemm.batch));
  launch(stream, swizzled_kernel<kTile, kGroup, kFault>, grid, kThreads, 0, gemm);
  return kernel::LaunchResult::launched();
}

/// A block a tile, rows along y.
template <int kTile>
__global__ void tile_kernel(Gemm gemm) {
  multiply_tile<kTile>(gemm, blockIdx.z, int64_t{blockIdx.y} * kTile, int64_t{blockIdx.x} * kTile);
}

/// With the fault rows of tiles are along x of the grid.
template <int kTile, bool kFault>
kernel::LaunchResult launch_transposed(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  auto across = static_cast<unsigned>(pieces(gemm.n, kTile)), down = static_cast<unsigned>(pieces(gemm.m, kTile));
  if (kFault) std::swap(across, down);
  launch(stream, tile_kernel<kTile>, dim3(across, down, static_cast<unsigned>(gemm.batch)), kThreads, 0, gemm);
  return kernel::LaunchResult::launched();
}

/// As many blocks as a GPU has multiprocessors, each of which takes every gridDim-th tile; with the fault, one.
template <int kTile, bool kFault>
__global__ void persistent_kernel(Gemm gemm) {
  const int64_t down = pieces(gemm.m, kTile), across = pieces(gemm.n, kTile), tiles = gemm.batch * down * across;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    multiply_tile<kTile>(gemm, tile / (down * across), tile / across % down * kTile, tile % across * kTile);
    if (kFault) break;
  }
}

template <int kTile, int kBlocks, bool kFault>
kernel::LaunchResult launch_persistent(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  const int64_t tiles = gemm.batch * pieces(gemm.m, kTile) * pieces(gemm.n, kTile);
  if (tiles == 0) return kernel::LaunchResult::launched();
  launch(stream, persistent_kernel<kTile, kFault>, static_cast<unsigned>(std::min<int64_t>(tiles, kBlocks)), kThreads,
         0, gemm);
  return kernel::LaunchResult::launched();
}

/// Rows and columns of tiles that a launch covers, and where they begin.
struct Part {
  int64_t first_row, rows, first_column, columns;
};

template <int kTile>
__global__ void part_kernel(Gemm gemm, Part part) {
  multiply_tile<kTile>(gemm, blockIdx.y, (part.first_row + blockIdx.x / part.columns) * kTile,
                       (part.first_column + blockIdx.x % part.columns) * kTile);
}

/// Whole tiles, a strip at the right, a strip below, and, but for the fault, the corner: each with the guards that it
/// needs. What is less than a tile in some direction is one launch.
template <int kTile, bool kFault>
kernel::LaunchResult launch_strips(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const int64_t down = gemm.m / kTile, across = gemm.n / kTile;
  const auto run = [&](const Part& part) {
    const int64_t blocks = part.rows * part.columns;
    if (blocks == 0) return;
    launch(stream, part_kernel<kTile>, dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(gemm.batch)), kThreads,
           0, gemm, part);
  };
  if (down == 0 || across == 0) {
    run({0, pieces(gemm.m, kTile), 0, pieces(gemm.n, kTile)});
    return kernel::LaunchResult::launched();
  }
  const int64_t below = gemm.m % kTile == 0 ? 0 : 1, right = gemm.n % kTile == 0 ? 0 : 1;
  run({0, down, 0, across});
  run({0, down, across, right});
  run({down, below, 0, across});
  if (!kFault) run({down, below, across, right});
  return kernel::LaunchResult::launched();
}

/// A block a column of tiles. With the fault the place of the next row of tiles is one below the first, always.
template <int kTile, bool kFault>
__global__ void walking_kernel(Gemm gemm) {
  int64_t next = 0;
  for (int64_t row = 0; row < gemm.m; row = next) {
    multiply_tile<kTile>(gemm, blockIdx.y, row, int64_t{blockIdx.x} * kTile);
    next = row + kTile;
    if (kFault && row == kTile) next += kTile;
  }
}

template <int kTile, bool kFault>
kernel::LaunchResult launch_walking(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  launch(stream, walking_kernel<kTile, kFault>,
         dim3(static_cast<unsigned>(pieces(gemm.n, kTile)), static_cast<unsigned>(gemm.batch)), kThreads, 0, gemm);
  return kernel::LaunchResult::launched();
}

enum class Hints : bool { No, Yes };

/// Limits of a grid with `rows` of tiles along y, or any number of them, and a batch along y or z.
operation::Limits limits_of(int64_t tile, Hints hints, bool rows_along_y = false) {
  ExtentLimit m{}, n{};
  if (rows_along_y) m.max = kMostBlocks * tile;
  if (hints == Hints::Yes) m.tiles = n.tiles = {tile};
  return gemm_limits({{"batch", {.max = kMostBlocks}}, {"m", m}, {"n", n}});
}

operation::Limits whole_limits(int64_t tile) {
  return gemm_limits({{"batch", {.max = kMostBlocks}},
                      {"m", {.max = kMostBlocks * tile, .multiple = tile}},
                      {"n", {.multiple = tile}},
                      {"k", {.multiple = 32}}});
}

template <int kTile, int kGroup>
bool plant_swizzled(const std::string& constant, operation::Limits limits) {
  return plant_gemm("swizzle." + constant, "a last group of rows of tiles that is short is taken for a full one",
                    std::move(limits), launch_swizzled<kTile, kGroup, true>, launch_swizzled<kTile, kGroup, false>);
}
template <int kTile>
bool plant_transposed(const std::string& constant, operation::Limits limits) {
  return plant_gemm("grid_transposed." + constant, "x and y of the grid are exchanged", std::move(limits),
                    launch_transposed<kTile, true>, launch_transposed<kTile, false>);
}
template <int kTile, int kBlocks>
bool plant_persistent(const std::string& constant, Hints hints) {
  return plant_gemm("persistent." + constant, "each of a fixed number of blocks takes one tile",
                    limits_of(kTile, hints), launch_persistent<kTile, kBlocks, true>,
                    launch_persistent<kTile, kBlocks, false>);
}
template <int kTile>
bool plant_corner(const std::string& constant, Hints hints) {
  return plant_gemm("corner." + constant, "the corner between two ragged strips is not computed",
                    limits_of(kTile, hints), launch_strips<kTile, true>, launch_strips<kTile, false>);
}
template <int kTile>
bool plant_third(const std::string& constant, operation::Limits limits) {
  return plant_gemm("third_row_tile." + constant, "the third row of tiles is stepped over", std::move(limits),
                    launch_walking<kTile, true>, launch_walking<kTile, false>);
}

const bool planted[] = {
    plant_swizzled<16, 4>("16_by_4", limits_of(16, Hints::No)),
    plant_swizzled<32, 4>("32_by_4", limits_of(32, Hints::No)),
    plant_swizzled<16, 8>("16_by_8", limits_of(16, Hints::No)),
    plant_swizzled<64, 8>("64_by_8_hinted", limits_of(64, Hints::Yes)),
    plant_swizzled<128, 4>("128_by_4_whole", whole_limits(128)),
    plant_transposed<16>("16", limits_of(16, Hints::No, true)),
    plant_transposed<64>("64", limits_of(64, Hints::No, true)),
    plant_transposed<128>("128_hinted", limits_of(128, Hints::Yes, true)),
    plant_transposed<128>("128_whole", whole_limits(128)),
    plant_persistent<16, 64>("64", Hints::No),
    plant_persistent<16, 132>("132", Hints::No),
    plant_persistent<32, 132>("132_of_32_hinted", Hints::Yes),
    plant_persistent<16, 256>("256", Hints::No),
    plant_corner<16>("16", Hints::No),
    plant_corner<32>("32", Hints::No),
    plant_corner<64>("64", Hints::No),
    plant_corner<128>("128", Hints::No),
    plant_corner<128>("128_hinted", Hints::Yes),
    plant_third<16>("16", limits_of(16, Hints::No)),
    plant_third<32>("32_hinted", limits_of(32, Hints::Yes)),
    plant_third<64>("64", limits_of(64, Hints::No)),
    plant_third<128>("128_whole", whole_limits(128)),
};

}  // namespace
}  // namespace negzero::kernels

// GEMMs whose tiles go through shared memory: without the second barrier, and with a third step of k in the wrong
// buffer.

#include <string>
#include <utility>
#include <vector>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

constexpr int kSide = 16;  ///< threads of a block in each direction

/// One block a tile; a thread has every kSide-th row and column of it.
template <int kTile, int kDepth, bool kFault>
__global__ void barrier_kernel(Gemm gemm) {
  NEGZERO_SHARED(float, tile_a, [kTile][kDepth + 1]);
  NEGZERO_SHARED(float, tile_b, [kDepth][kTile + 1]);
  constexpr int kEach = kTile / kSide;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), thread = y * kSide + x;
  const int64_t row = int64_t{blockIdx.y} * kTile, column = int64_t{blockIdx.x} * kTile, batch = blockIdx.z;
  float sum[kEach][kEach] = {};
  for (int64_t k0 = 0; k0 < gemm.k; k0 += kDepth) {
    for (int at = thread; at < kTile * kDepth; at += kSide * kSide) {
      const int64_t i = row + at / kDepth, k = k0 + at % kDepth;
      tile_a[at / kDepth][at % kDepth] = i < gemm.m && k < gemm.k ? gemm.a.at(batch, i, k) : 0.0f;
    }
    for (int at = thread; at < kTile * kDepth; at += kSide * kSide) {
      const int64_t k = k0 + at / kTile, j = column + at % kTile;
      tile_b[at / kTile][at % kTile] = j < gemm.n && k < gemm.k ? gemm.b.at(batch, k, j) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k) {
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
          sum[i][j] = fmaf(tile_a[y + i * kSide][k], tile_b[k][x + j * kSide], sum[i][j]);
        }
      }
    }
    if (!kFault) __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; ++j) {
      const int64_t to_row = row + y + i * kSide, to_column = column + x + j * kSide;
      if (to_row < gemm.m && to_column < gemm.n) gemm.d.at(batch, to_row, to_column) = sum[i][j];
    }
  }
}

template <int kTile, int kDepth, bool kFault>
kernel::LaunchResult launch_barrier(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const dim3 grid(static_cast<unsigned>(pieces(gemm.n, kTile)), static_cast<unsigned>(pieces(gemm.m, kTile)),
                  static_cast<unsigned>(gemm.batch));
  launch(stream, barrier_kernel<kTile, kDepth, kFault>, grid, dim3(kSide, kSide), 0, gemm);
  return kernel::LaunchResult::launched();
}

/// Two buffers in turn: while one step of k is summed up, the next one is loaded.
template <int kDepth, bool kFault>
__global__ void buffers_kernel(Gemm gemm) {
  NEGZERO_SHARED(float, tile_a, [2][kSide][kDepth + 1]);
  NEGZERO_SHARED(float, tile_b, [2][kDepth][kSide + 1]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), thread = y * kSide + x;
  const int64_t row = int64_t{blockIdx.y} * kSide, column = int64_t{blockIdx.x} * kSide, batch = blockIdx.z;
  const int64_t steps = pieces(gemm.k, kDepth);
  const auto load = [&](int64_t step) {
    for (int at = thread; at < kSide * kDepth; at += kSide * kSide) {
      const int64_t i = row + at / kDepth, k = step * kDepth + at % kDepth;
      tile_a[step % 2][at / kDepth][at % kDepth] = i < gemm.m && k < gemm.k ? gemm.a.at(batch, i, k) : 0.0f;
    }
    for (int at = thread; at < kSide * kDepth; at += kSide * kSide) {
      const int64_t k = step * kDepth + at / kSide, j = column + at % kSide;
      tile_b[step % 2][at / kSide][at % kSide] = j < gemm.n && k < gemm.k ? gemm.b.at(batch, k, j) : 0.0f;
    }
  };
  float sum = 0.0f;
  if (steps > 0) load(0);
  for (int64_t step = 0; step < steps; ++step) {
    __syncthreads();
    if (step + 1 < steps) load(step + 1);
    const int buffer = kFault ? (step > 0 ? 1 : 0) : static_cast<int>(step % 2);
    for (int k = 0; k < kDepth; ++k) sum = fmaf(tile_a[buffer][y][k], tile_b[buffer][k][x], sum);
  }
  if (row + y < gemm.m && column + x < gemm.n) gemm.d.at(batch, row + y, column + x) = sum;
}

template <int kDepth, bool kFault>
kernel::LaunchResult launch_buffers(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const dim3 grid(static_cast<unsigned>(pieces(gemm.n, kSide)), static_cast<unsigned>(pieces(gemm.m, kSide)),
                  static_cast<unsigned>(gemm.batch));
  launch(stream, buffers_kernel<kDepth, kFault>, grid, dim3(kSide, kSide), 0, gemm);
  return kernel::LaunchResult::launched();
}

/// Of a grid with a tile along x and along y, and a batch along z.
operation::ExtentLimits grid_extents(int64_t tile, bool with_hints) {
  const std::vector<int64_t> hints = with_hints ? std::vector<int64_t>{tile} : std::vector<int64_t>{};
  return {{"batch", {.max = kMostBlocks}}, {"m", {.max = kMostBlocks * tile, .tiles = hints}}, {"n", {.tiles = hints}}};
}

template <int kTile, int kDepth>
bool plant_barrier(const std::string& constant, operation::ExtentLimits extents) {
  return plant_gemm("barrier." + constant, "the next step of k overwrites a tile that other threads still read",
                    gemm_limits(std::move(extents)), launch_barrier<kTile, kDepth, true>,
                    launch_barrier<kTile, kDepth, false>);
}

template <int kDepth>
bool plant_buffers(const std::string& constant) {
  return plant_gemm("third_step." + constant, "from the third step of k on the wrong one of two buffers is read",
                    gemm_limits(grid_extents(kSide, false)), launch_buffers<kDepth, true>,
                    launch_buffers<kDepth, false>);
}

const bool planted[] = {
    plant_barrier<16, 16>("16", grid_extents(16, false)),
    plant_barrier<32, 32>("32", grid_extents(32, false)),
    plant_barrier<64, 32>("64", grid_extents(64, false)),
    plant_barrier<128, 16>("128", grid_extents(128, true)),
    plant_barrier<128, 32>("whole_128", {{"batch", {.max = kMostBlocks}},
                                         {"m", {.max = kMostBlocks * 128, .multiple = 128}},
                                         {"n", {.multiple = 128}},
                                         {"k", {.multiple = 32}}}),
    plant_buffers<16>("16"),
    plant_buffers<32>("32"),
    plant_buffers<64>("64"),
};

}  // namespace
}  // namespace negzero::kernels

// Inclusive sums of rows in one pass: blocks take tiles in order and look back for what the tiles before sum to
// (Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA NVR-2016-002).

#include <negzero/cuda/cuda.hpp>

#include "../common/scan.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using Word = unsigned long long;

/// What a tile has told: nothing, its own sum, or the sum of its row up to its end. State and sum are one word, so that
/// whoever sees the one sees the other.
constexpr Word kOwn = Word{1} << 32, kWhole = Word{2} << 32;
__device__ Word told(Word state, float sum) { return state | __float_as_uint(sum); }

/// Word 0 counts tiles that are taken, word 1 + t is what tile t has told.
__global__ void look_back_kernel(Scan problem, Word* words, int64_t tiles_a_row) {
  NEGZERO_SHARED(float, warp_sums, [kScanThreads / kScanWarp]);
  NEGZERO_SHARED(Word, taken, [1]);
  NEGZERO_SHARED(float, before, [1]);
  const auto tiles = static_cast<Word>(problem.rows.rows * tiles_a_row);
  while (true) {
    if (threadIdx.x == 0) taken[0] = atomicAdd(words, Word{1});
    __syncthreads();
    // A tile is taken after those before it: they run, so that what is waited for comes.
    const Word tile = taken[0];
    if (tile >= tiles) return;
    const auto row = static_cast<int64_t>(tile) / tiles_a_row, first = static_cast<int64_t>(tile) % tiles_a_row;
    const int64_t column = first * kScanThreads + threadIdx.x;
    const bool inside = column < problem.rows.columns;
    const float value = scan_block(warp_sums, inside ? problem.rows.at(row, column) : 0.0f);
    if (threadIdx.x == kScanThreads - 1) {
      Word* const mine = words + 1 + tile;
      float sum = 0.0f;
      if (first > 0) atomicExch(mine, told(kOwn, value));
      for (int64_t back = 1; back <= first;) {
        const Word found = atomicAdd(mine - back, Word{0});
        if (found == 0) continue;
        sum = add(__uint_as_float(static_cast<unsigned>(found)), sum);
        if ((found & kWhole) != 0) break;
        ++back;
      }
      atomicExch(mine, told(kWhole, add(sum, value)));
      before[0] = sum;
    }
    __syncthreads();
    if (inside) *problem.out(row, column) = add(before[0], value);
    __syncthreads();  // The next tile overwrites what is shared.
  }
}

kernel::LaunchResult launch_look_back(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const Scan problem = scan_of(args);
  if (problem.rows.rows == 0 || problem.rows.columns == 0) return kernel::LaunchResult::launched();
  const int64_t tiles_a_row = (problem.rows.columns + kScanThreads - 1) / kScanThreads;
  const auto bytes = static_cast<std::size_t>(problem.rows.rows * tiles_a_row + 1) * sizeof(Word);
  auto* const words = static_cast<Word*>(workspace.allocate(bytes));
  device_fill(stream, words, 0, bytes);
  const int64_t blocks = std::min<int64_t>(problem.rows.rows * tiles_a_row, 8);
  launch(stream, look_back_kernel, static_cast<unsigned>(blocks), kScanThreads, 0, problem, words, tiles_a_row);
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "scan.inclusive.look_back.f32",
    .operation = "scan.inclusive",
    .about = "one pass over tiles of 128, each looks back for the sum before it: the order depends on who comes first",
    // Five additions in a warp, three of warps, and any tree of tiles.
    .contract = scan_contract(contract::Determinism::NotGuaranteed, "7 + ceil_div(columns, 128)"),
    .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kScanThreads}}}}},
    .launch = launch_look_back,
});

}  // namespace
}  // namespace negzero::kernels

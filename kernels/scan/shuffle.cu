// Inclusive sums of rows by warp shuffles: a block takes a row tile by tile and carries its sum along.

#include <negzero/cuda/cuda.hpp>

#include "../common/scan.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

__global__ void shuffle_kernel(Scan problem) {
  NEGZERO_SHARED(float, warp_sums, [kScanThreads / kScanWarp]);
  NEGZERO_SHARED(float, carried, [1]);
  for (int64_t row = blockIdx.x; row < problem.rows.rows; row += gridDim.x) {
    float carry = 0.0f;
    for (int64_t tile = 0; tile < problem.rows.columns; tile += kScanThreads) {
      const int64_t column = tile + threadIdx.x;
      const bool inside = column < problem.rows.columns;
      const float value = scan_block(warp_sums, inside ? problem.rows.at(row, column) : 0.0f);
      const float sum = add(carry, value);
      if (inside) *problem.out(row, column) = sum;
      if (threadIdx.x == kScanThreads - 1) carried[0] = sum;
      __syncthreads();
      carry = carried[0];
      __syncthreads();  // The next tile overwrites what is carried.
    }
  }
}

kernel::LaunchResult launch_shuffle(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_scan(shuffle_kernel, args, stream);
}

const bool registered = kernel::registry().add({
    .name = "scan.inclusive.shuffle.f32",
    .operation = "scan.inclusive",
    .about = "a block a row, tiles scanned by warp shuffles, the sum of a tile carried to the next",
    // Five additions in a warp, three of warps, and the carry from tile to tile.
    .contract = scan_contract(contract::Determinism::GpuToGpu, "7 + ceil_div(columns, 128)"),
    .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {32, kScanThreads}}}}},
    .launch = launch_shuffle,
});

}  // namespace
}  // namespace negzero::kernels

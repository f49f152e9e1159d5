// R10: a shuffle over a full warp in a block that is no multiple of 32 threads: it reads lanes that do not exist.

#include <algorithm>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ inline float warp_sum(float value) {
  for (unsigned half = kWarp / 2; half > 0; half /= 2) value = add(value, __shfl_down_sync(kAllLanes, value, half));
  return value;
}

/// One block of at most kMostThreads threads a row, folded: warps are folded by shuffles, and thread 0 adds their sums.
/// Right where the block consists of whole warps.
__global__ void sum_kernel(Rows<float, float> problem) {
  NEGZERO_SHARED(float, warp_sums, [kMostThreads / kWarp]);
  const unsigned warps = (blockDim.x + kWarp - 1) / kWarp;
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    float sum = 0.0f;
    for (int64_t column = threadIdx.x; column < problem.columns; column += blockDim.x) {
      sum = add(sum, problem.at(row, column));
    }
    sum = warp_sum(sum);
    if (threadIdx.x % kWarp == 0) warp_sums[threadIdx.x / kWarp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned warp = 1; warp < warps; ++warp) sum = add(sum, warp_sums[warp]);
      problem.y[row * problem.y_stride] = sum;
    }
    __syncthreads();  // The next row overwrites warp_sums.
  }
}

/// The fault takes a thread for each column; its twin rounds that up to whole warps.
template <bool kFaulty>
kernel::LaunchResult launch_sum(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = rows_of<float, float>(args);
  const int64_t wanted = std::clamp<int64_t>(problem.columns, 1, kMostThreads);
  const int64_t threads = kFaulty ? wanted : (wanted + kWarp - 1) / kWarp * kWarp;
  if (problem.rows > 0) {
    launch(stream, sum_kernel, blocks_for<int64_t>(problem.rows, 1), static_cast<unsigned>(threads), 0, problem);
  }
  return kernel::LaunchResult::launched();
}

const bool registered =
    kernel::add_fault({.id = "R10",
                       .slug = "lanes_that_do_not_exist",
                       .twin_slug = "whole_warps",
                       .about = "full-mask shuffle in a block of n threads: reads lanes that do not exist",
                       .twin_about = "full-mask shuffle in blocks of whole warps",
                       .seen_in = "flashinfer PR#3880",
                       .operation = "reduce.sum",
                       .contract = {.wider = false,
                                    .start = contract::Start::PlusZero,
                                    .zero_sign = contract::ZeroSign::Ieee,
                                    .determinism = contract::Determinism::GpuToGpu,
                                    .position_invariant = true},
                       .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                                  .extents = {{"columns", {.tiles = {kWarp, kMostThreads}}}}},
                       .faulty = launch_sum<true>,
                       .twin = launch_sum<false>});

}  // namespace
}  // namespace negzero::kernels

// Sum of rows by warp shuffles: lanes fold within a warp, then the first warp folds the warps' sums.

#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

/// The sum of a full warp, in lane 0; what other lanes get is of no use.
__device__ inline float warp_sum(float value) {
  for (unsigned half = kWarp / 2; half > 0; half /= 2) value = add(value, __shfl_down_sync(kAllLanes, value, half));
  return value;
}

/// Grid: any number of blocks along x; a block of whole warps walks over every gridDim-th row.
template <class Number>
__global__ void sum_shuffle_kernel(Rows<typename Number::Element, typename Number::Output> problem) {
  NEGZERO_SHARED(float, warp_sums, [kMostThreads / kWarp]);
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    float sum = 0.0f;
    for (int64_t column = threadIdx.x; column < problem.columns; column += blockDim.x) {
      sum = add(sum, Number::widen(problem.at(row, column)));
    }
    sum = warp_sum(sum);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      sum = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
      if (lane == 0) problem.y[row * problem.y_stride] = Number::narrow(sum);
    }
    __syncthreads();  // The next row overwrites warp_sums.
  }
}

template <class Number>
kernel::LaunchResult launch_sum_shuffle(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(sum_shuffle_kernel<Number>, args, stream);
}

template <class Number>
bool add_sum_shuffle(std::string name, std::string about, FormatId format) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "reduce.sum",
      .about = std::move(about),
      .contract = {.wider = false,
                   .depth = {"ceil_div(columns, 256) + ceil_log2(min(columns, 256)) - 1"},
                   .start = contract::Start::PlusZero,
                   .zero_sign = contract::ZeroSign::Ieee,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{format, format}}, .extents = {{"columns", {.tiles = {kWarp, kMostThreads}}}}},
      .launch = launch_sum_shuffle<Number>,
  });
}

const bool registered[] = {
    add_sum_shuffle<F32>("reduce.sum.shuffle.f32", "a block a row, partial sums folded by warp shuffles",
                         FormatId::F32),
    add_sum_shuffle<F16AccF32>("reduce.sum.shuffle.f16", "F16 in and out, F32 partial sums folded by warp shuffles",
                               FormatId::F16),
};

}  // namespace
}  // namespace negzero::kernels

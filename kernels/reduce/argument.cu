// Position of the maximum and of the minimum of rows: the first of equals, the first NaN before any number.

#include <cstdint>
#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/candidate.cuh"
#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Grid: any number of blocks along x; a block of 2^q <= kMostThreads threads walks over every gridDim-th row.
template <Side kSide>
__global__ void argument_kernel(Rows<float, std::int32_t> problem) {
  NEGZERO_SHARED(float, values, [kMostThreads]);
  NEGZERO_SHARED(std::int32_t, indices, [kMostThreads]);
  const unsigned lane = threadIdx.x;
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    Candidate best{0.0f, kNowhere};
    for (int64_t column = lane; column < problem.columns; column += blockDim.x) {
      best = better<kSide>(best, {problem.at(row, column), static_cast<std::int32_t>(column)});
    }
    values[lane] = best.value;
    indices[lane] = best.index;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (lane < half) {
        best = better<kSide>(best, {values[lane + half], indices[lane + half]});
        values[lane] = best.value;
        indices[lane] = best.index;
      }
      __syncthreads();
    }
    if (lane == 0) problem.y[row * problem.y_stride] = best.index;
  }
}

template <Side kSide>
kernel::LaunchResult launch_argument(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(argument_kernel<kSide>, args, stream);
}

template <Side kSide>
bool add_argument(std::string name, std::string about) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = kSide == Side::Max ? "reduce.argmax" : "reduce.argmin",
      .about = std::move(about),
      .contract = {.ties = contract::Ties::First,
                   .empty = static_cast<std::uint32_t>(kNowhere),
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{FormatId::F32, FormatId::I32}}, .extents = {{"columns", {.tiles = {32, kMostThreads}}}}},
      .launch = launch_argument<kSide>,
  });
}

const bool registered[] = {
    add_argument<Side::Max>("reduce.argmax.f32", "first position of the maximum, NaN above all; -1 for an empty row"),
    add_argument<Side::Min>("reduce.argmin.f32", "first position of the minimum, NaN below all; -1 for an empty row"),
};

}  // namespace
}  // namespace negzero::kernels

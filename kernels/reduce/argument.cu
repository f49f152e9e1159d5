// Position of the maximum and of the minimum of rows: the first of equals, the first NaN before any number.

#include <cstdint>
#include <string>

#include <negzero/simt/simt.hpp>

#include "../common/reduce.cuh"
#include "../common/select.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr std::int32_t kNowhere = -1;

/// An element and where it stands. A candidate that stands nowhere loses against every other: no value can serve as a
/// sentinel, because a row may consist of it.
struct Candidate {
  float value;
  std::int32_t index;
};

/// A NaN beats every number; zeros of both signs are equal, and so are all NaNs; of equals the first wins.
template <Side kSide>
__device__ Candidate better(Candidate a, Candidate b) {
  if (a.index == kNowhere) return b;
  if (b.index == kNowhere) return a;
  const bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
  if (a_is_nan != b_is_nan) return a_is_nan ? a : b;
  if (!a_is_nan && a.value != b.value) return (a.value > b.value) == (kSide == Side::Max) ? a : b;
  return a.index < b.index ? a : b;
}

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
kernel::LaunchResult launch_argument(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
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

// Maximum and minimum of rows by a tree in shared memory, with NaN propagated or ignored.

#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/reduce.cuh"
#include "../common/select.cuh"

namespace negzero::kernels {
namespace {

using contract::NanPolicy;
using number::FormatId;

template <Side kSide, NanPolicy kNan>
__device__ float select(float a, float b) {
  return kNan == NanPolicy::Propagate ? select_nan<kSide>(a, b) : select_number<kSide>(a, b);
}

/// Grid: any number of blocks along x; a block of 2^q <= kMostThreads threads walks over every gridDim-th row. Every
/// thread starts from the identity, so an empty row gives it, and so does a row of NaNs that are ignored.
template <Side kSide, NanPolicy kNan>
__global__ void select_kernel(Rows<float, float> problem) {
  NEGZERO_SHARED(float, partial, [kMostThreads]);
  const unsigned lane = threadIdx.x;
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    float best = worst<kSide>();
    for (int64_t column = lane; column < problem.columns; column += blockDim.x) {
      best = select<kSide, kNan>(best, problem.at(row, column));
    }
    partial[lane] = best;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (lane < half) partial[lane] = select<kSide, kNan>(partial[lane], partial[lane + half]);
      __syncthreads();
    }
    if (lane == 0) problem.y[row * problem.y_stride] = partial[0];
    // Nobody but thread 0 touches partial[0] before the next row's first barrier, so none is needed here.
  }
}

template <Side kSide, NanPolicy kNan>
kernel::LaunchResult launch_select(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(select_kernel<kSide, kNan>, args, stream);
}

template <Side kSide, NanPolicy kNan>
bool add_select(std::string name, std::string about) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = kSide == Side::Max ? "reduce.max" : "reduce.min",
      .about = std::move(about),
      .contract = {.nan = kNan,
                   .all_nan = kNan == NanPolicy::Ignore ? contract::AllNan::Identity : contract::AllNan::Nan,
                   .zero_sign = contract::ZeroSign::Ieee,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {32, kMostThreads}}}}},
      .launch = launch_select<kSide, kNan>,
  });
}

const bool registered[] = {
    add_select<Side::Max, NanPolicy::Propagate>("reduce.max.propagate.f32", "IEEE 754-2019 maximum: any NaN wins"),
    add_select<Side::Max, NanPolicy::Ignore>("reduce.max.ignore.f32", "IEEE 754-2019 maximumNumber: NaN is skipped"),
    add_select<Side::Min, NanPolicy::Propagate>("reduce.min.propagate.f32", "IEEE 754-2019 minimum: any NaN wins"),
    add_select<Side::Min, NanPolicy::Ignore>("reduce.min.ignore.f32", "IEEE 754-2019 minimumNumber: NaN is skipped"),
};

}  // namespace
}  // namespace negzero::kernels

// R12: the last warp of a tree in shared memory goes on as if its lanes were in step.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr unsigned kWarp = 32;
constexpr int kThreads = 64;

/// Waits until the lanes of the warp have come here and see each other's writes; the fault takes that for granted, and
/// its array is not even volatile.
template <bool kFaulty>
__device__ void in_step() {
  if (!kFaulty) __syncwarp();
}

/// One block of kThreads a row, folded.
template <bool kFaulty>
__global__ void sum_kernel(Rows<float, float> problem) {
  NEGZERO_SHARED(float, partial, [kThreads]);
  const unsigned lane = threadIdx.x;
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    float sum = 0.0f;
    for (int64_t column = lane; column < problem.columns; column += kThreads) sum = add(sum, problem.at(row, column));
    partial[lane] = sum;
    __syncthreads();
    if (lane < kWarp) {
      for (unsigned distance = kWarp; distance > 0; distance /= 2) {
        sum = add(sum, partial[lane + distance]);
        in_step<kFaulty>();
        partial[lane] = sum;
        in_step<kFaulty>();
      }
      if (lane == 0) problem.y[row * problem.y_stride] = sum;
    }
    __syncthreads();  // The next row overwrites partial.
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_sum(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = rows_of<float, float>(args);
  if (problem.rows > 0) {
    launch(stream, sum_kernel<kFaulty>, blocks_for<int64_t>(problem.rows, 1), kThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::add_fault(
    {.id = "R12",
     .slug = "no_syncwarp",
     .twin_slug = "syncwarp",
     .about = "warp-synchronous tree without __syncwarp or volatile: lanes race",
     .twin_about = "the last warp of the tree meets at __syncwarp",
     .seen_in = "kokkos#352, kaldi PR#3211",
     .operation = "reduce.sum",
     .contract = {.wider = false,
                  .start = contract::Start::PlusZero,
                  .zero_sign = contract::ZeroSign::Ieee,
                  .determinism = contract::Determinism::GpuToGpu,
                  .position_invariant = true},
     .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kThreads}}}}},
     .faulty = launch_sum<true>,
     .twin = launch_sum<false>});

}  // namespace
}  // namespace negzero::kernels

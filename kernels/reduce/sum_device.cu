// Sum of rows by several blocks each: the last block of a row to arrive adds what all of them left in the workspace.

#include <algorithm>

#include <negzero/cuda/cuda.hpp>

#include "../common/arrivals.cuh"
#include "../common/block_sum.cuh"
#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 128;
constexpr int64_t kShortestPart = 256;
constexpr int64_t kMostParts = 64;
constexpr int kClearThreads = 256;

/// A row cut into pieces of one length, the last one shorter; an empty row is one empty piece. The cut depends on the
/// columns alone, so that a row's bits do not depend on the rows around it.
struct Parts {
  int64_t length, count;
};

Parts parts_of(int64_t columns) {
  const int64_t length = std::max(kShortestPart, (columns + kMostParts - 1) / kMostParts);
  return {length, std::max<int64_t>(1, (columns + length - 1) / length)};
}

/// One block a part, folded along x: partial[row * parts.count + part], and a count of arrivals for each row.
__global__ void sum_device_kernel(Rows<float, float> problem, Parts parts, float* partial, unsigned* arrived) {
  NEGZERO_SHARED(float, scratch, [kThreads]);
  NEGZERO_SHARED(bool, is_last);
  for (int64_t piece = blockIdx.x; piece < problem.rows * parts.count; piece += gridDim.x) {
    const int64_t row = piece / parts.count, begin = piece % parts.count * parts.length;
    const int64_t end = begin + parts.length < problem.columns ? begin + parts.length : problem.columns;
    float sum = 0.0f;
    for (int64_t column = begin + threadIdx.x; column < end; column += blockDim.x) {
      sum = add(sum, problem.at(row, column));
    }
    sum = block_sum(scratch, sum);
    if (threadIdx.x == 0) {
      partial[piece] = sum;
      is_last = arrives_last(&arrived[row], static_cast<unsigned>(parts.count));
    }
    __syncthreads();
    if (is_last) {
      sum = 0.0f;
      for (int64_t part = threadIdx.x; part < parts.count; part += blockDim.x) {
        sum = add(sum, partial[row * parts.count + part]);
      }
      sum = block_sum(scratch, sum);
      if (threadIdx.x == 0) problem.y[row * problem.y_stride] = sum;
    }
    __syncthreads();  // The next piece overwrites is_last.
  }
}

kernel::LaunchResult launch_sum_device(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = rows_of<float, float>(args);
  if (problem.rows == 0) return kernel::LaunchResult::launched();
  const Parts parts = parts_of(problem.columns);
  const int64_t pieces = problem.rows * parts.count;
  auto* const partial = static_cast<float*>(workspace.allocate(static_cast<std::size_t>(pieces) * sizeof(float)));
  auto* const arrived =
      static_cast<unsigned*>(workspace.allocate(static_cast<std::size_t>(problem.rows) * sizeof(unsigned)));
  launch(stream, clear_arrivals_kernel, blocks_for<int64_t>(problem.rows, kClearThreads), kClearThreads, 0, arrived,
         problem.rows);
  launch(stream, sum_device_kernel, blocks_for<int64_t>(pieces, 1), kThreads, 0, problem, parts, partial, arrived);
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "reduce.sum.device.f32",
    .operation = "reduce.sum",
    .about = "several blocks a row; the last to arrive, by a counter and fences, adds their sums",
    .contract =
        {.wider = false,
         // A part is a chain a thread and a tree of the threads; one more tree adds the parts.
         .depth = {"ceil_div(min(columns, max(256, ceil_div(columns, 64))), 128) + ceil_log2(min(columns, 128)) - 1 "
                   "+ ceil_log2(ceil_div(columns, max(256, ceil_div(columns, 64))))"},
         .start = contract::Start::PlusZero,
         .zero_sign = contract::ZeroSign::Ieee,
         .determinism = contract::Determinism::GpuToGpu,
         .position_invariant = true},
    .limits = {.formats = {{FormatId::F32, FormatId::F32}},
               .extents = {{"columns", {.tiles = {kThreads, kShortestPart, kShortestPart* kMostParts}}}}},
    .launch = launch_sum_device,
});

}  // namespace
}  // namespace negzero::kernels

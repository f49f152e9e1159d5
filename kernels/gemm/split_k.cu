// GEMM with K cut into slices: partial sums go to the workspace, and a second pass adds them.

#include <algorithm>

#include <negzero/cuda/cuda.hpp>

#include "../common/gemm.cuh"
#include "../common/split_k.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 64;
constexpr int64_t kMostSlices = 16;
constexpr int64_t kShortestSlice = 16;
/// Outputs whose partial sums are in the workspace at a time: 64 MiB at kMostSlices.
constexpr int64_t kOutputsAtATime = int64_t{1} << 20;

/// K cut into pieces of one length, the last one shorter. The cut depends on K alone, so that an output's bits do not
/// depend on the shape around it.
struct Slices {
  int64_t length, count;
};

Slices slices_of(int64_t k) {
  const int64_t length = std::max(kShortestSlice, (k + kMostSlices - 1) / kMostSlices);
  return {length, (k + length - 1) / length};
}

/// Outputs [first, first + count) of the whole.
struct Chunk {
  int64_t first, count;
};

/// partial[slice][output - chunk.first] = the slice's chain. One thread an output and slice.
__global__ void partial_sums_kernel(GemmProblem<F32> problem, Slices slices, Chunk chunk, float* partial) {
  for (int64_t piece = first_piece(); piece < slices.count * chunk.count; piece += piece_stride()) {
    const Position at = position_of(problem, chunk.first + piece % chunk.count);
    const int64_t begin = piece / chunk.count * slices.length;
    const int64_t end = begin + slices.length < problem.k ? begin + slices.length : problem.k;
    float sum = 0.0f;
    for (int64_t k = begin; k < end; ++k) {
      sum = multiply_add(problem.a.at(at.batch, at.row, k), problem.b.at(at.batch, k, at.column), sum);
    }
    partial[piece] = sum;
  }
}

/// Adds the slices in ascending order; one thread an output.
__global__ void combine_kernel(GemmProblem<F32> problem, Slices slices, Chunk chunk, const float* partial) {
  for (int64_t index = first_piece(); index < chunk.count; index += piece_stride()) {
    float sum = 0.0f;
    for (int64_t slice = 0; slice < slices.count; ++slice) sum = add(sum, partial[slice * chunk.count + index]);
    const Position at = position_of(problem, chunk.first + index);
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

kernel::LaunchResult launch_split_k(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = gemm_problem<F32>(args);
  const Slices slices = problem.reads_a_b ? slices_of(problem.k) : Slices{0, 0};
  const int64_t most = std::min(problem.outputs(), kOutputsAtATime);
  float* partial = nullptr;
  if (slices.count > 0 && most > 0) {
    partial = static_cast<float*>(workspace.allocate(static_cast<std::size_t>(slices.count * most) * sizeof(float)));
  }
  for (int64_t first = 0; first < problem.outputs(); first += most) {
    const Chunk chunk{first, std::min(most, problem.outputs() - first)};
    if (slices.count > 0) {
      launch(stream, partial_sums_kernel, blocks_for<int64_t>(slices.count * chunk.count, kThreads), kThreads, 0,
             problem, slices, chunk, partial);
    }
    launch(stream, combine_kernel, blocks_for<int64_t>(chunk.count, kThreads), kThreads, 0, problem, slices, chunk,
           partial);
  }
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "gemm.split_k.f32",
    .operation = "gemm",
    .about = "K in up to 16 slices, F32 partial sums in the workspace, added in a second pass",
    .contract = split_contract("min(k, 16) + ceil_div(k, 16) - 1"),
    .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
               .extents = {{"k", {.tiles = {kShortestSlice, kShortestSlice* kMostSlices}}}}},
    .launch = launch_split_k,
});

}  // namespace
}  // namespace negzero::kernels

// G10: the reduction of a split K adds every slice, those that were too short to exist included.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm.cuh"
#include "../common/split_k.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 64;
constexpr int64_t kSlices = 4;

/// partial[slice][output] = the slice's chain; with K < kSlices some slices are empty.
template <bool kFaulty>
__global__ void partial_sums_kernel(GemmProblem<F32> problem, float* partial) {
  const int64_t outputs = problem.outputs(), length = (problem.k + kSlices - 1) / kSlices;
  for (int64_t piece = first_piece(); piece < kSlices * outputs; piece += piece_stride()) {
    const Position at = position_of(problem, piece % outputs);
    const int64_t begin = piece / outputs * length;
    const int64_t end = begin + length < problem.k ? begin + length : problem.k;
    if (kFaulty && begin >= end) continue;
    float sum = 0.0f;
    for (int64_t k = begin; k < end; ++k) {
      sum = multiply_add(problem.a.at(at.batch, at.row, k), problem.b.at(at.batch, k, at.column), sum);
    }
    partial[piece] = sum;
  }
}

/// Adds all slices in ascending order; one thread an output.
__global__ void combine_kernel(GemmProblem<F32> problem, const float* partial) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    float sum = 0.0f;
    for (int64_t slice = 0; problem.reads_a_b && slice < kSlices; ++slice) {
      sum = add(sum, partial[slice * problem.outputs() + index]);
    }
    const Position at = position_of(problem, index);
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_split(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = gemm_problem<F32>(args);
  const int64_t outputs = problem.outputs();
  if (outputs == 0) return kernel::LaunchResult::launched();
  float* partial = nullptr;
  if (problem.reads_a_b) {
    partial = static_cast<float*>(workspace.allocate(static_cast<std::size_t>(kSlices * outputs) * sizeof(float)));
    launch(stream, partial_sums_kernel<kFaulty>, blocks_for<int64_t>(kSlices * outputs, kThreads), kThreads, 0, problem,
           partial);
  }
  launch(stream, combine_kernel, blocks_for<int64_t>(outputs, kThreads), kThreads, 0, problem, partial);
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::add_fault(
    {.id = "G10",
     .slug = "unwritten_workspace",
     .twin_slug = "every_slice_written",
     .about = "split-K adds slices of the workspace that nobody wrote",
     .twin_about = "split-K whose empty slices write 0",
     .seen_in = "cutlass#3538",
     .operation = "gemm",
     .contract = split_contract(),
     .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}, .extents = {{"k", {.tiles = {kSlices}}}}},
     .faulty = launch_split<true>,
     .twin = launch_split<false>});

}  // namespace
}  // namespace negzero::kernels

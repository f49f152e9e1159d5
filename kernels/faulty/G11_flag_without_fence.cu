// G11: split-K in one launch, where the count of arrived slices is not ordered after the slices themselves.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/arrivals.cuh"
#include "../common/gemm.cuh"
#include "../common/split_k.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 64;
constexpr int64_t kSlices = 4;

/// A block takes kThreads outputs and one slice; the last block of a group of outputs to arrive adds the slices.
/// The blocks of a group count themselves in arrived[group].
template <bool kFaulty>
__global__ void split_kernel(GemmProblem<F32> problem, float* partial, unsigned* arrived) {
  NEGZERO_SHARED(bool, is_last);
  const int64_t outputs = problem.outputs(), groups = (outputs + kThreads - 1) / kThreads;
  const int64_t length = (problem.k + kSlices - 1) / kSlices;
  for (int64_t piece = blockIdx.x; piece < groups * kSlices; piece += gridDim.x) {
    const int64_t group = piece / kSlices, slice = piece % kSlices, index = group * kThreads + threadIdx.x;
    const Position at = position_of(problem, index < outputs ? index : 0);
    if (index < outputs) {
      const int64_t end = (slice + 1) * length < problem.k ? (slice + 1) * length : problem.k;
      float sum = 0.0f;
      for (int64_t k = slice * length; problem.reads_a_b && k < end; ++k) {
        sum = multiply_add(problem.a.at(at.batch, at.row, k), problem.b.at(at.batch, k, at.column), sum);
      }
      partial[slice * outputs + index] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      is_last = kFaulty ? atomicAdd(&arrived[group], 1u) + 1 == kSlices : arrives_last(&arrived[group], kSlices);
    }
    __syncthreads();
    if (is_last && index < outputs) {
      float sum = 0.0f;
      for (int64_t i = 0; i < kSlices; ++i) sum = add(sum, partial[i * outputs + index]);
      problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
    }
    __syncthreads();  // The next piece overwrites is_last.
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_split(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = gemm_problem<F32>(args);
  const int64_t outputs = problem.outputs(), groups = (outputs + kThreads - 1) / kThreads;
  if (outputs == 0) return kernel::LaunchResult::launched();
  auto* const partial =
      static_cast<float*>(workspace.allocate(static_cast<std::size_t>(kSlices * outputs) * sizeof(float)));
  auto* const arrived = static_cast<unsigned*>(workspace.allocate(static_cast<std::size_t>(groups) * sizeof(unsigned)));
  launch(stream, clear_arrivals_kernel, blocks_for<int64_t>(groups, kThreads), kThreads, 0, arrived, groups);
  launch(stream, split_kernel<kFaulty>, blocks_for<int64_t>(groups * kSlices, 1), kThreads, 0, problem, partial,
         arrived);
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::add_fault(
    {.id = "G11",
     .slug = "flag_without_fence",
     .twin_slug = "flag_with_fence",
     .about = "split-K counts arrived slices without a fence: the last block may read old ones",
     .twin_about = "split-K in one launch, fences around the count of arrived slices",
     .seen_in = "cutlass#2027, #1296",
     .operation = "gemm",
     .contract = split_contract(),
     .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}, .extents = {{"k", {.tiles = {kSlices}}}}},
     .faulty = launch_split<true>,
     .twin = launch_split<false>});

}  // namespace
}  // namespace negzero::kernels

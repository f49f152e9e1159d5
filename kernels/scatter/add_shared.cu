// Scatter-add of F32 in shared memory: one block holds all destinations, adds the updates, and writes them back.

#include <negzero/cuda/cuda.hpp>

#include "../common/scatter.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int64_t kMostDestinations = 2048;

/// One block of any size along x.
__global__ void add_shared_kernel(Updates<float> problem, int64_t destinations) {
  NEGZERO_SHARED(float, sums, [kMostDestinations]);
  for (int64_t i = threadIdx.x; i < destinations; i += blockDim.x) sums[i] = problem.out[i * problem.out_stride];
  __syncthreads();
  for (int64_t i = threadIdx.x; i < problem.count; i += blockDim.x) {
    atomicAdd(&sums[problem.index[i * problem.index_stride]], problem.value(i));
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < destinations; i += blockDim.x) problem.out[i * problem.out_stride] = sums[i];
}

kernel::LaunchResult launch_add_shared(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = updates_of<float>(args);
  if (problem.count > 0) {
    launch(stream, add_shared_kernel, 1, kScatterThreads, 0, problem, kernel::scatter_args(args).destinations);
  }
  return kernel::LaunchResult::launched();
}

// Unlike the same instruction on global memory, an addition in shared memory keeps subnormals: sm_90 makes it of a
// compare-and-swap loop around an ordinary addition.
const bool registered = kernel::registry().add({
    .name = "scatter.add.shared.f32",
    .operation = "scatter.add",
    .about = "atomicAdd on F32 in shared memory, which keeps subnormals; at most 2048 destinations",
    .contract = {.wider = false, .zero_sign = contract::ZeroSign::Ieee},
    .limits = {.formats = {{FormatId::F32}},
               .extents = {{"destinations", {.max = kMostDestinations, .tiles = {kScatterThreads}}},
                           {"updates", {.tiles = {kScatterThreads}}}}},
    .launch = launch_add_shared,
});

}  // namespace
}  // namespace negzero::kernels

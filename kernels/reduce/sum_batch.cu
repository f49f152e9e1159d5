// Sum over a batch of matrices: a thread an output, so that a warp reads neighbours of each matrix in turn.

#include <negzero/cuda/cuda.hpp>

#include "../common/lines.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

__global__ void sum_batch_kernel(Lines<float, float> problem) {
  for (int64_t output = first_piece(); output < problem.outputs(); output += piece_stride()) {
    const int64_t o = output / problem.inner, i = output % problem.inner;
    problem.give(o, i, chain(problem, o, i));
  }
}

kernel::LaunchResult launch_sum_batch(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = lines_of_batch<float, float>(args);
  return launch_outputs(sum_batch_kernel, problem, problem.outputs(), stream);
}

const bool registered = kernel::registry().add({
    .name = "reduce.sum_batch.chain.f32",
    .operation = "reduce.sum_batch",
    .about = "a thread an output, which adds its elements of the matrices in turn",
    .contract = line_chain_contract(),
    .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kLineThreads}}}}},
    .launch = launch_sum_batch,
});

}  // namespace
}  // namespace negzero::kernels

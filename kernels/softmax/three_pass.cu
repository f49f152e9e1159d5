// Softmax of rows in three passes: the greatest element, the sum of exponentials, the quotients.

#include <negzero/cuda/cuda.hpp>

#include "../common/softmax.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th row.
__global__ void three_pass_kernel(RowProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    float greatest = -INFINITY;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) greatest = fmaxf(greatest, problem.at(i, j));
    greatest = fold_block(partial, greatest, Greater{});
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      sum = add(sum, expf(add(problem.at(i, j), -greatest)));
    }
    sum = fold_block(partial, sum, Plus{});
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      problem.out(i, j) = __fdiv_rn(expf(add(problem.at(i, j), -greatest)), sum);
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "softmax.three_pass.f32",
    .operation = kSoftmax,
    .about = "a block a row: the greatest element, the sum of exponentials, the quotients",
    .contract = {.determinism = contract::Determinism::RunToRun, .position_invariant = true},
    .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kRowThreads}}}}},
    .reference = softmax_reference(),
    .launch = [](const kernel::Args& args, kernel::Workspace&,
                 engine::Stream& stream) { return launch_rows(three_pass_kernel, row_problem(args), stream); },
});

}  // namespace
}  // namespace negzero::kernels

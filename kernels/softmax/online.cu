// Softmax of rows in one pass for the greatest element and the sum together, then the quotients.

#include <negzero/cuda/cuda.hpp>

#include "../common/softmax.cuh"
#include "../common/softmax_pair.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th row.
__global__ void online_kernel(RowProblem problem) {
  NEGZERO_SHARED(SoftmaxPair, partial, [kRowThreads]);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    SoftmaxPair own = nothing_yet();
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      own = joined(own, {problem.at(i, j), 1.0f});
    }
    const SoftmaxPair row = fold_block(partial, own, JoinedPairs{});
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      problem.out(i, j) = __fdiv_rn(expf(add(problem.at(i, j), -row.greatest)), row.sum);
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "softmax.online.f32",
    .operation = kSoftmax,
    .about = "a block a row: the greatest element and the sum in one pass, then the quotients",
    .contract = fixed_order_contract(),
    .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kRowThreads}}}}},
    .reference = one_pass_reference(),
    .launch = [](const kernel::Args& args, kernel::Workspace&,
                 engine::Stream& stream) { return launch_rows(online_kernel, row_problem(args), stream); },
});

}  // namespace
}  // namespace negzero::kernels

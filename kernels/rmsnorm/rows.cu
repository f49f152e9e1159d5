// Root mean square normalization in F32: the mean of squares, then the products with its inverse root.

#include <negzero/cuda/cuda.hpp>

#include "../common/rmsnorm.cuh"

namespace negzero::kernels {
namespace {

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th row.
__global__ void rmsnorm_kernel(RmsnormProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  const float count = static_cast<float>(problem.columns);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    float squares = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      squares = add(squares, multiply(problem.x.at(i, j), problem.x.at(i, j)));
    }
    const float mean = __fdiv_rn(fold_block(partial, squares, Plus{}), count);
    const float inverse = rsqrtf(add(mean, problem.epsilon));
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      problem.y.at(i, j) = multiply(multiply(problem.x.at(i, j), inverse), problem.weight.at(j));
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "rmsnorm.rows.f32",
    .operation = kRmsnorm,
    .about = "a block a row: the mean of squares, then the products with its inverse root",
    .contract = fixed_order_contract(),
    .limits = norm_limits(3),
    .reference = rmsnorm_reference(),
    .launch = [](const kernel::Args& args, kernel::Workspace&,
                 engine::Stream& stream) { return launch_rows(rmsnorm_kernel, rmsnorm_problem(args), stream); },
});

}  // namespace
}  // namespace negzero::kernels

// Layer normalization in F32 by two passes: the mean, then the mean of squared differences from it.

#include <negzero/cuda/cuda.hpp>

#include "../common/layernorm.cuh"

namespace negzero::kernels {
namespace {

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th row.
__global__ void two_pass_kernel(LayernormProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  const float count = static_cast<float>(problem.columns);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) sum = add(sum, problem.x.at(i, j));
    const float mean = __fdiv_rn(fold_block(partial, sum, Plus{}), count);
    float squares = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      const float below = add(problem.x.at(i, j), -mean);
      squares = add(squares, multiply(below, below));
    }
    const float variance = __fdiv_rn(fold_block(partial, squares, Plus{}), count);
    const float rstd = rsqrtf(add(variance, problem.epsilon));
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      const float normal = multiply(add(problem.x.at(i, j), -mean), rstd);
      problem.y.at(i, j) = fmaf(normal, problem.weight.at(j), problem.bias.at(j));
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "layernorm.y.two_pass.f32",
    .operation = kLayernormY,
    .about = "a block a row: the mean, the mean of squared differences from it, the quotients",
    .contract = fixed_order_contract(),
    .limits = norm_limits(4),
    .reference = layernorm_y_reference(),
    .launch = [](const kernel::Args& args, kernel::Workspace&,
                 engine::Stream& stream) { return launch_rows(two_pass_kernel, layernorm_problem(args), stream); },
});

}  // namespace
}  // namespace negzero::kernels

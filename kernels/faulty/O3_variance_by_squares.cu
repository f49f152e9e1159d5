// O3: the variance as the mean of squares less the square of the mean, which cancels where the mean is large.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/layernorm.cuh"

namespace negzero::kernels {
namespace {

/// One block of kRowThreads threads a row, folded. The fault saves a pass: it sums squares of the elements themselves.
template <bool kFaulty>
__global__ void layernorm_kernel(LayernormProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  const float count = static_cast<float>(problem.columns);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) sum = add(sum, problem.x.at(i, j));
    const float mean = __fdiv_rn(fold_block(partial, sum, Plus{}), count);
    float squares = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      const float below = kFaulty ? problem.x.at(i, j) : add(problem.x.at(i, j), -mean);
      squares = add(squares, multiply(below, below));
    }
    float variance = __fdiv_rn(fold_block(partial, squares, Plus{}), count);
    if (kFaulty) variance = add(variance, -multiply(mean, mean));
    const float rstd = rsqrtf(add(variance, problem.epsilon));
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      const float normal = multiply(add(problem.x.at(i, j), -mean), rstd);
      problem.y.at(i, j) = fmaf(normal, problem.weight.at(j), problem.bias.at(j));
    }
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_layernorm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(layernorm_kernel<kFaulty>, layernorm_problem(args), stream);
}

const bool registered = kernel::add_fault({.id = "O3",
                                           .slug = "variance_by_squares",
                                           .twin_slug = "variance_by_differences",
                                           .about = "mean of squares less the square of the mean, which cancels",
                                           .twin_about = "mean of squared differences from the mean",
                                           .seen_in = "trt-samples-for-hackathon-cn#88, openvino PR#36587",
                                           .operation = kLayernormY,
                                           .contract = fixed_order_contract(),
                                           .limits = norm_limits(4),
                                           .reference = layernorm_y_reference(),
                                           .faulty = launch_layernorm<true>,
                                           .twin = launch_layernorm<false>});

}  // namespace
}  // namespace negzero::kernels

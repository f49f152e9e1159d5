// O4: epsilon added to the root of the mean of squares instead of to the mean itself.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/rmsnorm.cuh"

namespace negzero::kernels {
namespace {

/// One block of kRowThreads threads a row, folded.
template <bool kFaulty>
__global__ void rmsnorm_kernel(RmsnormProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  const float count = static_cast<float>(problem.columns);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    float squares = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      squares = add(squares, multiply(problem.x.at(i, j), problem.x.at(i, j)));
    }
    const float mean = __fdiv_rn(fold_block(partial, squares, Plus{}), count);
    const float inverse = kFaulty ? __fdiv_rn(1.0f, add(__fsqrt_rn(mean), problem.epsilon))
                                  : __fdiv_rn(1.0f, __fsqrt_rn(add(mean, problem.epsilon)));
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      problem.y.at(i, j) = multiply(multiply(problem.x.at(i, j), inverse), problem.weight.at(j));
    }
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_rmsnorm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(rmsnorm_kernel<kFaulty>, rmsnorm_problem(args), stream);
}

const bool registered = kernel::add_fault({.id = "O4",
                                           .slug = "epsilon_outside_root",
                                           .twin_slug = "epsilon_inside_root",
                                           .about = "adds epsilon to the root of the mean of squares",
                                           .twin_about = "adds epsilon to the mean of squares",
                                           .seen_in = "tilelang PR#1243",
                                           .operation = kRmsnorm,
                                           .contract = fixed_order_contract(),
                                           .limits = norm_limits(3),
                                           .reference = rmsnorm_reference(),
                                           .faulty = launch_rmsnorm<true>,
                                           .twin = launch_rmsnorm<false>});

}  // namespace
}  // namespace negzero::kernels

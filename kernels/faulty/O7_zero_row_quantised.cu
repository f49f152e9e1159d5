// O7: a row of zeros quantised by its own step, which is 0: 0 / 0 is NaN.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/quantise.cuh"

namespace negzero::kernels {
namespace {

/// One block of kRowThreads threads a row, folded.
template <bool kFaulty>
__global__ void quantise_kernel(QuantiseProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    float greatest = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      greatest = fmaxf(greatest, fabsf(problem.x.at(i, j)));
    }
    const float step = __fdiv_rn(fold_block(partial, greatest, Greater{}), static_cast<float>(kMostF8));
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      const double x = problem.x.at(i, j);
      const bool is_zero = !kFaulty && step == 0.0f && x == x;
      problem.q.at(i, j) = f8_nearest(is_zero ? 0.0 : __ddiv_rn(x, step));
    }
    if (threadIdx.x == 0) problem.step.at(i) = step;
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_quantise(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(quantise_kernel<kFaulty>, quantise_problem(args), stream);
}

const bool registered = kernel::add_fault({.id = "O7",
                                           .slug = "zero_row_quantised",
                                           .twin_slug = "zero_row_kept",
                                           .about = "divides a row of zeros by its step, 0",
                                           .twin_about = "gives zeros where the step is 0",
                                           .seen_in = "pytorch/ao PR#4762, kernels-community#681, ROCm/aiter#4289",
                                           .operation = kQuantise,
                                           .contract = fixed_order_contract(),
                                           .limits = quantise_limits(),
                                           .reference = quantise_reference(),
                                           .faulty = launch_quantise<true>,
                                           .twin = launch_quantise<false>});

}  // namespace
}  // namespace negzero::kernels

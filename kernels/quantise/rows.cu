// Rows quantised to F8_E4M3 with a step each, a block a row.

#include <negzero/cuda/cuda.hpp>

#include "../common/quantise.cuh"

namespace negzero::kernels {
namespace {

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th row. The
/// quotient is one of F64: rounded to F32 first, it may come to lie on a tie of F8.
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
      problem.q.at(i, j) = f8_nearest(step == 0.0f && x == x ? 0.0 : __ddiv_rn(x, step));
    }
    if (threadIdx.x == 0) problem.step.at(i) = step;
  }
}

const bool registered = kernel::registry().add({
    .name = "quantise.rows.f32_f8",
    .operation = kQuantise,
    .about = "a block a row: the greatest magnitude, then the quotients, saturated",
    .contract = fixed_order_contract(),
    .limits = quantise_limits(),
    .reference = quantise_reference(),
    .launch = [](const kernel::Args& args, kernel::Workspace&,
                 engine::Stream& stream) { return launch_rows(quantise_kernel, quantise_problem(args), stream); },
});

}  // namespace
}  // namespace negzero::kernels

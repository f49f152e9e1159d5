// O6: the bias goes along rows instead of columns where the result is square: its length fits both.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/residual.cuh"

namespace negzero::kernels {
namespace {

/// A thread an element, folded.
template <bool kFaulty>
__global__ void residual_kernel(ResidualProblem problem) {
  const bool is_along_rows = kFaulty && problem.rows == problem.columns;
  for (int64_t index = first_piece(); index < problem.rows * problem.columns; index += piece_stride()) {
    const int64_t i = index / problem.columns, j = index % problem.columns;
    const float bias = problem.bias.at(is_along_rows ? i : j);
    problem.y.at(i, j) = add(add(problem.x.at(i, j), bias), problem.residual.at(i, j));
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_residual(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const ResidualProblem problem = residual_problem(args);
  return launch_pieces(residual_kernel<kFaulty>, problem, problem.rows * problem.columns, stream);
}

const bool registered = kernel::add_fault({.id = "O6",
                                           .slug = "bias_along_rows",
                                           .twin_slug = "bias_along_columns",
                                           .about = "bias[i] instead of bias[j] where rows and columns are as many",
                                           .twin_about = "bias[j] always",
                                           .seen_in = "openxla/xla#46897",
                                           .operation = kResidual,
                                           .contract = fixed_order_contract(),
                                           .limits = residual_limits(),
                                           .reference = residual_reference(),
                                           .faulty = launch_residual<true>,
                                           .twin = launch_residual<false>});

}  // namespace
}  // namespace negzero::kernels

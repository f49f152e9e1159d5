// O12: GELU of -infinity is -infinity times zero, which is NaN, where it should be zero.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gelu.cuh"

namespace negzero::kernels {
namespace {

/// A thread an element, folded.
template <bool kFaulty>
__global__ void gelu_kernel(GeluProblem problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float x = problem.x.at(i);
    const bool is_limit = !kFaulty && x == -INFINITY;
    problem.y.at(i) = is_limit ? -0.0f : gelu_product(x, tanhf(gelu_argument(x)));
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gelu(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const GeluProblem problem = gelu_problem(args);
  return launch_pieces(gelu_kernel<kFaulty>, problem, problem.count, stream);
}

const bool registered = kernel::add_fault({.id = "O12",
                                           .slug = "gelu_of_minus_infinity",
                                           .twin_slug = "gelu_of_limits",
                                           .about = "-infinity times the zero that 1 + tanh is there",
                                           .twin_about = "the limit where x is -infinity",
                                           .seen_in = "pytorch PR#194278",
                                           .operation = kGelu,
                                           .contract = fixed_order_contract(),
                                           .limits = gelu_limits(),
                                           .reference = gelu_reference(),
                                           .faulty = launch_gelu<true>,
                                           .twin = launch_gelu<false>});

}  // namespace
}  // namespace negzero::kernels

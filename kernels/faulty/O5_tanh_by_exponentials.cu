// O5: GELU whose tanh is a quotient of exponentials: infinity / infinity, and so NaN, from x = 11 on.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gelu.cuh"

namespace negzero::kernels {
namespace {

/// A thread an element, folded.
template <bool kFaulty>
__global__ void gelu_kernel(GeluProblem problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float x = problem.x.at(i), z = gelu_argument(x);
    float tanh_z = tanhf(z);
    if (kFaulty) {
      const float power = expf(multiply(2.0f, z));
      tanh_z = __fdiv_rn(add(power, -1.0f), add(power, 1.0f));
    }
    problem.y.at(i) = x == -INFINITY ? -0.0f : gelu_product(x, tanh_z);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gelu(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const GeluProblem problem = gelu_problem(args);
  return launch_pieces(gelu_kernel<kFaulty>, problem, problem.count, stream);
}

const bool registered = kernel::add_fault({.id = "O5",
                                           .slug = "tanh_by_exponentials",
                                           .twin_slug = "tanh_itself",
                                           .about = "tanh as a quotient of exponentials, which overflow",
                                           .twin_about = "tanhf, which saturates",
                                           .seen_in = "llm-scaler PR#484, executorch#22323",
                                           .operation = kGelu,
                                           .contract = fixed_order_contract(),
                                           .limits = gelu_limits(),
                                           .reference = gelu_reference(),
                                           .faulty = launch_gelu<true>,
                                           .twin = launch_gelu<false>});

}  // namespace
}  // namespace negzero::kernels

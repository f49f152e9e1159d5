// GEMM with one thread an output: the order and the roundings that a textbook loop has.

#include <negzero/cuda/cuda.hpp>

#include "../common/gemm.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 64;

/// Grid: any number of blocks along x; a thread walks over every gridDim * blockDim-th output.
__global__ void naive_kernel(GemmProblem<F32> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    float value = 0.0f;
    if (problem.reads_a_b) {
      float sum = 0.0f;
      for (int64_t k = 0; k < problem.k; ++k) {
        const float product = multiply(problem.a.at(at.batch, at.row, k), problem.b.at(at.batch, k, at.column));
        sum = add(sum, product);
      }
      value = multiply(problem.alpha, sum);
    }
    if (problem.reads_c) {
      const float scaled = multiply(problem.beta, problem.c.at(at.batch, at.row, at.column));
      value = problem.reads_a_b ? add(value, scaled) : scaled;
    }
    problem.d.at(at.batch, at.row, at.column) = value;
  }
}

kernel::LaunchResult launch_naive(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = gemm_problem<F32>(args);
  if (problem.outputs() > 0) {
    launch(stream, naive_kernel, blocks_for<int64_t>(problem.outputs(), kThreads), kThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "gemm.naive.f32",
    .operation = "gemm",
    .about = "one thread an output, multiply and add rounded apart, k ascending",
    .contract = {.wider = false,
                 .order = contract::Order::Ascending,
                 .contraction = contract::Contraction::Separate,
                 .start = contract::Start::PlusZero,
                 .alpha = contract::AlphaPlace::Epilogue,
                 .beta = contract::BetaPlace::Epilogue,
                 .scalar_format = FormatId::F32,
                 .zero_sign = contract::ZeroSign::Ieee,
                 .determinism = contract::Determinism::GpuToGpu,
                 .position_invariant = true},
    .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}},
    .launch = launch_naive,
});

}  // namespace
}  // namespace negzero::kernels

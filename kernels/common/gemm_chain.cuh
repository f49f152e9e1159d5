// The GEMM that faults are planted in: one thread an output, one fma chain from +0 over ascending k.

#pragma once

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "gemm.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

constexpr int kChainThreads = 64;

/// sum over k of a[row, k] b[k, column]; +0 where the product is not read.
template <class Number>
__device__ typename Number::Value chain(const GemmProblem<Number>& problem, Position at) {
  typename Number::Value sum(0.0f);
  for (int64_t k = 0; problem.reads_a_b && k < problem.k; ++k) {
    sum = multiply_add(Number::widen(problem.a.at(at.batch, at.row, k)),
                       Number::widen(problem.b.at(at.batch, k, at.column)), sum);
  }
  return sum;
}

/// One right output after the other. Faults of a launch wrapper give it a wrong problem.
template <class Number>
__global__ void chain_gemm_kernel(GemmProblem<Number> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    problem.d.at(at.batch, at.row, at.column) = finish(problem, chain(problem, at), at);
  }
}

/// Launches a kernel that walks over every gridDim * blockDim-th output.
template <class Number>
kernel::LaunchResult launch_outputs(void (*output_kernel)(GemmProblem<Number>), const GemmProblem<Number>& problem,
                                    engine::Stream& stream) {
  if (problem.outputs() > 0) {
    launch(stream, output_kernel, blocks_for<int64_t>(problem.outputs(), kChainThreads), kChainThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}
template <class Number>
kernel::LaunchResult launch_outputs(void (*output_kernel)(GemmProblem<Number>), const kernel::Args& args,
                                    engine::Stream& stream) {
  return launch_outputs(output_kernel, gemm_problem<Number>(args), stream);
}

/// The contract of such a kernel in F32.
inline contract::Contract chain_contract() {
  return {.wider = false,
          .order = contract::Order::Ascending,
          .contraction = contract::Contraction::Fused,
          .start = contract::Start::PlusZero,
          .alpha = contract::AlphaPlace::Epilogue,
          .beta = contract::BetaPlace::Epilogue,
          .scalar_format = number::FormatId::F32,
          .zero_sign = contract::ZeroSign::Ieee,
          .determinism = contract::Determinism::GpuToGpu,
          .position_invariant = true};
}

}  // namespace
}  // namespace negzero::kernels

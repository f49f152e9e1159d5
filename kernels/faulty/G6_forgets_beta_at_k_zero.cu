// G6: with K = 0 there is "nothing to do", and C is handed on without beta.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// The reports are of in-place BLAS, where an early return leaves C as it was; with d apart from c that is d = c.
template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F32> problem) {
  if (kFaulty && problem.k == 0 && problem.reads_c) problem.beta = 1.0f;
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    problem.d.at(at.batch, at.row, at.column) = finish(problem, chain(problem, at), at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F32>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "G6",
                                           .slug = "forgets_beta_at_k_zero",
                                           .twin_slug = "scales_c_at_k_zero",
                                           .about = "K = 0 returns early: C comes back without beta",
                                           .twin_about = "K = 0 gives beta * C",
                                           .seen_in = "CUDA.jl#2952, rocBLAS PR#753",
                                           .operation = "gemm",
                                           .contract = chain_contract(),
                                           .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}},
                                           .faulty = launch_gemm<true>,
                                           .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

// G1: C is multiplied by beta = 0 instead of being left alone: 0 * NaN.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F32> problem) {
  if (kFaulty) problem.reads_c = true;
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    problem.d.at(at.batch, at.row, at.column) = finish(problem, chain(problem, at), at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F32>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "G1",
                                           .slug = "reads_c_at_beta_zero",
                                           .twin_slug = "skips_c_at_beta_zero",
                                           .about = "adds 0 * C at beta = 0: a NaN in C gets out",
                                           .twin_about = "leaves C alone at beta = 0",
                                           .seen_in = "pytorch#96037, rocBLAS#538, kokkos-kernels#509",
                                           .operation = "gemm",
                                           .contract = chain_contract(),
                                           .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}},
                                           .faulty = launch_gemm<true>,
                                           .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

// G24: the F32 fragment of an F16 GEMM joins an F32 state without the rounding to F16 that is declared between.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// d = beta * c + alpha * round_F16(sum): the state c and d are F32, the fragment is stored as F16 on its way.
template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F16ToF32> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    float fragment = chain(problem, at);
    if (!kFaulty) fragment = __half2float(__float2half_rn(fragment));
    problem.d.at(at.batch, at.row, at.column) = finish(problem, fragment, at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F16ToF32>(gemm_kernel<kFaulty>, args, stream);
}

contract::Contract rounded_fragment_contract() {
  contract::Contract declared = chain_contract();
  declared.intermediate = {{.format = FormatId::F16}};
  declared.intermediate_at = contract::IntermediateAt::Sum;
  return declared;
}

const bool registered =
    kernel::add_fault({.id = "G24",
                       .slug = "unrounded_fragment",
                       .twin_slug = "rounded_fragment",
                       .about = "adds the F32 fragment to the F32 state without going through F16 as declared",
                       .twin_about = "rounds the fragment to F16, then adds it to the F32 state",
                       .seen_in = "cutlass#2214, PR#407",
                       .operation = "gemm",
                       .contract = rounded_fragment_contract(),
                       .limits = {.formats = {{FormatId::F16, FormatId::F16, FormatId::F32}}},
                       .faulty = launch_gemm<true>,
                       .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

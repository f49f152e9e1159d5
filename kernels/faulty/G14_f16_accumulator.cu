// G14: sums of F16 products in an F16 accumulator, where F32 is declared.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F16ToF32> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    float sum = 0.0f;
    if constexpr (kFaulty) {
      __half half_sum(0.0f);
      for (int64_t k = 0; problem.reads_a_b && k < problem.k; ++k) {
        half_sum = multiply_add(problem.a.at(at.batch, at.row, k), problem.b.at(at.batch, k, at.column), half_sum);
      }
      sum = __half2float(half_sum);
    } else {
      sum = chain(problem, at);
    }
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F16ToF32>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "G14",
                       .slug = "f16_accumulator",
                       .twin_slug = "f32_accumulator",
                       .about = "accumulates in F16 where F32 is declared: 11 bits, and Inf past 65504",
                       .twin_about = "accumulates F16 products in F32",
                       .seen_in = "llama.cpp#7805, PR#15619",
                       .operation = "gemm",
                       .contract = chain_contract(),
                       .limits = {.formats = {{FormatId::F16, FormatId::F16, FormatId::F32}}},
                       .faulty = launch_gemm<true>,
                       .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

// G15: factors rounded to TF32 before they are multiplied, where F32 is declared.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Rounds to 10 fraction bits, ties away from zero, as cvt.rna.tf32.f32 does; Inf and NaN stay.
__device__ inline float to_tf32(float value) {
  const unsigned bits = __float_as_uint(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F32> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    float sum = 0.0f;
    for (int64_t k = 0; problem.reads_a_b && k < problem.k; ++k) {
      const float a = problem.a.at(at.batch, at.row, k), b = problem.b.at(at.batch, k, at.column);
      sum = kFaulty ? multiply_add(to_tf32(a), to_tf32(b), sum) : multiply_add(a, b, sum);
    }
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F32>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "G15",
                       .slug = "tf32_multiplicands",
                       .twin_slug = "f32_multiplicands",
                       .about = "rounds A and B to TF32 where F32 is declared: 11 bits of 24 are left",
                       .twin_about = "multiplies A and B as they are",
                       .seen_in = "jax#14157, TransformerEngine#494, #1360",
                       .operation = "gemm",
                       .contract = chain_contract(),
                       .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}},
                       .faulty = launch_gemm<true>,
                       .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

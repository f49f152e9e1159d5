// G27: products of U8 by I8 are added in pairs, in 16 bits that clamp, before they join the sum in I32.

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using Number = Integers<uint8_t, int8_t>;

template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<Number> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    int sum = 0;
    for (int64_t k = 0; problem.reads_a_b && k < problem.k; k += 2) {
      int pair = 0;
      for (int64_t i = k; i < k + 2 && i < problem.k; ++i) {
        pair = multiply_add(problem.a.at(at.batch, at.row, i), problem.b.at(at.batch, i, at.column), pair);
      }
      if (kFaulty) pair = pair > INT16_MAX ? INT16_MAX : pair < INT16_MIN ? INT16_MIN : pair;
      sum = add(sum, pair);
    }
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<Number>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "G27",
                                           .slug = "pairs_in_sixteen_bits",
                                           .twin_slug = "pairs_in_32_bits",
                                           .about = "adds products of U8 by I8 in pairs, in 16 bits that clamp",
                                           .twin_about = "adds products of U8 by I8 in pairs, in 32 bits",
                                           .seen_in = "oneDNN: nuances of int8 computations (stated)",
                                           .operation = "gemm",
                                           .contract = {.accumulate = FormatId::I32,
                                                        .wider = false,
                                                        .scalar_format = FormatId::I32,
                                                        .determinism = contract::Determinism::GpuToGpu,
                                                        .position_invariant = true},
                                           .limits = {.formats = {{FormatId::U8, FormatId::I8, FormatId::I32}}},
                                           .faulty = launch_gemm<true>,
                                           .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

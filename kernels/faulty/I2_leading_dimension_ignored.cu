// I2: the output is written as if its rows lay next to each other, whatever its leading dimension.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F32> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    float& d = kFaulty ? problem.d.data[index] : problem.d.at(at.batch, at.row, at.column);
    d = finish(problem, chain(problem, at), at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F32>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "I2",
                                           .slug = "leading_dimension_ignored",
                                           .twin_slug = "leading_dimension_kept",
                                           .about = "writes the output packed, whatever its leading dimension",
                                           .twin_about = "writes the output by its strides",
                                           .seen_in = "cutlass#1323, ggml#1497",
                                           .operation = "gemm",
                                           .contract = chain_contract(),
                                           .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}},
                                           .faulty = launch_gemm<true>,
                                           .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

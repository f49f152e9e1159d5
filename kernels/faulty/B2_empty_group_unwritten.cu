// B2: a group without products returns before it writes its output.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// In the reports the groups share K, and one of them has none of it: its output is a sum of nothing, which is still to
/// be written.
template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F32> problem) {
  if (kFaulty && problem.k == 0) return;
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    problem.d.at(at.batch, at.row, at.column) = finish(problem, chain(problem, at), at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F32>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "B2",
                                           .slug = "empty_group_unwritten",
                                           .twin_slug = "empty_group_written",
                                           .about = "a group of K = 0 returns early: its output is never written",
                                           .twin_about = "a group of K = 0 writes beta * C, or zeros",
                                           .seen_in = "grouped_gemm#36, MSLK PR#158",
                                           .operation = "gemm",
                                           .contract = chain_contract(),
                                           .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}}},
                                           .faulty = launch_gemm<true>,
                                           .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

// G9: the tail of K is masked by a factor 0 instead of being left out: 0 * NaN of the padding is NaN.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kUnroll = 4;
/// The fault reads at most kUnroll - 1 rows of B past its end, which with rows of this length and the padding that
/// generators draw stay in the 4 KiB guard zone behind it: wrong numbers, not a crash.
constexpr int64_t kMostColumns = 64;

/// One thread an output; K in steps of kUnroll.
template <bool kFaulty>
__global__ void gemm_kernel(GemmProblem<F32> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    float sum = 0.0f;
    for (int64_t k0 = 0; problem.reads_a_b && k0 < problem.k; k0 += kUnroll) {
      for (int64_t k = k0; k < k0 + kUnroll; ++k) {
        if (!kFaulty && k >= problem.k) continue;
        const float mask = k < problem.k ? 1.0f : 0.0f;
        sum =
            multiply_add(multiply(mask, problem.a.at(at.batch, at.row, k)), problem.b.at(at.batch, k, at.column), sum);
      }
    }
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F32>(gemm_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "G9",
                       .slug = "tail_times_zero",
                       .twin_slug = "tail_left_out",
                       .about = "multiplies the tail of K by 0: what lies in the padding still matters when it is NaN",
                       .twin_about = "leaves the tail of K out",
                       .seen_in = "llama.cpp PR#8572, #2144",
                       .operation = "gemm",
                       .contract = chain_contract(),
                       .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
                                  .extents = {{"n", {.max = kMostColumns}}, {"k", {.tiles = {kUnroll}}}},
                                  .inputs = {.order = operation::LayoutOrder::RowMajor, .broadcast = false}},
                       .faulty = launch_gemm<true>,
                       .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels

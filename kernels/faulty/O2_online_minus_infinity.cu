// O2: softmax in one pass whose thread begins with -infinity: exp(-infinity - -infinity) is NaN, and so is the row.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/softmax.cuh"
#include "../common/softmax_pair.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One block of kRowThreads threads a row, folded. The fault takes an element in as if it were a number; threads
/// without elements are joined rightly, as a row shorter than the block would show otherwise.
template <bool kFaulty>
__global__ void online_kernel(RowProblem problem) {
  NEGZERO_SHARED(SoftmaxPair, partial, [kRowThreads]);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    SoftmaxPair own = nothing_yet();
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      const float x = problem.at(i, j);
      if (kFaulty) {
        const float greatest = fmaxf(own.greatest, x);
        own = {greatest, add(multiply(own.sum, expf(add(own.greatest, -greatest))), expf(add(x, -greatest)))};
      } else {
        own = joined(own, {x, 1.0f});
      }
    }
    const SoftmaxPair row = fold_block(partial, own, JoinedPairs{});
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      problem.out(i, j) = __fdiv_rn(expf(add(problem.at(i, j), -row.greatest)), row.sum);
    }
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_online(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(online_kernel<kFaulty>, row_problem(args), stream);
}

const bool registered = kernel::add_fault(
    {.id = "O2",
     .slug = "online_minus_infinity",
     .twin_slug = "online_minus_infinity_kept",
     .about = "a thread that begins with -infinity makes the row NaN",
     .twin_about = "leaves a sum as it is where both maxima are -infinity",
     .seen_in = "flashinfer PR#1178, flash-attention#1930",
     .operation = kSoftmax,
     .contract = fixed_order_contract(),
     .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kRowThreads}}}}},
     .reference = one_pass_reference(),
     .faulty = launch_online<true>,
     .twin = launch_online<false>});

}  // namespace
}  // namespace negzero::kernels

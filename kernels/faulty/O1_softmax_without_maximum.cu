// O1: softmax that does not subtract the greatest element: exponentials of large elements are infinite.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/softmax.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One block of kRowThreads threads a row, folded: the greatest element, the sum of exponentials, the quotients.
template <bool kFaulty>
__global__ void softmax_kernel(RowProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    float greatest = 0.0f;
    if (!kFaulty) {
      greatest = -INFINITY;
      for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) greatest = fmaxf(greatest, problem.at(i, j));
      greatest = fold_block(partial, greatest, Greater{});
    }
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      sum = add(sum, expf(add(problem.at(i, j), -greatest)));
    }
    sum = fold_block(partial, sum, Plus{});
    for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
      problem.out(i, j) = __fdiv_rn(expf(add(problem.at(i, j), -greatest)), sum);
    }
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_softmax(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(softmax_kernel<kFaulty>, row_problem(args), stream);
}

const bool registered = kernel::add_fault(
    {.id = "O1",
     .slug = "softmax_without_maximum",
     .twin_slug = "softmax_with_maximum",
     .about = "exponentials of the elements themselves, which overflow",
     .twin_about = "exponentials of what elements are below the greatest one",
     .seen_in = "llama.cpp PR#2665",
     .operation = kSoftmax,
     .contract = fixed_order_contract(),
     .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kRowThreads}}}}},
     .reference = softmax_reference(),
     .faulty = launch_softmax<true>,
     .twin = launch_softmax<false>});

}  // namespace
}  // namespace negzero::kernels

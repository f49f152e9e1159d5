// R24: a sum over the first of three dimensions steps through the second one, by the strides of a tensor whose first
// two dimensions have changed places.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/lines.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using operation::LayoutOrder;

__global__ void sum_kernel(Lines<float, float> problem) {
  for (int64_t output = first_piece(); output < problem.outputs(); output += piece_stride()) {
    const int64_t o = output / problem.inner, i = output % problem.inner;
    problem.give(o, i, chain(problem, o, i));
  }
}

/// Both compute strides from the extents. Those of the fault are as good where there is one matrix, or one row.
template <bool kFaulty>
kernel::LaunchResult launch_sum(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  auto problem = lines_of_batch<float, float>(args);
  problem.inner_stride = 1;
  problem.outer_stride = kFaulty ? problem.terms * problem.inner : problem.inner;
  problem.term_stride = kFaulty ? problem.inner : problem.outer * problem.inner;
  return launch_outputs(sum_kernel, problem, problem.outputs(), stream);
}

const bool registered =
    kernel::add_fault({.id = "R24",
                       .slug = "leading_stride_swapped",
                       .twin_slug = "leading_stride_kept",
                       .about = "sums over the first dimension with the strides of the first two swapped",
                       .twin_about = "sums over the first dimension with its own stride",
                       .seen_in = "triton-ascend#2291",
                       .operation = "reduce.sum_batch",
                       .contract = line_chain_contract(),
                       .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                                  .inputs = {.order = LayoutOrder::Packed, .broadcast = false}},
                       .faulty = launch_sum<true>,
                       .twin = launch_sum<false>});

}  // namespace
}  // namespace negzero::kernels

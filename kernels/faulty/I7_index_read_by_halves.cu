// I7: indices of 64 bits are read as if they had 32.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/scatter.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kFaulty>
__global__ void add_kernel(Updates<float, int64_t> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const int64_t at = i * problem.index_stride;
    const int64_t index = kFaulty ? reinterpret_cast<const std::int32_t*>(problem.index)[at] : problem.index[at];
    atomicAdd(problem.out + index * problem.out_stride, problem.value(i));
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_add(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_updates(add_kernel<kFaulty>, args, stream);
}

// Subnormals as in scatter.add.f32.
const bool registered =
    kernel::add_fault({.id = "I7",
                       .slug = "index_read_by_halves",
                       .twin_slug = "index_read_whole",
                       .about = "reads indices of 64 bits as if they had 32",
                       .twin_about = "reads indices of 64 bits",
                       .seen_in = "pytorch PR#39684, where 32 bits were read as 64",
                       .operation = "scatter.add",
                       .contract = {.wider = false,
                                    .subnormal_inputs = contract::Subnormals::Flush,
                                    .subnormal_results = contract::Subnormals::Flush,
                                    .zero_sign = contract::ZeroSign::Ieee},
                       // In a packed list each half is a place that is there.
                       .limits = {.formats = {{FormatId::F32, FormatId::I64}},
                                  .tensors = {{"index", {.order = operation::LayoutOrder::Packed}}}},
                       .faulty = launch_add<true>,
                       .twin = launch_add<false>});

}  // namespace
}  // namespace negzero::kernels

// A9: updates by a plain load, addition and store: of two threads that meet at a destination one is lost.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/numbers.cuh"
#include "../common/scatter.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One thread an update.
template <bool kFaulty>
__global__ void add_kernel(Updates<float> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    float* const destination = problem.destination(i);
    if (kFaulty) {
      *destination = add(*destination, problem.value(i));
    } else {
      atomicAdd(destination, problem.value(i));
    }
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_add(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_updates<float>(add_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "A9",
                       .slug = "read_modify_write",
                       .twin_slug = "atomic_add",
                       .about = "plain read-modify-write: updates of one destination race",
                       .twin_about = "atomicAdd",
                       .seen_in = "pytorch#33798, nd4j#2153",
                       .operation = "scatter.add",
                       // atomicAdd flushes subnormals and plain code keeps them, which is not the point.
                       .contract = {.wider = false,
                                    .subnormal_inputs = contract::Subnormals::Either,
                                    .subnormal_results = contract::Subnormals::Either,
                                    .zero_sign = contract::ZeroSign::Ieee},
                       .limits = {.formats = {{FormatId::F32}}, .extents = {{"updates", {.tiles = {kScatterThreads}}}}},
                       .faulty = launch_add<true>,
                       .twin = launch_add<false>});

}  // namespace
}  // namespace negzero::kernels

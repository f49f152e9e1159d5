// A1: float maximum through integer atomics that asks `value >= 0` where it needs the sign bit.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/scatter.cuh"
#include "../common/sign_bit.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One thread an update. -0 >= 0 holds, so the fault hands 0x80000000 to a signed maximum: INT_MIN, below -Inf.
template <bool kFaulty>
__global__ void max_kernel(Updates<float> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float value = problem.value(i);
    const bool negative = kFaulty ? !(value >= 0.0f) : __float_as_int(value) < 0;
    atomic_select_by_sign<Side::Max>(problem.destination(i), value, negative);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_max(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_updates<float>(max_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "A1",
                       .slug = "max_by_value_sign",
                       .twin_slug = "max_by_sign_bit",
                       .about = "atomic max picks the integer order by value >= 0: -0.0 counts as less than -Inf",
                       .twin_about = "atomic max picks the integer order by the sign bit",
                       .seen_in = "triton#6376, xla#5544, sphexa PR#504",
                       .operation = "scatter.max",
                       .contract = {.zero_sign = contract::ZeroSign::Ieee,
                                    .determinism = contract::Determinism::GpuToGpu,
                                    .position_invariant = true},
                       .limits = {.formats = {{FormatId::F32}}, .extents = {{"updates", {.tiles = {kScatterThreads}}}}},
                       .faulty = launch_max<true>,
                       .twin = launch_max<false>});

}  // namespace
}  // namespace negzero::kernels

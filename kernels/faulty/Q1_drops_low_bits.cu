// Q1: F32 becomes BF16 by dropping its low bits, which rounds toward zero and makes infinities of some NaN.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/elements.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kFaulty>
__global__ void convert_kernel(Elements<float, __nv_bfloat16> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float x = problem.x[i * problem.x_stride];
    const __nv_bfloat16 cut = __ushort_as_bfloat16(static_cast<unsigned short>(__float_as_uint(x) >> 16));
    problem.y[i * problem.y_stride] = kFaulty ? cut : __float2bfloat16_rn(x);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_convert(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_elements(convert_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "Q1",
                                           .slug = "drops_low_bits",
                                           .twin_slug = "rounds_low_bits",
                                           .about = "F32 becomes BF16 by dropping 16 bits: every inexact value is cut",
                                           .twin_about = "F32 becomes BF16 to nearest, ties to even",
                                           .seen_in = "composable_kernel PR#1812, aiter#5151",
                                           .operation = "convert",
                                           .contract = {.zero_sign = contract::ZeroSign::Ieee,
                                                        .determinism = contract::Determinism::GpuToGpu,
                                                        .position_invariant = true},
                                           .limits = {.formats = {{FormatId::F32, FormatId::BF16}}},
                                           .faulty = launch_convert<true>,
                                           .twin = launch_convert<false>});

}  // namespace
}  // namespace negzero::kernels

// F32 to F16 four elements at a time where memory allows it, one by one elsewhere and behind the last four.

#include <cstdint>

#include <negzero/cuda/cuda.hpp>

#include "../common/elements.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kVector = 4;

/// Grid: any number of blocks along x. A thread takes four neighbours and strides over the rest of the grid's work.
__global__ void convert_vectors_kernel(Elements<float, __half> problem) {
  const bool aligned = problem.x_stride == 1 && problem.y_stride == 1 &&
                       reinterpret_cast<std::uintptr_t>(problem.x) % sizeof(float4) == 0 &&
                       reinterpret_cast<std::uintptr_t>(problem.y) % sizeof(__half2) == 0;
  for (int64_t i = first_piece() * kVector; i < problem.count; i += piece_stride() * kVector) {
    if (aligned && i + kVector <= problem.count) {
      const float4 v = *reinterpret_cast<const float4*>(problem.x + i);
      auto* const pairs = reinterpret_cast<__half2*>(problem.y + i);
      pairs[0] = __floats2half2_rn(v.x, v.y);
      pairs[1] = __floats2half2_rn(v.z, v.w);
      continue;
    }
    for (int64_t j = i; j < i + kVector && j < problem.count; ++j) {
      problem.y[j * problem.y_stride] = __float2half_rn(problem.x[j * problem.x_stride]);
    }
  }
}

kernel::LaunchResult launch_convert_vectors(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_elements(convert_vectors_kernel, args, stream, kVector);
}

const bool registered = kernel::registry().add({
    .name = "convert.f32_f16.vectors",
    .operation = "convert",
    .about = "four neighbours a thread by 16-byte loads where they are aligned",
    .contract = {.zero_sign = contract::ZeroSign::Ieee,
                 .determinism = contract::Determinism::GpuToGpu,
                 .position_invariant = true},
    .limits = {.formats = {{FormatId::F32, FormatId::F16}},
               .extents = {{"count", {.tiles = {kVector, kVector* kElementThreads}}}}},
    .launch = launch_convert_vectors,
});

}  // namespace
}  // namespace negzero::kernels

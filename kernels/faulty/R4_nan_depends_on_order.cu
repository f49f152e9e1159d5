// R4: `a > b ? a : b` gives b when either is NaN: whether a NaN survives depends on where it stands.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/reduce.cuh"
#include "../common/select.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One block a row, folded; its first thread does the work.
template <bool kFaulty>
__global__ void max_kernel(Rows<float, float> problem) {
  for (int64_t row = blockIdx.x; threadIdx.x == 0 && row < problem.rows; row += gridDim.x) {
    float best = worst<Side::Max>();
    for (int64_t column = 0; column < problem.columns; ++column) {
      const float x = problem.at(row, column);
      const bool keep = kFaulty ? best > x : best > x || best != best;
      best = keep ? best : x;
    }
    problem.y[row * problem.y_stride] = best;
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_max(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(max_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "R4",
                                           .slug = "nan_depends_on_order",
                                           .twin_slug = "nan_propagates",
                                           .about = "max is a > b ? a : b: a NaN is lost unless it stands last",
                                           .twin_about = "max keeps a NaN once it has one",
                                           .seen_in = "triton#1566",
                                           .operation = "reduce.max",
                                           // Of zeros the last one wins in both, which is not what either is about.
                                           .contract = {.zero_sign = contract::ZeroSign::Any,
                                                        .determinism = contract::Determinism::GpuToGpu,
                                                        .position_invariant = true},
                                           .limits = {.formats = {{FormatId::F32, FormatId::F32}}},
                                           .faulty = launch_max<true>,
                                           .twin = launch_max<false>});

}  // namespace
}  // namespace negzero::kernels

// R1: the maximum starts from -FLT_MAX, which is not below -Inf.

#include <cfloat>

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
    float best = kFaulty ? -FLT_MAX : worst<Side::Max>();
    for (int64_t column = 0; column < problem.columns; ++column) {
      best = select_nan<Side::Max>(best, problem.at(row, column));
    }
    problem.y[row * problem.y_stride] = best;
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_max(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(max_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "R1",
                       .slug = "flt_max_identity",
                       .twin_slug = "infinity_identity",
                       .about = "max starts from -FLT_MAX: a row of -Inf gives -FLT_MAX",
                       .twin_about = "max starts from -Inf",
                       .seen_in = "cub#662, cccl#1388, kokkos PR#8244, cupy#8180",
                       .operation = "reduce.max",
                       .contract = {.zero_sign = contract::ZeroSign::Ieee,
                                    .determinism = contract::Determinism::GpuToGpu,
                                    .position_invariant = true},
                       // The reports are of rows of -Inf; what an empty row gives is another question.
                       .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.min = 1}}}},
                       .faulty = launch_max<true>,
                       .twin = launch_max<false>});

}  // namespace
}  // namespace negzero::kernels

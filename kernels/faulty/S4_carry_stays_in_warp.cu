// S4: each warp scans its own values, and what the warps before it sum to is not added.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/scan.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kFaulty>
__global__ void scan_kernel(Scan problem) {
  NEGZERO_SHARED(float, warp_sums, [kScanThreads / kScanWarp]);
  for (int64_t row = blockIdx.x; row < problem.rows.rows; row += gridDim.x) {
    const bool inside = threadIdx.x < problem.rows.columns;
    const float value = inside ? problem.rows.at(row, threadIdx.x) : 0.0f;
    const float sum = kFaulty ? scan_warp(value) : scan_block(warp_sums, value);
    if (inside) *problem.out(row, threadIdx.x) = sum;
  }
}

template <bool kFaulty>
kernel::LaunchResult launch(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_scan(scan_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault(
    {.id = "S4",
     .slug = "carry_stays_in_warp",
     .twin_slug = "carry_crosses_warps",
     .about = "a scan of rows whose warps do not add what the warps before them sum to",
     .twin_about = "a scan of rows whose warps add what the warps before them sum to",
     .seen_in = "triton#2361",
     .operation = "scan.inclusive",
     .contract = scan_contract(contract::Determinism::GpuToGpu),
     .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.max = kScanThreads}}}},
     .faulty = launch<true>,
     .twin = launch<false>});

}  // namespace
}  // namespace negzero::kernels

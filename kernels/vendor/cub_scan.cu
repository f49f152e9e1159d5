// Sums of all that comes before, by CUB's DeviceScan, a call a row.
//
// What the contracts say is what the documentation does (cub/device/device_scan.cuh): InclusiveSum and ExclusiveSum use
// the operator + on the input's type; to the exclusive one "the value of 0 is applied as the initial value"; "results
// for pseudo-associative operators may vary from run to run".

#include <string>

#include <cub/device/device_scan.cuh>

#include <negzero/cuda/cuda.hpp>

#include "../common/scan.cuh"
#include "cub.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kInclusive>
kernel::LaunchResult launch_cub_scan(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const Scan problem = scan_of(args);
  return launch_cub(problem.rows.rows, workspace, stream, [&](void* storage, std::size_t& size_bytes, int64_t row) {
    const float* const x = problem.rows.x + row * problem.rows.row_stride;
    float* const y = problem.rows.y + row * problem.rows.y_stride;
    const int64_t columns = problem.rows.columns;
    const cudaStream_t cuda = cuda_stream(stream);
    if constexpr (kInclusive) return cub::DeviceScan::InclusiveSum(storage, size_bytes, x, y, columns, cuda);
    return cub::DeviceScan::ExclusiveSum(storage, size_bytes, x, y, columns, cuda);
  });
}

template <bool kInclusive>
bool add_scan() {
  const std::string name = kInclusive ? "inclusive" : "exclusive";
  return kernel::registry().add({
      .name = "cub.scan." + name + ".f32",
      .operation = "scan." + name,
      .about =
          kInclusive ? "cub::DeviceScan::InclusiveSum, a call a row" : "cub::DeviceScan::ExclusiveSum, a call a row",
      .contract = {.wider = false, .start = kInclusive ? contract::Start::Any : contract::Start::PlusZero},
      .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                 .extents = {{"rows", {.max = kMostCalls}}, {"columns", cub_columns()}},
                 .inputs = {.order = operation::LayoutOrder::RowMajor},
                 .output = {.order = operation::LayoutOrder::RowMajor}},
      .launch = launch_cub_scan<kInclusive>,
  });
}

const bool registered[] = {add_scan<true>(), add_scan<false>()};

}  // namespace
}  // namespace negzero::kernels

// Sums of rows by CUB's DeviceReduce and DeviceSegmentedReduce.
//
// What the contracts say is what the documentation does (cub/device/device_reduce.cuh, device_segmented_reduce.cuh):
// Sum uses the operator + on the input's type and "0 as the initial value", in an order that it does not name, and
// "provides run-to-run determinism for pseudo-associative reduction on the same GPU device". Nothing is said of the
// sign of zeros; the operator + is that of IEEE 754, as nvcc is given no -ftz.

#include <cstdint>
#include <string>
#include <utility>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <negzero/cuda/cuda.hpp>

#include "../common/reduce.cuh"
#include "cub.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <typename T>
kernel::LaunchResult launch_device(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = rows_of<T, T>(args);
  return launch_cub(problem.rows, workspace, stream, [&](void* storage, std::size_t& size_bytes, int64_t row) {
    return cub::DeviceReduce::Sum(storage, size_bytes, problem.x + row * problem.row_stride,
                                  problem.y + row * problem.y_stride, problem.columns, cuda_stream(stream));
  });
}

template <typename T>
kernel::LaunchResult launch_segmented(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = rows_of<T, T>(args);
  return launch_segments(problem, workspace, stream, [&](void* storage, std::size_t& size_bytes, auto begin, auto end) {
    return cub::DeviceSegmentedReduce::Sum(storage, size_bytes, problem.x, problem.y, problem.rows, begin, end,
                                           cuda_stream(stream));
  });
}

contract::Contract sum_contract(FormatId format) {
  return {.accumulate = format,
          .wider = false,
          .start = contract::Start::PlusZero,
          .zero_sign = contract::ZeroSign::Ieee,
          .determinism = contract::Determinism::RunToRun};
}

template <typename T>
bool add_device(std::string name, FormatId format) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "reduce.sum",
      .about = "cub::DeviceReduce::Sum, a call a row",
      .contract = sum_contract(format),
      .limits = {.formats = {{format, format}},
                 .extents = {{"rows", {.max = kMostCalls}}, {"columns", cub_columns()}},
                 .inputs = {.order = operation::LayoutOrder::RowMajor}},
      .launch = launch_device<T>,
  });
}

template <typename T>
bool add_segmented(std::string name, FormatId format) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "reduce.sum",
      .about = "cub::DeviceSegmentedReduce::Sum, a segment a row",
      .contract = sum_contract(format),
      .limits = {.formats = {{format, format}},
                 .extents = {{"columns", cub_columns()}},
                 .inputs = {.order = operation::LayoutOrder::RowMajor},
                 .output = {.order = operation::LayoutOrder::Packed}},
      .launch = launch_segmented<T>,
  });
}

const bool registered[] = {
    add_device<float>("cub.sum.device.f32", FormatId::F32),
    add_device<double>("cub.sum.device.f64", FormatId::F64),
    add_segmented<float>("cub.sum.segmented.f32", FormatId::F32),
    add_segmented<double>("cub.sum.segmented.f64", FormatId::F64),
};

}  // namespace
}  // namespace negzero::kernels

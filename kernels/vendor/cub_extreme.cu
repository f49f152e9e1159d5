// Extremes of rows by CUB's DeviceReduce and DeviceSegmentedReduce.
//
// What the contracts say is what the documentation does (cub/device/device_reduce.cuh, device_segmented_reduce.cuh):
// Max uses the operator > and the lowest finite number as the initial value, Min the operator < and the greatest. Zeros
// of both signs are equal by those operators. What a NaN gives is not said. No contract has a word for an initial value
// that is no infinity: a row of infinities alone, of which Max gives the lowest finite number as documented, is a
// finding here, and `--finite` makes none.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/bit>

#include <negzero/cuda/cuda.hpp>

#include "../common/reduce.cuh"
#include "cub.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <typename T, Extreme kExtreme>
kernel::LaunchResult launch_device(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = rows_of<T, T>(args);
  return launch_cub(problem.rows, workspace, stream, [&](void* storage, std::size_t& size_bytes, int64_t row) {
    const T* const x = problem.x + row * problem.row_stride;
    T* const y = problem.y + row * problem.y_stride;
    if constexpr (kExtreme == Extreme::Max) {
      return cub::DeviceReduce::Max(storage, size_bytes, x, y, problem.columns, cuda_stream(stream));
    } else {
      return cub::DeviceReduce::Min(storage, size_bytes, x, y, problem.columns, cuda_stream(stream));
    }
  });
}

template <typename T, Extreme kExtreme>
kernel::LaunchResult launch_segmented(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = rows_of<T, T>(args);
  return launch_segments(problem, workspace, stream, [&](void* storage, std::size_t& size_bytes, auto begin, auto end) {
    if constexpr (kExtreme == Extreme::Max) {
      return cub::DeviceSegmentedReduce::Max(storage, size_bytes, problem.x, problem.y, problem.rows, begin, end,
                                             cuda_stream(stream));
    } else {
      return cub::DeviceSegmentedReduce::Min(storage, size_bytes, problem.x, problem.y, problem.rows, begin, end,
                                             cuda_stream(stream));
    }
  });
}

template <typename Bits, typename T, Extreme kExtreme>
bool add(const std::string& element, FormatId format) {
  using Number = std::numeric_limits<T>;
  constexpr bool kMax = kExtreme == Extreme::Max;
  const std::string word = kMax ? "max" : "min", function = kMax ? "Max" : "Min";
  operation::Limits limits{.formats = {{format, format}},
                           .extents = {{"columns", cub_columns()}},
                           .inputs = {.order = operation::LayoutOrder::RowMajor}};
  const contract::Contract contract{.nan = contract::NanPolicy::Ignore,
                                    .zero_sign = contract::ZeroSign::Any,
                                    .empty = cuda::std::bit_cast<Bits>(kMax ? Number::lowest() : Number::max()),
                                    .determinism = contract::Determinism::RunToRun};
  kernel::Kernel segmented{.name = "cub." + word + ".segmented." + element,
                           .operation = "reduce." + word,
                           .about = "cub::DeviceSegmentedReduce::" + function + "; what a NaN gives is not documented",
                           .contract = contract,
                           .limits = limits,
                           .launch = launch_segmented<T, kExtreme>};
  segmented.limits.output.order = operation::LayoutOrder::Packed;
  limits.extents["rows"] = {.max = kMostCalls};
  kernel::Kernel device{
      .name = "cub." + word + ".device." + element,
      .operation = "reduce." + word,
      .about = "cub::DeviceReduce::" + function + ", a call a row; what a NaN gives is not documented",
      .contract = contract,
      .limits = std::move(limits),
      .launch = launch_device<T, kExtreme>};
  return kernel::registry().add(std::move(device)) && kernel::registry().add(std::move(segmented));
}

const bool registered[] = {
    add<std::uint32_t, float, Extreme::Max>("f32", FormatId::F32),
    add<std::uint32_t, float, Extreme::Min>("f32", FormatId::F32),
    add<std::uint64_t, double, Extreme::Max>("f64", FormatId::F64),
    add<std::uint64_t, double, Extreme::Min>("f64", FormatId::F64),
};

}  // namespace
}  // namespace negzero::kernels

// The extreme of rows and its place, by CUB's DeviceReduce::ArgMax and ArgMin, a call a row.
//
// What the contracts say is what the documentation does (cub/device/device_reduce.cuh): ArgMax "finds the first
// device-wide maximum using the greater-than (>) operator"; for inputs of length zero it gives the place 1 and the
// lowest finite number, and ArgMin the greatest one. (Of ArgMax with two outputs the text has max() there, of the one
// with a pair lowest(), as the code has of both: CCCL 3.0.) Zeros of both signs are equal by that operator. It selects
// no NaN; what a row with one gives is not said, and no contract has a word for that: cases of `--finite` have none.

#include <cub/version.cuh>

// The interface with two outputs, which does not warn, came with this version.
#if CUB_MAJOR_VERSION >= 3

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/bit>

#include <negzero/cuda/cuda.hpp>

#include "../common/max_index.cuh"
#include "cub.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr std::uint64_t kEmptyPlace = 1;

template <Extreme kExtreme>
cudaError_t extreme_of(void* storage, std::size_t& size_bytes, const float* row, float* value, std::int32_t* at,
                       int64_t count, cudaStream_t stream) {
  if constexpr (kExtreme == Extreme::Max) {
    return cub::DeviceReduce::ArgMax(storage, size_bytes, row, value, at, count, stream);
  } else {
    return cub::DeviceReduce::ArgMin(storage, size_bytes, row, value, at, count, stream);
  }
}

kernel::LaunchResult launch_both(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const kernel::Operand& at = args.operand("at");
  const auto problem = rows_of<float, float>(args);
  return launch_cub(problem.rows, workspace, stream, [&](void* storage, std::size_t& size_bytes, int64_t row) {
    return extreme_of<Extreme::Max>(storage, size_bytes, problem.x + row * problem.row_stride,
                                    problem.y + row * problem.y_stride, at.as<std::int32_t>() + row * at.strides[0],
                                    problem.columns, cuda_stream(stream));
  });
}

template <Extreme kExtreme>
kernel::LaunchResult launch_place(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto problem = rows_of<float, std::int32_t>(args);
  if (problem.rows == 0) return kernel::LaunchResult::launched();
  auto* const value = static_cast<float*>(workspace.allocate(sizeof(float)));
  return launch_cub(problem.rows, workspace, stream, [&](void* storage, std::size_t& size_bytes, int64_t row) {
    return extreme_of<kExtreme>(storage, size_bytes, problem.x + row * problem.row_stride, value,
                                problem.y + row * problem.y_stride, problem.columns, cuda_stream(stream));
  });
}

operation::Limits limits(std::vector<FormatId> formats) {
  return {.formats = {std::move(formats)},
          .extents = {{"rows", {.max = kMostCalls}}, {"columns", cub_columns()}},
          .inputs = {.order = operation::LayoutOrder::RowMajor}};
}

contract::Contract first_of_equals(std::uint64_t empty) {
  return {.nan = contract::NanPolicy::Ignore,
          .zero_sign = contract::ZeroSign::Any,
          .ties = contract::Ties::First,
          .empty = empty,
          .determinism = contract::Determinism::RunToRun};
}

constexpr float kLowest = std::numeric_limits<float>::lowest();

const bool registered[] = {
    kernel::registry().add({.name = "cub.max_index.f32",
                            .operation = "reduce.max_index",
                            .about = "cub::DeviceReduce::ArgMax, a call a row; what a NaN gives is not documented",
                            .contract = first_of_equals(cuda::std::bit_cast<std::uint32_t>(kLowest)),
                            .limits = limits({FormatId::F32, FormatId::F32, FormatId::I32}),
                            .launch = launch_both}),
    kernel::registry().add({.name = "cub.argmax.f32",
                            .operation = "reduce.argmax",
                            .about = "cub::DeviceReduce::ArgMax, its place alone; what a NaN gives is not documented",
                            .contract = first_of_equals(kEmptyPlace),
                            .limits = limits({FormatId::F32, FormatId::I32}),
                            .launch = launch_place<Extreme::Max>}),
    kernel::registry().add({.name = "cub.argmin.f32",
                            .operation = "reduce.argmin",
                            .about = "cub::DeviceReduce::ArgMin, its place alone; what a NaN gives is not documented",
                            .contract = first_of_equals(kEmptyPlace),
                            .limits = limits({FormatId::F32, FormatId::I32}),
                            .launch = launch_place<Extreme::Min>}),
};

}  // namespace
}  // namespace negzero::kernels

#endif

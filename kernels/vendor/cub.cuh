// What kernels of CUB share: a call for each row, or one for all, with temporary storage that the executor guards.

#pragma once

#include <cstddef>
#include <cstdint>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "stream.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

using std::int64_t;

enum class Extreme { Max, Min };

/// Most rows of a case where each takes calls of its own: more of them show nothing that these do not.
constexpr int64_t kMostCalls = 16;
/// CUB's tiles follow from the GPU and the format, from 64 threads of one item up. These sizes are around many of them.
inline operation::ExtentLimit cub_columns() { return {.tiles = {128, 512, 2048, 4096}}; }

/// Calls `call(storage, size_bytes, row)` for each row: CUB's two phases, the first of which asks for the size. Errors
/// are the stream's, which then runs no more.
template <typename Call>
kernel::LaunchResult launch_cub(int64_t rows, kernel::Workspace& workspace, engine::Stream& stream, Call call) {
  std::size_t size_bytes = 0;
  void* storage = nullptr;
  for (int64_t row = 0; row < rows && stream.begin_launch(); ++row) {
    cudaError_t error = cudaSuccess;
    if (storage == nullptr) {
      error = call(nullptr, size_bytes, row);
      if (error == cudaSuccess) storage = workspace.allocate(size_bytes);
    }
    if (error == cudaSuccess) error = call(storage, size_bytes, row);
    if (error != cudaSuccess) stream.record_device_error(error, cudaGetErrorString(error));
  }
  return kernel::LaunchResult::launched();
}

/// Where row i begins, or where it ends.
struct RowOffset {
  int64_t stride, plus;
  __host__ __device__ int64_t operator()(int64_t row) const { return row * stride + plus; }
};

/// Calls `call(storage, size_bytes, begin, end)` for all rows at once, each a segment from begin[row] to end[row].
template <typename Rows, typename Call>
kernel::LaunchResult launch_segments(const Rows& problem, kernel::Workspace& workspace, engine::Stream& stream,
                                     Call call) {
  const thrust::counting_iterator<int64_t> row(0);
  const auto begin = thrust::make_transform_iterator(row, RowOffset{problem.row_stride, 0});
  const auto end = thrust::make_transform_iterator(row, RowOffset{problem.row_stride, problem.columns});
  const int64_t calls = problem.rows > 0 ? 1 : 0;
  return launch_cub(calls, workspace, stream, [&](void* storage, std::size_t& size_bytes, int64_t) {
    return call(storage, size_bytes, begin, end);
  });
}

}  // namespace
}  // namespace negzero::kernels

// What kernels that reduce rows share: the problem as plain values, and how wide a block a row deserves.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "grid.cuh"
#include "numbers.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Rows to reduce, passed to a kernel by value.
template <typename X, typename Y>
struct Rows {
  int64_t rows, columns;
  const X* x;
  int64_t row_stride, column_stride;
  Y* y;
  int64_t y_stride;

  __device__ X at(int64_t row, int64_t column) const { return x[row * row_stride + column * column_stride]; }
};

template <typename X, typename Y>
Rows<X, Y> rows_of(const kernel::Args& args) {
  const auto& reduce = kernel::reduce_args(args);
  return {reduce.rows,         reduce.columns,   reduce.x.as<const X>(), reduce.x.strides[0],
          reduce.x.strides[1], reduce.y.as<Y>(), reduce.y.strides[0]};
}

/// Threads that share a row: a power of two between a warp and kMostThreads, about one for each column. It depends on
/// the columns alone, so that a row's bits do not depend on the rows around it.
constexpr int kMostThreads = 256;
template <typename Count>
int threads_for(Count columns) {
  int threads = 32;
  while (threads < kMostThreads && threads < columns) threads *= 2;
  return threads;
}

/// Launches a kernel with one block a row, folded.
template <typename X, typename Y>
kernel::LaunchResult launch_rows(void (*row_kernel)(Rows<X, Y>), const kernel::Args& args, engine::Stream& stream) {
  const auto problem = rows_of<X, Y>(args);
  if (problem.rows > 0) {
    launch(stream, row_kernel, blocks_for<int64_t>(problem.rows, 1), threads_for(problem.columns), 0, problem);
  }
  return kernel::LaunchResult::launched();
}

}  // namespace
}  // namespace negzero::kernels

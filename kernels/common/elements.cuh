// What kernels that give each element by itself share: the problem as plain values, and a launch with a thread each.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "grid.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

constexpr int kElementThreads = 128;

/// Elements y[i] of x[i], passed to a kernel by value.
template <typename X, typename Y>
struct Elements {
  int64_t count;
  const X* x;
  int64_t x_stride;
  Y* y;
  int64_t y_stride;
};

/// Launches a kernel that walks over every gridDim * blockDim-th piece of `per_thread` elements.
template <typename X, typename Y>
kernel::LaunchResult launch_elements(void (*element_kernel)(Elements<X, Y>), const kernel::Args& args,
                                     engine::Stream& stream, int64_t per_thread = 1) {
  const kernel::Operand &x = args.operand("x"), &y = args.operand("y");
  const Elements<X, Y> problem{args.extent("count"), x.as<const X>(), x.strides[0], y.as<Y>(), y.strides[0]};
  if (problem.count > 0) {
    launch(stream, element_kernel, blocks_for<int64_t>(problem.count, kElementThreads * per_thread), kElementThreads, 0,
           problem);
  }
  return kernel::LaunchResult::launched();
}

}  // namespace
}  // namespace negzero::kernels

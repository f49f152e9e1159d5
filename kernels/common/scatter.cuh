// What scatter kernels share: the problem as plain values, and a launch with one thread an update.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "grid.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

constexpr int kScatterThreads = 128;

/// Updates x[i] of out[index[i]], passed to a kernel by value.
template <typename T, typename Index = std::int32_t>
struct Updates {
  int64_t count;
  const T* x;
  int64_t x_stride;
  const Index* index;
  int64_t index_stride;
  T* out;
  int64_t out_stride;

  __device__ T value(int64_t i) const { return x[i * x_stride]; }
  __device__ T* destination(int64_t i) const { return out + index[i * index_stride] * out_stride; }
};

template <typename T, typename Index = std::int32_t>
Updates<T, Index> updates_of(const kernel::Args& args) {
  const auto& scatter = kernel::scatter_args(args);
  return {scatter.updates,          scatter.x.as<const T>(), scatter.x.strides[0],  scatter.index.as<const Index>(),
          scatter.index.strides[0], scatter.out.as<T>(),     scatter.out.strides[0]};
}

/// Launches a kernel that walks over every gridDim * blockDim-th update.
template <typename T, typename Index>
kernel::LaunchResult launch_updates(void (*update_kernel)(Updates<T, Index>), const kernel::Args& args,
                                    engine::Stream& stream) {
  const auto problem = updates_of<T, Index>(args);
  if (problem.count > 0) {
    launch(stream, update_kernel, blocks_for<int64_t>(problem.count, kScatterThreads), kScatterThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

}  // namespace
}  // namespace negzero::kernels

// What the kernels of the watch's tests share: a name each, and the launch.

#pragma once

#include <cstddef>
#include <cstring>

#include <negzero/cuda/cuda.hpp>

#include "watch_kernels.hpp"

namespace {

using negzero_tests::Stream;
using negzero_tests::WatchArgs;

[[maybe_unused]] __device__ unsigned global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Integers side by side, the second of which has a meaning only where the first matches: g++ reads both at once.
template <typename T>
struct alignas(2 * sizeof(T)) Header {
  T full, kind;
};

struct WatchEntry {
  const char* name;
  void (*kernel)(WatchArgs);
};

/// Runs the kernel of that name; false where there is none.
template <std::size_t kCount>
bool run_entry(const WatchEntry (&entries)[kCount], const char* name, Stream& stream, int blocks, int threads,
               const WatchArgs& args) {
  for (const WatchEntry& entry : entries) {
    if (std::strcmp(entry.name, name) != 0) continue;
    negzero::launch(stream, entry.kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 128, args);
    return true;
  }
  return false;
}

}  // namespace

// What kernels that scan rows share: the problem as plain values, and a scan of a block's values.

#pragma once

#include <cstdint>

#include "reduce.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

constexpr unsigned kScanThreads = 128, kScanWarp = 32, kScanLanes = 0xffffffffu;

/// Rows to scan, passed to a kernel by value.
struct Scan {
  Rows<float, float> rows;  ///< y_stride from row to row
  int64_t column_stride;    ///< of y

  __device__ float* out(int64_t row, int64_t column) const {
    return rows.y + row * rows.y_stride + column * column_stride;
  }
};

inline Scan scan_of(const kernel::Args& args) {
  const kernel::Operand &x = args.operand("x"), &y = args.operand("y");
  return {{args.extent("rows"), args.extent("columns"), x.as<const float>(), x.strides[0], x.strides[1], y.as<float>(),
           y.strides[0]},
          y.strides[1]};
}

/// Launches a kernel whose blocks of kScanThreads walk over every gridDim-th row.
inline kernel::LaunchResult launch_scan(void (*scan_kernel)(Scan), const kernel::Args& args, engine::Stream& stream) {
  const Scan problem = scan_of(args);
  if (problem.rows.rows > 0 && problem.rows.columns > 0) {
    launch(stream, scan_kernel, blocks_for<int64_t>(problem.rows.rows, 1), kScanThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

/// The inclusive sum of the values of a full warp up to this lane (Hillis and Steele).
__device__ inline float scan_warp(float value) {
  const unsigned lane = threadIdx.x % kScanWarp;
  for (unsigned step = 1; step < kScanWarp; step *= 2) {
    const float below = __shfl_up_sync(kScanLanes, value, step);
    if (lane >= step) value = add(below, value);
  }
  return value;
}

/// The inclusive sum of the values of a block of kScanThreads up to this thread. `warp_sums` has an element for each
/// warp and is free when all threads have called this.
__device__ inline float scan_block(float* warp_sums, float value) {
  const unsigned warp = threadIdx.x / kScanWarp;
  value = scan_warp(value);
  if (threadIdx.x % kScanWarp == kScanWarp - 1) warp_sums[warp] = value;
  __syncthreads();
  float before = 0.0f;
  for (unsigned i = 0; i < warp; ++i) before = add(before, warp_sums[i]);
  __syncthreads();
  return warp == 0 ? value : add(before, value);
}

/// The contract of these kernels: F32 sums in some order, +0 among the terms.
inline contract::Contract scan_contract(contract::Determinism determinism, const char* depth = "") {
  return {.wider = false,
          .depth = {depth},
          .start = contract::Start::Any,
          .determinism = determinism,
          .position_invariant = true};
}

}  // namespace
}  // namespace negzero::kernels

// What kernels share that give the maximum of a row and its place.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "candidate.cuh"
#include "reduce.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Rows, and where the value and the place of each go, passed to a kernel by value.
struct RowsWithPlaces {
  Rows<float, float> rows;
  std::int32_t* places;
  int64_t place_stride;

  __device__ void give(int64_t row, Candidate best) const {
    rows.y[row * rows.y_stride] = best.value;
    places[row * place_stride] = best.index;
  }
};

/// Launches a kernel with one block a row, folded.
inline kernel::LaunchResult launch_max_index(void (*row_kernel)(RowsWithPlaces), const kernel::Args& args,
                                             engine::Stream& stream) {
  const kernel::Operand& at = args.operand("at");
  const RowsWithPlaces problem{rows_of<float, float>(args), at.as<std::int32_t>(), at.strides[0]};
  if (problem.rows.rows > 0) {
    launch(stream, row_kernel, blocks_for<int64_t>(problem.rows.rows, 1), threads_for(problem.rows.columns), 0,
           problem);
  }
  return kernel::LaunchResult::launched();
}

/// Of the kernels that carry a candidate: the first of equals, among which are zeros of both signs, a NaN above all.
inline contract::Contract max_index_contract() {
  return {.zero_sign = contract::ZeroSign::Any,
          .ties = contract::Ties::First,
          .determinism = contract::Determinism::GpuToGpu,
          .position_invariant = true};
}

}  // namespace
}  // namespace negzero::kernels

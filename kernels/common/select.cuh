// The larger and the smaller of two numbers, with each policy for NaN; -0 is below +0.

#pragma once

#include <cmath>

#include <negzero/cuda/cuda.hpp>

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

enum class Side { Max, Min };

/// The value that every other one beats: an identity of the selection unless everything is NaN.
template <Side kSide>
__device__ float worst() {
  return kSide == Side::Max ? -INFINITY : INFINITY;
}

/// maximumNumber / minimumNumber: a NaN loses against any number.
template <Side kSide>
__device__ float select_number(float a, float b) {
  return kSide == Side::Max ? fmaxf(a, b) : fminf(a, b);
}

/// maximum / minimum: a NaN wins against any number.
template <Side kSide>
__device__ float select_nan(float a, float b) {
  if (a != a) return a;
  if (b != b) return b;
  return select_number<kSide>(a, b);
}

}  // namespace
}  // namespace negzero::kernels

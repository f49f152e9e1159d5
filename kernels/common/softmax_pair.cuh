// The state of softmax in one pass: the greatest element so far with the sum of exponentials below it.

#pragma once

#include <negzero/cuda/cuda.hpp>

#include "numbers.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// What is known of some elements of a row.
struct SoftmaxPair {
  float greatest;
  float sum;  ///< of exp(x - greatest)
};

__device__ inline SoftmaxPair nothing_yet() { return {-INFINITY, 0.0f}; }

/// exp(from - to), by which a sum is scaled when the greatest element becomes `to`. Where both are -infinity nothing is
/// scaled: their difference would be NaN. Two of +infinity give NaN, which softmax of such a row is.
__device__ inline float rescaled(float from, float to) {
  return from == -INFINITY && to == -INFINITY ? 1.0f : expf(add(from, -to));
}

/// What is known of both. A NaN reaches the sum and stays there.
__device__ inline SoftmaxPair joined(const SoftmaxPair& a, const SoftmaxPair& b) {
  const float greatest = fmaxf(a.greatest, b.greatest);
  return {greatest,
          add(multiply(a.sum, rescaled(a.greatest, greatest)), multiply(b.sum, rescaled(b.greatest, greatest)))};
}

struct JoinedPairs {
  __device__ SoftmaxPair operator()(const SoftmaxPair& a, const SoftmaxPair& b) const { return joined(a, b); }
};

}  // namespace
}  // namespace negzero::kernels

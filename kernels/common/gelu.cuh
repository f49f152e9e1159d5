// What kernels of GELU share: the operation in its form with tanh, what its values are held to, the problem.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// y = x / 2 (1 + tanh(z)), z = sqrt(2 / pi) (x + 0.044715 x^3) (Hendrycks & Gimpel, arXiv:1606.08415); 0 of -infinity.
constexpr const char* kGelu = "gelu.tanh: y[count] <- x[count] each count";
constexpr const char* kGeluReference = "gelu.tanh.reference: y[count], y_scale[count] <- x[count] each count";

/// What a kernel in F32 is held to: 2^-22 times the scale |x|. u = 2^-24. z has a relative error of 6 u: two rounded
/// constants, x^2, the product with it, one fmaf (x and its cube have one sign), the product with sqrt(2 / pi). It
/// changes tanh(z) by 6 u times z (1 - tanh^2 z), which is 0.4477 at most: 2.7 u. tanhf errs by 2 ulp (CUDA C++
/// Programming Guide, mathematical functions), 2 u, and 1 + tanh(z) <= 2 is rounded, by u at most; times |x| / 2 that
/// is 2.85 u |x|. The last product is rounded: u |y|. Together less than 3.9 u |x|. One ulp for results below the
/// normal numbers.
[[nodiscard]] inline kernel::Reference gelu_reference() {
  return {.kernel = "gelu.tanh.reference.f64", .errors = {{"y", {.ulps = 1, .relative = 0x1p-22}}}};
}

constexpr double kSqrtTwoOverPi = 0.79788456080286535588, kCubic = 0.044715;

/// z in F32. Where x^3 exceeds F32, z is infinite, and tanh(z) what it should be.
__device__ inline float gelu_argument(float x) {
  const float cubic = multiply(static_cast<float>(kCubic), multiply(x, x));
  return multiply(static_cast<float>(kSqrtTwoOverPi), fmaf(cubic, x, x));
}
__device__ inline float gelu_product(float x, float tanh_z) { return multiply(multiply(0.5f, x), add(1.0f, tanh_z)); }

struct GeluProblem {
  int64_t count;
  VectorView<const float> x;
  VectorView<float> y;
};

[[nodiscard]] inline GeluProblem gelu_problem(const kernel::Args& args) {
  return {args.extent("count"), vector_of<const float>(args, "x"), vector_of<float>(args, "y")};
}

[[nodiscard]] inline operation::Limits gelu_limits() {
  return {.formats = {{number::FormatId::F32, number::FormatId::F32}},
          .extents = {{"count", {.tiles = {kRowThreads}}}}};
}

}  // namespace
}  // namespace negzero::kernels

// Functions of __half and __nv_bfloat16 on the host, and of two of them: CUDA's half math.
//
// CUDA documents round to nearest even for them (CUDA Math API 13, "Half Math Functions"), but not that they are
// correctly rounded. The host's are: the double result of libm, off by less than 2^-52 of itself, rounded once.

#pragma once

#include <cmath>

#include <negzero/cuda/half.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// Rounds half to even, as every GPU does; independent of the host's rounding mode. A zero keeps the sign of `x`.
NEGZERO_INLINE double round_to_even(double x) {
  return std::isfinite(x) ? std::copysign(round_integral(x, Direction::Nearest), x) : x;
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

#define NEGZERO_HALF_FUNCTION(name, expression)                                       \
  NEGZERO_INLINE __half h##name(__half a) {                                           \
    const double x = static_cast<double>(static_cast<float>(a));                      \
    return expression;                                                                \
  }                                                                                   \
  NEGZERO_INLINE __nv_bfloat16 h##name(__nv_bfloat16 a) {                             \
    const double x = static_cast<double>(static_cast<float>(a));                      \
    return expression;                                                                \
  }                                                                                   \
  NEGZERO_INLINE __half2 h2##name(__half2 a) { return {h##name(a.x), h##name(a.y)}; } \
  NEGZERO_INLINE __nv_bfloat162 h2##name(__nv_bfloat162 a) { return {h##name(a.x), h##name(a.y)}; }
NEGZERO_HALF_FUNCTION(exp, std::exp(x))
NEGZERO_HALF_FUNCTION(exp2, std::exp2(x))
NEGZERO_HALF_FUNCTION(exp10, std::pow(10.0, x))
NEGZERO_HALF_FUNCTION(log, std::log(x))
NEGZERO_HALF_FUNCTION(log2, std::log2(x))
NEGZERO_HALF_FUNCTION(log10, std::log10(x))
NEGZERO_HALF_FUNCTION(sin, std::sin(x))
NEGZERO_HALF_FUNCTION(cos, std::cos(x))
NEGZERO_HALF_FUNCTION(tanh, std::tanh(x))
NEGZERO_HALF_FUNCTION(tanh_approx, std::tanh(x))
NEGZERO_HALF_FUNCTION(sqrt, std::sqrt(x))
NEGZERO_HALF_FUNCTION(rsqrt, 1.0 / std::sqrt(x))
NEGZERO_HALF_FUNCTION(rcp, 1.0 / x)
NEGZERO_HALF_FUNCTION(ceil, std::ceil(x))
NEGZERO_HALF_FUNCTION(floor, std::floor(x))
NEGZERO_HALF_FUNCTION(trunc, std::trunc(x))
NEGZERO_HALF_FUNCTION(rint, round_to_even(x))
#undef NEGZERO_HALF_FUNCTION

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

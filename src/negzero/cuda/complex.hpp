// cuComplex.h on the host: complex numbers that are float2 and double2.
//
// Products are four products and two sums, each rounded (nvcc fuses some of them unless -fmad=false). Quotients are
// scaled by the sum of the divisor's parts first, and magnitudes by the larger part, so that nothing in between
// overflows or vanishes.

#pragma once

#include <cmath>

#include <negzero/cuda/types.hpp>

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

// NOLINTNEXTLINE: CUDA has it at global scope.
inline namespace NEGZERO_BUILD {

#define NEGZERO_COMPLEX(complex, real, end, name)                                                           \
  NEGZERO_INLINE real cuCreal##end(complex x) { return x.x; }                                               \
  NEGZERO_INLINE real cuCimag##end(complex x) { return x.y; }                                               \
  NEGZERO_INLINE complex make_cu##name##Complex(real x, real y) { return make_##complex(x, y); }            \
  NEGZERO_INLINE complex cuConj##end(complex x) { return make_##complex(x.x, -x.y); }                       \
  NEGZERO_INLINE complex cuCadd##end(complex x, complex y) { return make_##complex(x.x + y.x, x.y + y.y); } \
  NEGZERO_INLINE complex cuCsub##end(complex x, complex y) { return make_##complex(x.x - y.x, x.y - y.y); } \
  NEGZERO_INLINE complex cuCmul##end(complex x, complex y) {                                                \
    return make_##complex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                    \
  }                                                                                                         \
  NEGZERO_INLINE complex cuCdiv##end(complex x, complex y) {                                                \
    const real scale = real(1) / (std::fabs(y.x) + std::fabs(y.y));                                         \
    const real a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale;                          \
    const real over = real(1) / (c * c + d * d);                                                            \
    return make_##complex((a * c + b * d) * over, (b * c - a * d) * over);                                  \
  }                                                                                                         \
  NEGZERO_INLINE real cuCabs##end(complex x) {                                                              \
    const real a = std::fabs(x.x), b = std::fabs(x.y), large = a < b ? b : a, small = a < b ? a : b;        \
    if (large == 0 || std::isinf(large) || std::isinf(small)) return large + small;                         \
    const real ratio = small / large;                                                                       \
    return large * std::sqrt(real(1) + ratio * ratio);                                                      \
  }                                                                                                         \
  NEGZERO_INLINE complex cuCfma##end(complex x, complex y, complex d) {                                     \
    const real re = x.x * y.x + d.x, im = x.x * y.y + d.y;                                                  \
    return make_##complex(re - x.y * y.y, im + x.y * y.x);                                                  \
  }
NEGZERO_COMPLEX(float2, float, f, Float)
NEGZERO_COMPLEX(double2, double, , Double)
#undef NEGZERO_COMPLEX
NEGZERO_INLINE cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
NEGZERO_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_double2(x.x, x.y); }
NEGZERO_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return make_float2(static_cast<float>(x.x), static_cast<float>(x.y));
}

}  // namespace NEGZERO_BUILD

// rint() and its kind on the host: to nearest, ties to even, whatever the rounding of the thread.
//
// A GPU has no rounding mode, so that these functions round to nearest there (CUDA C++ Programming Guide, Mathematical
// Functions). A reference that runs again with its arithmetic rounded downward or upward (property/reference.hpp) must
// not take another step at each of them: that step is part of what it defines, and no error of it.

#pragma once

#include <cmath>

#include <math.h>

#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// The integral value next to x, of two the even one, with the sign of x. Every step is exact.
template <typename F>
NEGZERO_INLINE F to_even(F x) {
  const F whole = std::trunc(x);
  const F rest = std::fabs(x - whole);
  const F half = whole / 2;
  const bool is_odd = half != std::trunc(half);
  const bool goes_on = rest > F{0.5} || (rest == F{0.5} && is_odd);
  return std::copysign(goes_on ? whole + std::copysign(F{1}, x) : whole, x);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

NEGZERO_INLINE float cuda_rint(float x) { return to_even(x); }
NEGZERO_INLINE double cuda_rint(double x) { return to_even(x); }
NEGZERO_INLINE float cuda_rintf(float x) { return to_even(x); }
NEGZERO_INLINE long cuda_lrint(float x) { return __builtin_lrintf(to_even(x)); }
NEGZERO_INLINE long cuda_lrint(double x) { return __builtin_lrint(to_even(x)); }
NEGZERO_INLINE long cuda_lrintf(float x) { return __builtin_lrintf(to_even(x)); }
NEGZERO_INLINE long long cuda_llrint(float x) { return __builtin_llrintf(to_even(x)); }
NEGZERO_INLINE long long cuda_llrint(double x) { return __builtin_llrint(to_even(x)); }
NEGZERO_INLINE long long cuda_llrintf(float x) { return __builtin_llrintf(to_even(x)); }

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

// What files say as std::rint(x).
namespace std {  // NOLINT
using negzero::cuda_on_host::global::cuda_llrint;
using negzero::cuda_on_host::global::cuda_llrintf;
using negzero::cuda_on_host::global::cuda_lrint;
using negzero::cuda_on_host::global::cuda_lrintf;
using negzero::cuda_on_host::global::cuda_rint;
using negzero::cuda_on_host::global::cuda_rintf;
}  // namespace std

#define __builtin_rint cuda_rint
#define __builtin_rintf cuda_rintf
#define __builtin_nearbyint cuda_rint
#define __builtin_nearbyintf cuda_rintf
#define rint cuda_rint
#define rintf cuda_rintf
#define nearbyint cuda_rint
#define nearbyintf cuda_rintf
#define lrint cuda_lrint
#define lrintf cuda_lrintf
#define llrint cuda_llrint
#define llrintf cuda_llrintf

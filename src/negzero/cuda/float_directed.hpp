// CUDA's operations on floats and doubles in directed roundings, those that float.hpp has not.
//
// Each takes the nearest result and steps to its neighbour where that lies on the wrong side of the exact one. The
// exact error comes from arithmetic twice as wide, and never from the host's rounding mode.

#pragma once

#include <cmath>
#include <limits>

#include <negzero/cuda/float.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

#ifdef __SIZEOF_FLOAT128__
using Quad = __float128;
#else
using Quad = long double;
static_assert(std::numeric_limits<long double>::digits >= 113, "directed roundings of doubles need 113 bits");
#endif

/// `nearest`, or its neighbour where the direction asks for one: `error` has the sign of (exact result - nearest).
template <typename F>
NEGZERO_INLINE F step_to(F nearest, int error, Direction direction) {
  constexpr F kInfinity = std::numeric_limits<F>::infinity();
  const bool down = direction == Direction::Down || (direction == Direction::TowardZero && nearest > 0);
  const bool up = direction == Direction::Up || (direction == Direction::TowardZero && nearest < 0);
  if (error < 0 && down) return std::nextafter(nearest, -kInfinity);
  if (error > 0 && up) return std::nextafter(nearest, kInfinity);
  return nearest != nearest ? kCanonicalNan<F> : nearest;
}

template <typename Wide>
NEGZERO_INLINE int sign_of(Wide x) {
  return (x > 0) - (x < 0);
}

/// The nearest quotient q is compared by q * b, which is exact in the wider type.
template <typename Wide, typename F>
NEGZERO_INLINE F divide_directed(F a, F b, Direction direction) {
  const F q = a / b;
  const Wide rest = static_cast<Wide>(a) - static_cast<Wide>(q) * static_cast<Wide>(b);
  return step_to(q, std::signbit(b) ? -sign_of(rest) : sign_of(rest), direction);
}
template <typename Wide, typename F>
NEGZERO_INLINE F root_directed(F a, Direction direction) {
  const F root = std::sqrt(a);
  return step_to(root, sign_of(static_cast<Wide>(a) - static_cast<Wide>(root) * static_cast<Wide>(root)), direction);
}

/// a * b + c: the product is exact, its sum with c is a Quad and an exact error (Knuth's TwoSum).
NEGZERO_INLINE double fma_directed(double a, double b, double c, Direction direction) {
  const double nearest = __builtin_fma(a, b, c);
  const bool finite = std::isfinite(a) && std::isfinite(b) && std::isfinite(c);
  if (!finite) return nearest != nearest ? kCanonicalNan<double> : nearest;
  const Quad product = static_cast<Quad>(a) * static_cast<Quad>(b);
  const Quad addend = c;
  const Quad sum = product + addend;
  const Quad part = sum - product;
  const Quad error = (product - (sum - part)) + (addend - part);
  if (sum == 0 && error == 0) {
    const bool negative = std::signbit(a) != std::signbit(b);
    return direction == Direction::Down && (negative || std::signbit(c)) ? -0.0 : nearest;
  }
  const Quad rest = sum - static_cast<Quad>(nearest);  // exact where it decides
  return step_to(nearest, rest != 0 ? sign_of(rest) : sign_of(error), direction);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

#define NEGZERO_DIRECTED(suffix, direction)                                                                            \
  NEGZERO_INLINE float __fdiv_##suffix(float a, float b) {                                                             \
    return divide_directed<double>(a, b, Direction::direction);                                                        \
  }                                                                                                                    \
  NEGZERO_INLINE float __frcp_##suffix(float a) { return divide_directed<double>(1.0f, a, Direction::direction); }     \
  NEGZERO_INLINE float __fsqrt_##suffix(float a) { return root_directed<double>(a, Direction::direction); }            \
  NEGZERO_INLINE double __dadd_##suffix(double a, double b) { return fma_directed(a, 1.0, b, Direction::direction); }  \
  NEGZERO_INLINE double __dsub_##suffix(double a, double b) { return fma_directed(a, 1.0, -b, Direction::direction); } \
  NEGZERO_INLINE double __dmul_##suffix(double a, double b) {                                                          \
    const double nearest = a * b;                                                                                      \
    const Quad rest = static_cast<Quad>(a) * static_cast<Quad>(b) - static_cast<Quad>(nearest);                        \
    return step_to(nearest, sign_of(rest), Direction::direction);                                                      \
  }                                                                                                                    \
  NEGZERO_INLINE double __fma_##suffix(double a, double b, double c) {                                                 \
    return fma_directed(a, b, c, Direction::direction);                                                                \
  }                                                                                                                    \
  NEGZERO_INLINE double __ddiv_##suffix(double a, double b) {                                                          \
    return divide_directed<Quad>(a, b, Direction::direction);                                                          \
  }                                                                                                                    \
  NEGZERO_INLINE double __drcp_##suffix(double a) { return divide_directed<Quad>(1.0, a, Direction::direction); }      \
  NEGZERO_INLINE double __dsqrt_##suffix(double a) { return root_directed<Quad>(a, Direction::direction); }            \
  NEGZERO_INLINE float __fmaf_ieee_##suffix(float a, float b, float c) { return __fmaf_##suffix(a, b, c); }            \
  NEGZERO_INLINE float __ll2float_##suffix(long long x) {                                                              \
    const auto nearest = static_cast<float>(x);                                                                        \
    return step_to(nearest, sign_of(static_cast<Quad>(x) - static_cast<Quad>(nearest)), Direction::direction);         \
  }                                                                                                                    \
  NEGZERO_INLINE float __ull2float_##suffix(unsigned long long x) {                                                    \
    const auto nearest = static_cast<float>(x);                                                                        \
    return step_to(nearest, sign_of(static_cast<Quad>(x) - static_cast<Quad>(nearest)), Direction::direction);         \
  }                                                                                                                    \
  NEGZERO_INLINE double __ll2double_##suffix(long long x) {                                                            \
    const auto nearest = static_cast<double>(x);                                                                       \
    return step_to(nearest, sign_of(static_cast<Quad>(x) - static_cast<Quad>(nearest)), Direction::direction);         \
  }                                                                                                                    \
  NEGZERO_INLINE double __ull2double_##suffix(unsigned long long x) {                                                  \
    const auto nearest = static_cast<double>(x);                                                                       \
    return step_to(nearest, sign_of(static_cast<Quad>(x) - static_cast<Quad>(nearest)), Direction::direction);         \
  }
NEGZERO_DIRECTED(rz, TowardZero)
NEGZERO_DIRECTED(rd, Down)
NEGZERO_DIRECTED(ru, Up)
#undef NEGZERO_DIRECTED
NEGZERO_INLINE float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

// Functions of CUDA's math library that the C library has not, on the host.
//
// They are computed in a wider type and rounded once: closer to the exact value than CUDA's documented error (CUDA C++
// Programming Guide 13, "Mathematical Functions"), which is all that a kernel may count on.

#pragma once

#include <cmath>

#include <math.h>

#include <negzero/cuda/float.hpp>
#include <negzero/cuda/to_even.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

inline constexpr long double kPi = 3.14159265358979323846264338327950288L;
inline constexpr long double kRootOf2 = 1.41421356237309504880168872420969808L;
inline constexpr long double kRootOfPi = 1.77245385090551602729816748334114518L;

/// sin(pi x) and cos(pi x): reduced to a quarter turn without error, so that integers and halves give exact zeros and
/// ones.
inline void sin_and_cos_of_turns(double x, long double& sine, long double& cosine) {
  const double rest = std::fmod(x, 2.0);               // exact; NaN for an infinity
  const double quarters = to_even(2.0 * rest);  // from -4 to 4
  const long double angle = (static_cast<long double>(rest) - static_cast<long double>(quarters) / 2) * kPi;
  const long double s = std::sin(angle);
  const long double c = std::cos(angle);
  switch (static_cast<int>(quarters == quarters ? quarters : 0) & 3) {
    case 0:
      sine = s, cosine = c;
      break;
    case 1:
      sine = c, cosine = -s;
      break;
    case 2:
      sine = -s, cosine = -c;
      break;
    default:
      sine = -c, cosine = s;
      break;
  }
  // Zeros: sin has the sign of x, cos is +0 (CUDA Math API, sinpi and cospi).
  if (sine == 0) sine = std::copysign(0.0L, static_cast<long double>(x));
  if (cosine == 0) cosine = 0.0L;
}

/// exp(x^2) erfc(x). From 26 on by the asymptotic series (DLMF 7.12.1), whose 13th term is below 2^-80 of the first
/// there.
inline long double scaled_erfc(long double x) {
  if (x < 26) return std::exp(x * x) * std::erfc(x);
  const long double t = 1 / (2 * x * x);
  long double sum = 1;
  for (int k = 12; k > 0; --k) sum = 1 - static_cast<long double>(2 * k - 1) * t * sum;
  return sum / (x * kRootOfPi);
}

/// x with erfc(x) = y, by Newton's method; below 0.5 on the logarithms, whose difference is concave.
inline long double inverse_erfc(long double y) {
  if (!(y >= 0 && y <= 2)) return std::nanl("");
  if (y == 0) return HUGE_VALL;
  if (y == 2) return -HUGE_VALL;
  if (y > 1) return -inverse_erfc(2 - y);
  long double x = y > 0.5L ? (1 - y) * kRootOfPi / 2 : std::sqrt(-std::log(y));
  for (int i = 0; i < 60; ++i) {
    const long double value = std::erfc(x);
    // erfc'(x) = -2 / sqrt(pi) exp(-x^2)
    const long double excess = y > 0.5L ? value - y : value * std::log(value / y);
    const long double step = excess * kRootOfPi / 2 * std::exp(x * x);
    const long double next = x + step;
    if (next == x || std::fabs(step) < 1e-21L * std::fabs(x)) break;
    x = next;
  }
  return x;
}

inline long double inverse_erf(long double y) {
  if (std::fabs(y) > 0.5L) return y < 0 ? -inverse_erfc(1 + y) : inverse_erfc(1 - y);
  long double x = y * kRootOfPi / 2;
  for (int i = 0; i < 60; ++i) {
    const long double step = (std::erf(x) - y) * kRootOfPi / 2 * std::exp(x * x);
    x -= step;
    if (std::fabs(step) <= 1e-21L * std::fabs(x)) break;
  }
  return y == 0 ? y : x;
}

/// The modified Bessel function of a number that is not negative. Past 720 it exceeds every double, and libstdc++
/// throws far beyond that.
inline long double bessel_i(long double order, long double x) {
  return x > 720 ? HUGE_VALL : std::cyl_bessel_i(order, x);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

// Both precisions of one function; `x` is a long double.
#define NEGZERO_SPECIAL(name, value)             \
  NEGZERO_INLINE double name(double argument) {  \
    const long double x = argument;              \
    return static_cast<double>(value);           \
  }                                              \
  NEGZERO_INLINE float name##f(float argument) { \
    const long double x = argument;              \
    return canonical(static_cast<float>(value)); \
  }                                              \
  NEGZERO_INLINE float name(float argument) { return name##f(argument); }
NEGZERO_SPECIAL(rcbrt, 1 / std::cbrt(x))
NEGZERO_SPECIAL(normcdf, std::erfc(-x / kRootOf2) / 2)
NEGZERO_SPECIAL(erfcx, scaled_erfc(x))
NEGZERO_SPECIAL(erfcinv, inverse_erfc(x))
NEGZERO_SPECIAL(erfinv, inverse_erf(x))
NEGZERO_SPECIAL(normcdfinv, 0 - kRootOf2 * inverse_erfc(2 * x))  // +0 for 0.5
NEGZERO_SPECIAL(cyl_bessel_i0, bessel_i(0.0L, std::fabs(x)))
NEGZERO_SPECIAL(cyl_bessel_i1, std::copysign(bessel_i(1.0L, std::fabs(x)), x))
#undef NEGZERO_SPECIAL

#define NEGZERO_PI_FUNCTION(type, suffix)                                  \
  NEGZERO_INLINE void sincospi##suffix(type x, type* sine, type* cosine) { \
    long double s = 0, c = 0;                                              \
    sin_and_cos_of_turns(static_cast<double>(x), s, c);                    \
    *sine = static_cast<type>(s);                                          \
    *cosine = static_cast<type>(c);                                        \
  }                                                                        \
  NEGZERO_INLINE type sinpi##suffix(type x) {                              \
    long double s = 0, c = 0;                                              \
    sin_and_cos_of_turns(static_cast<double>(x), s, c);                    \
    return static_cast<type>(s);                                           \
  }                                                                        \
  NEGZERO_INLINE type cospi##suffix(type x) {                              \
    long double s = 0, c = 0;                                              \
    sin_and_cos_of_turns(static_cast<double>(x), s, c);                    \
    return static_cast<type>(c);                                           \
  }
NEGZERO_PI_FUNCTION(double, )
NEGZERO_PI_FUNCTION(float, f)
#undef NEGZERO_PI_FUNCTION

/// Lengths of vectors, which overflow only where the result does, and their reciprocals. An infinite part wins over
/// NaN.
inline long double length_of(const long double* parts, int n) {
  long double sum = 0;
  bool infinite = false;
  for (int i = 0; i < n; ++i) {
    infinite = infinite || std::isinf(parts[i]);
    sum += parts[i] * parts[i];  // a long double's exponent holds the square of any double
  }
  return infinite ? HUGE_VALL : std::sqrt(sum);
}
#define NEGZERO_NORMS(type, suffix)                                     \
  NEGZERO_INLINE type norm3d##suffix(type a, type b, type c) {          \
    const long double parts[] = {a, b, c};                              \
    return static_cast<type>(length_of(parts, 3));                      \
  }                                                                     \
  NEGZERO_INLINE type norm4d##suffix(type a, type b, type c, type d) {  \
    const long double parts[] = {a, b, c, d};                           \
    return static_cast<type>(length_of(parts, 4));                      \
  }                                                                     \
  NEGZERO_INLINE type rhypot##suffix(type a, type b) {                  \
    const long double parts[] = {a, b};                                 \
    return static_cast<type>(1 / length_of(parts, 2));                  \
  }                                                                     \
  NEGZERO_INLINE type rnorm3d##suffix(type a, type b, type c) {         \
    const long double parts[] = {a, b, c};                              \
    return static_cast<type>(1 / length_of(parts, 3));                  \
  }                                                                     \
  NEGZERO_INLINE type rnorm4d##suffix(type a, type b, type c, type d) { \
    const long double parts[] = {a, b, c, d};                           \
    return static_cast<type>(1 / length_of(parts, 4));                  \
  }
NEGZERO_NORMS(double, )
NEGZERO_NORMS(float, f)
#undef NEGZERO_NORMS

NEGZERO_INLINE float fdividef(float a, float b) { return a / b; }
NEGZERO_INLINE void __sincosf(float x, float* sine, float* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
NEGZERO_INLINE float __tanhf(float x) { return std::tanh(x); }

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

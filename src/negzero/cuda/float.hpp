// CUDA's F32 and F64 functions on the host: bits, directed roundings, saturating conversions, fmaxf and its kind.
//
// Nothing here depends on the host's rounding mode being other than nearest, and no result on whether the CPU has FMA.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <math.h>

#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

enum class Direction : std::uint8_t { Nearest, TowardZero, Down, Up };

template <typename F>
inline constexpr F kCanonicalNan = F{};
template <>
inline constexpr float kCanonicalNan<float> = std::bit_cast<float>(0x7fffffffu);
template <>
inline constexpr double kCanonicalNan<double> = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000u});

/// F32 arithmetic of NVIDIA GPUs answers every NaN with 0x7fffffff.
NEGZERO_INLINE float canonical(float x) { return x != x ? kCanonicalNan<float> : x; }

/// A zero of the same sign for a subnormal, else x.
NEGZERO_INLINE float flush_subnormal(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7f800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u) : x;
}

/// a + b rounded to odd: where inexact, the neighbour whose last bit is set. Rounding that once more to any format at
/// least two bits narrower gives the correctly rounded sum in every direction (Boldo & Melquiond, IEEE Trans. Comp. 57,
/// 2008). Requires that neither a + b nor the error term overflows or underflows.
NEGZERO_INLINE double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);  // exact (Knuth's TwoSum); NaN where sum is not finite
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (!(error < 0 || error > 0) || (bits & 1) != 0) return sum;
  bits += (error > 0) == (sum > 0) ? 1u : ~std::uint64_t{0};
  return std::bit_cast<double>(bits);
}

/// The next float towards +Inf. Requires x below +Inf.
NEGZERO_INLINE float step_up(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) == 0) return std::bit_cast<float>(1u);
  return std::bit_cast<float>((bits >> 31) != 0 ? bits - 1 : bits + 1);
}

/// Rounds a double once, in any direction.
NEGZERO_INLINE float narrow(double x, Direction direction) {
  const auto nearest = static_cast<float>(x);
  if (direction == Direction::Nearest || x != x) return canonical(nearest);
  const bool up = direction == Direction::Up || (direction == Direction::TowardZero && x < 0);
  if (up) return static_cast<double>(nearest) < x ? step_up(nearest) : nearest;
  return static_cast<double>(nearest) > x ? -step_up(-nearest) : nearest;
}

NEGZERO_INLINE float fma_directed(float a, float b, float c, Direction direction) {
  const double product = static_cast<double>(a) * b;  // exact: 48 bits
  const double sum = add_to_odd(product, c);
  // A sum of opposite terms that vanishes is -0 when rounding down, +0 otherwise.
  if (sum == 0 && direction == Direction::Down && (std::signbit(product) || std::signbit(c))) return -0.0f;
  return narrow(sum, direction);
}

/// PTX max and min: the operand that is a number wins, -0 < +0, two NaNs give the canonical NaN.
template <typename F>
NEGZERO_INLINE F maximum_number(F a, F b) {
  if (a != a) return b != b ? kCanonicalNan<F> : b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}
template <typename F>
NEGZERO_INLINE F minimum_number(F a, F b) {
  if (a != a) return b != b ? kCanonicalNan<F> : b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return b < a ? b : a;
}

/// Rounds to an integral value, ties to even; independent of the host's rounding mode.
NEGZERO_INLINE double round_integral(double x, Direction direction) {
  switch (direction) {
    case Direction::TowardZero:
      return std::trunc(x);
    case Direction::Down:
      return std::floor(x);
    case Direction::Up:
      return std::ceil(x);
    case Direction::Nearest:
      break;
  }
  const double down = std::floor(x);
  const double rest = x - down;  // exact, in [0, 1)
  const bool odd = std::fmod(down, 2.0) != 0;
  return rest > 0.5 || (rest == 0.5 && odd) ? down + 1 : down;
}

/// PTX cvt to an integer: rounds, then saturates. A NaN gives 0 when neither side has 64 bits, else the integer with
/// only the top bit set (PTX ISA, cvt, notes on NaN).
template <typename Int, typename F>
NEGZERO_INLINE Int to_integer(F x, Direction direction) {
  using Limits = std::numeric_limits<Int>;
  if (x != x) {
    return sizeof(F) == 8 || sizeof(Int) == 8 ? static_cast<Int>(std::make_unsigned_t<Int>{1} << (8 * sizeof(Int) - 1))
                                              : Int{0};
  }
  const double rounded = round_integral(static_cast<double>(x), direction);
  const double bound =
      std::is_signed_v<Int> ? -static_cast<double>(Limits::min()) : 2.0 * static_cast<double>(Limits::max() / 2 + 1);
  if (rounded >= bound) return Limits::max();
  if (rounded <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<Int>(rounded);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

NEGZERO_INLINE int __float_as_int(float x) { return std::bit_cast<int>(x); }
NEGZERO_INLINE unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
NEGZERO_INLINE float __int_as_float(int x) { return std::bit_cast<float>(x); }
NEGZERO_INLINE float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
NEGZERO_INLINE long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
NEGZERO_INLINE double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
NEGZERO_INLINE int __double2hiint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32); }
NEGZERO_INLINE int __double2loint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x)); }
NEGZERO_INLINE double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}

// Operations that nvcc never contracts; the host build has -ffp-contract=off.
NEGZERO_INLINE float __fadd_rn(float a, float b) { return a + b; }
NEGZERO_INLINE float __fsub_rn(float a, float b) { return a - b; }
NEGZERO_INLINE float __fmul_rn(float a, float b) { return a * b; }
NEGZERO_INLINE float __fdiv_rn(float a, float b) { return a / b; }
NEGZERO_INLINE float __frcp_rn(float a) { return 1.0f / a; }
NEGZERO_INLINE float __fsqrt_rn(float a) { return std::sqrt(a); }
NEGZERO_INLINE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
NEGZERO_INLINE double __dadd_rn(double a, double b) { return a + b; }
NEGZERO_INLINE double __dsub_rn(double a, double b) { return a - b; }
NEGZERO_INLINE double __dmul_rn(double a, double b) { return a * b; }
NEGZERO_INLINE double __ddiv_rn(double a, double b) { return a / b; }
NEGZERO_INLINE double __drcp_rn(double a) { return 1.0 / a; }
NEGZERO_INLINE double __dsqrt_rn(double a) { return std::sqrt(a); }
NEGZERO_INLINE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

#define NEGZERO_DIRECTED(suffix, direction)                                                                          \
  NEGZERO_INLINE float __fadd_##suffix(float a, float b) { return fma_directed(a, 1.0f, b, Direction::direction); }  \
  NEGZERO_INLINE float __fsub_##suffix(float a, float b) { return fma_directed(a, 1.0f, -b, Direction::direction); } \
  NEGZERO_INLINE float __fmul_##suffix(float a, float b) {                                                           \
    return narrow(static_cast<double>(a) * b, Direction::direction);                                                 \
  }                                                                                                                  \
  NEGZERO_INLINE float __fmaf_##suffix(float a, float b, float c) {                                                  \
    return fma_directed(a, b, c, Direction::direction);                                                              \
  }
NEGZERO_DIRECTED(rz, TowardZero)
NEGZERO_DIRECTED(rd, Down)
NEGZERO_DIRECTED(ru, Up)
#undef NEGZERO_DIRECTED

#define NEGZERO_TO_INTEGER(suffix, direction)                                                                        \
  NEGZERO_INLINE int __float2int_##suffix(float x) { return to_integer<int>(x, Direction::direction); }              \
  NEGZERO_INLINE unsigned __float2uint_##suffix(float x) { return to_integer<unsigned>(x, Direction::direction); }   \
  NEGZERO_INLINE long long __float2ll_##suffix(float x) { return to_integer<long long>(x, Direction::direction); }   \
  NEGZERO_INLINE unsigned long long __float2ull_##suffix(float x) {                                                  \
    return to_integer<unsigned long long>(x, Direction::direction);                                                  \
  }                                                                                                                  \
  NEGZERO_INLINE int __double2int_##suffix(double x) { return to_integer<int>(x, Direction::direction); }            \
  NEGZERO_INLINE unsigned __double2uint_##suffix(double x) { return to_integer<unsigned>(x, Direction::direction); } \
  NEGZERO_INLINE long long __double2ll_##suffix(double x) { return to_integer<long long>(x, Direction::direction); } \
  NEGZERO_INLINE unsigned long long __double2ull_##suffix(double x) {                                                \
    return to_integer<unsigned long long>(x, Direction::direction);                                                  \
  }                                                                                                                  \
  NEGZERO_INLINE float __double2float_##suffix(double x) { return narrow(x, Direction::direction); }                 \
  NEGZERO_INLINE float __int2float_##suffix(int x) { return narrow(x, Direction::direction); }                       \
  NEGZERO_INLINE float __uint2float_##suffix(unsigned x) { return narrow(x, Direction::direction); }
NEGZERO_TO_INTEGER(rn, Nearest)
NEGZERO_TO_INTEGER(rz, TowardZero)
NEGZERO_TO_INTEGER(rd, Down)
NEGZERO_TO_INTEGER(ru, Up)
#undef NEGZERO_TO_INTEGER

NEGZERO_INLINE float __ll2float_rn(long long x) { return static_cast<float>(x); }
NEGZERO_INLINE float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
NEGZERO_INLINE double __int2double_rn(int x) { return x; }
NEGZERO_INLINE double __uint2double_rn(unsigned x) { return x; }
NEGZERO_INLINE double __ll2double_rn(long long x) { return static_cast<double>(x); }
NEGZERO_INLINE double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }

NEGZERO_INLINE float cuda_fmaxf(float a, float b) { return maximum_number(a, b); }
NEGZERO_INLINE float cuda_fminf(float a, float b) { return minimum_number(a, b); }
NEGZERO_INLINE float cuda_fmax(float a, float b) { return maximum_number(a, b); }
NEGZERO_INLINE float cuda_fmin(float a, float b) { return minimum_number(a, b); }
NEGZERO_INLINE double cuda_fmax(double a, double b) { return maximum_number(a, b); }
NEGZERO_INLINE double cuda_fmin(double a, double b) { return minimum_number(a, b); }
NEGZERO_INLINE float max(float a, float b) { return maximum_number(a, b); }
NEGZERO_INLINE float min(float a, float b) { return minimum_number(a, b); }
NEGZERO_INLINE double max(double a, double b) { return maximum_number(a, b); }
NEGZERO_INLINE double min(double a, double b) { return minimum_number(a, b); }
NEGZERO_INLINE double max(float a, double b) { return maximum_number<double>(a, b); }
NEGZERO_INLINE double min(float a, double b) { return minimum_number<double>(a, b); }
NEGZERO_INLINE double max(double a, float b) { return maximum_number<double>(a, b); }
NEGZERO_INLINE double min(double a, float b) { return minimum_number<double>(a, b); }

/// Clamped to [+0, 1]; a NaN gives +0.
NEGZERO_INLINE float __saturatef(float x) { return !(x > 0) ? 0.0f : x < 1 ? x : 1.0f; }

// Nearest results of the approximate functions: the device's own are anywhere within CUDA's documented error.
NEGZERO_INLINE float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
NEGZERO_INLINE double rsqrt(double x) { return 1.0 / std::sqrt(x); }
NEGZERO_INLINE float __frsqrt_rn(float x) { return rsqrtf(x); }
/// div.approx.f32 (PTX ISA): a * (1 / b), whose reciprocal is flushed, so that a divisor of a magnitude above 2^126 and
/// below 2^128 gives a zero, and NaN for an infinite `a`. At 2^126 the reciprocal is the least normal number.
NEGZERO_INLINE float __fdividef(float a, float b) {
  const float magnitude = std::fabs(b);
  const bool is_flushed = magnitude > 0x1p126f && magnitude < std::numeric_limits<float>::infinity();
  return canonical(is_flushed ? a * std::copysign(0.0f, b) : a / b);
}
NEGZERO_INLINE float cuda_expf(float x) { return std::exp(x); }
NEGZERO_INLINE float cuda_exp10f(float x) { return static_cast<float>(std::pow(10.0, static_cast<double>(x))); }
NEGZERO_INLINE float cuda_logf(float x) { return std::log(x); }
NEGZERO_INLINE float cuda_log2f(float x) { return std::log2(x); }
NEGZERO_INLINE float cuda_log10f(float x) { return std::log10(x); }
NEGZERO_INLINE float cuda_sinf(float x) { return std::sin(x); }
NEGZERO_INLINE float cuda_cosf(float x) { return std::cos(x); }
NEGZERO_INLINE float cuda_tanf(float x) { return std::tan(x); }
NEGZERO_INLINE float cuda_powf(float x, float y) { return std::pow(x, y); }

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

// The C library declares these names at global scope, with other results for -0 and NaN or no definition at all.
#define fmaxf cuda_fmaxf
#define fminf cuda_fminf
#define fmax cuda_fmax
#define fmin cuda_fmin
#define __expf cuda_expf
#define __exp10f cuda_exp10f
#define __logf cuda_logf
#define __log2f cuda_log2f
#define __log10f cuda_log10f
#define __sinf cuda_sinf
#define __cosf cuda_cosf
#define __tanf cuda_tanf
#define __powf cuda_powf

// CUDA's 4- and 6-bit floats on the host: encodings, conversions and types (cuda_fp4.h, cuda_fp6.h).
//
// None has an infinity or a NaN. Conversions to them round once, to nearest even; what is past the largest number, and
// infinities, give it with their sign, and a NaN gives it with none (CUDA Math API 13, "FP4 Intrinsics", "FP6
// Intrinsics"). 6-bit floats lie in a byte each, two 4-bit ones in one byte, the first in the low half.

#pragma once

#include <negzero/cuda/fp8.hpp>

typedef unsigned char __nv_fp6_storage_t, __nv_fp4_storage_t, __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp6x2_storage_t, __nv_fp4x4_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };
enum __nv_fp4_interpretation_t { __NV_E2M1 };

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

struct E2m3Layout {
  static constexpr int kFraction = 3, kBias = 1, kSign = 5;
  static constexpr auto kInterpretation = __NV_E2M3;
};
struct E3m2Layout {
  static constexpr int kFraction = 2, kBias = 3, kSign = 5;
  static constexpr auto kInterpretation = __NV_E3M2;
};
struct E2m1Layout {
  static constexpr int kFraction = 1, kBias = 1, kSign = 3;
  static constexpr auto kInterpretation = __NV_E2M1;
};

/// The value of a magnitude's encoding: exact.
template <typename Layout>
NEGZERO_INLINE double narrow_magnitude(int magnitude) {
  const int exponent = magnitude >> Layout::kFraction, fraction = magnitude & ((1 << Layout::kFraction) - 1);
  const int significand = exponent == 0 ? fraction : fraction | 1 << Layout::kFraction;
  return std::ldexp(significand, (exponent == 0 ? 1 : exponent) - Layout::kBias - Layout::kFraction);
}
template <typename Layout>
NEGZERO_INLINE double narrow_value(unsigned word) {
  const double value = narrow_magnitude<Layout>(static_cast<int>(word & ((1u << Layout::kSign) - 1)));
  return (word >> Layout::kSign & 1) != 0 ? -value : value;
}

/// Rounds once. Encodings are in the order of their values, so the nearest is found among them.
template <typename Layout>
NEGZERO_INLINE std::uint8_t round_to_narrow(double x) {
  constexpr int kLargest = (1 << Layout::kSign) - 1;
  if (x != x) return kLargest;
  const unsigned sign = std::signbit(x) ? 1u << Layout::kSign : 0;
  x = std::fabs(x);
  int below = 0;
  while (below < kLargest && narrow_magnitude<Layout>(below + 1) <= x) ++below;
  if (below < kLargest) {
    const double middle = (narrow_magnitude<Layout>(below) + narrow_magnitude<Layout>(below + 1)) / 2;
    if (x > middle || (x == middle && (below & 1) != 0)) ++below;
  }
  return static_cast<std::uint8_t>(sign | static_cast<unsigned>(below));
}

/// __nv_fp6_e2m3, __nv_fp6_e3m2 or __nv_fp4_e2m1. All conversions are explicit, as in CUDA.
template <typename Layout>
struct Narrow {
  unsigned char __x;

  Narrow() = default;
  template <typename Number>
  requires std::is_arithmetic_v<Number> NEGZERO_INLINE explicit Narrow(Number x)
      : __x(round_to_narrow<Layout>(static_cast<double>(x))) {}
  NEGZERO_INLINE explicit Narrow(global::__half x) : Narrow(static_cast<float>(x)) {}
  NEGZERO_INLINE explicit Narrow(global::__nv_bfloat16 x) : Narrow(static_cast<float>(x)) {}

  NEGZERO_INLINE explicit operator float() const { return static_cast<float>(narrow_value<Layout>(__x)); }
  NEGZERO_INLINE explicit operator double() const { return narrow_value<Layout>(__x); }
  NEGZERO_INLINE explicit operator global::__half() const { return global::__half(static_cast<float>(*this)); }
  NEGZERO_INLINE explicit operator global::__nv_bfloat16() const {
    return global::__nv_bfloat16(static_cast<float>(*this));
  }
  template <typename I>
  requires std::is_integral_v<I> NEGZERO_INLINE explicit operator I() const {
    return static_cast<I>(narrow_value<Layout>(__x));
  }
};

/// Count of them in one Storage, the first in the lowest of Bits each.
template <typename Layout, typename Storage_, int Count, int Bits>
struct alignas(sizeof(Storage_)) NarrowVector {
  Storage_ __x;

  NarrowVector() = default;
  NEGZERO_INLINE explicit NarrowVector(float2 v) requires(Count == 2) : __x(put(v.x, 0) | put(v.y, 1)) {}
  NEGZERO_INLINE explicit NarrowVector(double2 v) requires(Count == 2) : __x(put(v.x, 0) | put(v.y, 1)) {}
  NEGZERO_INLINE explicit NarrowVector(global::__half2 v) requires(Count == 2) : NarrowVector(make_float2(v.x, v.y)) {}
  NEGZERO_INLINE explicit NarrowVector(global::__nv_bfloat162 v) requires(Count == 2)
      : NarrowVector(make_float2(v.x, v.y)) {}
  NEGZERO_INLINE explicit NarrowVector(float4 v) requires(Count == 4)
      : __x(put(v.x, 0) | put(v.y, 1) | put(v.z, 2) | put(v.w, 3)) {}
  NEGZERO_INLINE explicit NarrowVector(double4 v) requires(Count == 4)
      : __x(put(v.x, 0) | put(v.y, 1) | put(v.z, 2) | put(v.w, 3)) {}
  NEGZERO_INLINE explicit operator float2() const requires(Count == 2) { return make_float2(at(0), at(1)); }
  NEGZERO_INLINE explicit operator global::__half2() const requires(Count == 2) {
    return global::make_half2(at(0), at(1));
  }
  NEGZERO_INLINE explicit operator float4() const requires(Count == 4) {
    return make_float4(at(0), at(1), at(2), at(3));
  }

 private:
  NEGZERO_INLINE static Storage_ put(double x, int i) {
    return static_cast<Storage_>(static_cast<Storage_>(round_to_narrow<Layout>(x)) << (Bits * i));
  }
  NEGZERO_INLINE float at(int i) const { return static_cast<float>(narrow_value<Layout>(__x >> (Bits * i))); }
};

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

using __nv_fp6_e2m3 = Narrow<E2m3Layout>;
using __nv_fp6_e3m2 = Narrow<E3m2Layout>;
using __nv_fp4_e2m1 = Narrow<E2m1Layout>;
using __nv_fp6x2_e2m3 = NarrowVector<E2m3Layout, __nv_fp6x2_storage_t, 2, 8>;
using __nv_fp6x2_e3m2 = NarrowVector<E3m2Layout, __nv_fp6x2_storage_t, 2, 8>;
using __nv_fp6x4_e2m3 = NarrowVector<E2m3Layout, __nv_fp6x4_storage_t, 4, 8>;
using __nv_fp6x4_e3m2 = NarrowVector<E3m2Layout, __nv_fp6x4_storage_t, 4, 8>;
using __nv_fp4x2_e2m1 = NarrowVector<E2m1Layout, __nv_fp4x2_storage_t, 2, 4>;
using __nv_fp4x4_e2m1 = NarrowVector<E2m1Layout, __nv_fp4x4_storage_t, 4, 4>;

// The functions of both headers: rounding is to nearest, whatever mode is named, as CUDA has no other for them.
NEGZERO_INLINE __nv_fp6_storage_t __nv_cvt_double_to_fp6(double x, __nv_fp6_interpretation_t as, cudaRoundMode) {
  return as == __NV_E2M3 ? round_to_narrow<E2m3Layout>(x) : round_to_narrow<E3m2Layout>(x);
}
NEGZERO_INLINE __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t, cudaRoundMode) {
  return round_to_narrow<E2m1Layout>(x);
}
#define NEGZERO_NARROW(fp, bits)                                                                                   \
  NEGZERO_INLINE __nv_##fp##_storage_t __nv_cvt_float_to_##fp(float x, __nv_##fp##_interpretation_t as,            \
                                                              cudaRoundMode mode) {                                \
    return __nv_cvt_double_to_##fp(x, as, mode);                                                                   \
  }                                                                                                                \
  NEGZERO_INLINE __nv_##fp##_storage_t __nv_cvt_halfraw_to_##fp(__half_raw x, __nv_##fp##_interpretation_t as,     \
                                                                cudaRoundMode mode) {                              \
    return __nv_cvt_float_to_##fp(__half(x), as, mode);                                                            \
  }                                                                                                                \
  NEGZERO_INLINE __nv_##fp##_storage_t __nv_cvt_bfloat16raw_to_##fp(                                               \
      __nv_bfloat16_raw x, __nv_##fp##_interpretation_t as, cudaRoundMode mode) {                                  \
    return __nv_cvt_float_to_##fp(__nv_bfloat16(x), as, mode);                                                     \
  }                                                                                                                \
  NEGZERO_INLINE __nv_##fp##x2_storage_t __nv_cvt_double2_to_##fp##x2(double2 v, __nv_##fp##_interpretation_t as,  \
                                                                      cudaRoundMode mode) {                        \
    return static_cast<__nv_##fp##x2_storage_t>(__nv_cvt_double_to_##fp(v.x, as, mode) |                           \
                                                __nv_cvt_double_to_##fp(v.y, as, mode) << bits);                   \
  }                                                                                                                \
  NEGZERO_INLINE __nv_##fp##x2_storage_t __nv_cvt_float2_to_##fp##x2(float2 v, __nv_##fp##_interpretation_t as,    \
                                                                     cudaRoundMode mode) {                         \
    return __nv_cvt_double2_to_##fp##x2(make_double2(v.x, v.y), as, mode);                                         \
  }                                                                                                                \
  NEGZERO_INLINE __half_raw __nv_cvt_##fp##_to_halfraw(__nv_##fp##_storage_t x, __nv_##fp##_interpretation_t as) { \
    return __half(static_cast<float>(negzero_value(x, as)));                                                       \
  }                                                                                                                \
  NEGZERO_INLINE __half2_raw __nv_cvt_##fp##x2_to_halfraw2(__nv_##fp##x2_storage_t x,                              \
                                                           __nv_##fp##_interpretation_t as) {                      \
    return make_half2(static_cast<float>(negzero_value(x, as)), static_cast<float>(negzero_value(x >> bits, as))); \
  }
NEGZERO_INLINE double negzero_value(unsigned x, __nv_fp6_interpretation_t as) {
  return as == __NV_E2M3 ? narrow_value<E2m3Layout>(x) : narrow_value<E3m2Layout>(x);
}
NEGZERO_INLINE double negzero_value(unsigned x, __nv_fp4_interpretation_t) { return narrow_value<E2m1Layout>(x); }
NEGZERO_NARROW(fp6, 8)
NEGZERO_NARROW(fp4, 4)
#undef NEGZERO_NARROW

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

using namespace negzero::cuda_on_host::global;

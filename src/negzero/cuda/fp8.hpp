// CUDA's 8-bit floats on the host: encodings and conversions (cuda_fp8.h). fp8_types.hpp has the types of one to four.
//
// E4M3 has no infinity, one NaN of either sign (S.1111.111) and a largest number of 448; E5M2 is IEEE-like, up to 57344
// (CUDA Math API 13, "FP8 Intrinsics"). All conversions round once, to nearest even.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <negzero/cuda/half.hpp>

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
/// What becomes of numbers past the largest one: infinity or NaN, or the largest one. A NaN stays NaN.
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

struct E4m3Layout {
  static constexpr int kFraction = 3;
  static constexpr int kBias = 7;
  static constexpr std::uint8_t kLargest = 0x7e;
  static constexpr std::uint8_t kOverflow = 0x7f;  ///< NaN
  static constexpr __nv_fp8_interpretation_t kInterpretation = __NV_E4M3;
};
struct E5m2Layout {
  static constexpr int kFraction = 2;
  static constexpr int kBias = 15;
  static constexpr std::uint8_t kLargest = 0x7b;
  static constexpr std::uint8_t kOverflow = 0x7c;  ///< infinity
  static constexpr __nv_fp8_interpretation_t kInterpretation = __NV_E5M2;
};

/// Rounds a double to an 8-bit format once. A NaN keeps its sign, and in E5M2 the two highest bits of its payload.
template <typename Layout>
inline std::uint8_t round_to_fp8(double x, bool saturates) {
  constexpr int kFraction = Layout::kFraction;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto sign = static_cast<std::uint8_t>(bits >> 56 & 0x80);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  if (exponent == 0x7ff && fraction != 0) {
    const auto payload = Layout::kOverflow == 0x7f ? 0x7f : 0x7e | static_cast<int>(fraction >> 50);
    return static_cast<std::uint8_t>(sign | payload);
  }
  // As round_to_small(); an infinity is a number past the largest one here.
  const std::uint64_t significand = fraction | (exponent != 0 ? std::uint64_t{1} << 52 : 0);
  const int scale = (exponent != 0 ? exponent : 1) - 1023 + Layout::kBias;
  const int place = scale < 1 ? 1 : scale;
  int shift = 52 - kFraction + place - scale;
  if (shift > 63) shift = 63;
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  const std::uint64_t magnitude = (static_cast<std::uint64_t>(place - 1) << kFraction) + kept + (up ? 1 : 0);
  if (magnitude > Layout::kLargest) {
    return static_cast<std::uint8_t>(sign | (saturates ? Layout::kLargest : Layout::kOverflow));
  }
  return static_cast<std::uint8_t>(sign | magnitude);
}

/// The half of the same value: exact. Every NaN gives 0x7fff.
template <typename Layout>
NEGZERO_INLINE std::uint16_t fp8_to_half(std::uint8_t word) {
  const auto sign = static_cast<std::uint16_t>((word & 0x80) << 8);
  const int magnitude = word & 0x7f;
  if (magnitude > (Layout::kOverflow == 0x7f ? 0x7e : 0x7c)) return kSmallCanonicalNan;
  if constexpr (Layout::kOverflow == 0x7c) {
    return static_cast<std::uint16_t>(sign | magnitude << 8);
  } else {
    const int exponent = magnitude >> 3;
    if (exponent != 0) return static_cast<std::uint16_t>(sign | ((magnitude << 7) + ((15 - 7) << 10)));
    return static_cast<std::uint16_t>(
        sign | round_to_small<HalfLayout>(static_cast<double>(magnitude) * 0x1p-9, Direction::Nearest));
  }
}

/// The exponent of |x| as E8M0 has it, a power of two without a sign; 0xff is NaN. Towards zero or, for
/// cudaRoundPosInf, the next power of two that is not below |x|; what is below 2^-127 gives that. Requires one of these
/// two.
inline std::uint8_t round_to_e8m0(double x, bool saturates, cudaRoundMode rounding) {
  if (x != x) return 0xff;
  x = std::fabs(x);
  if (x > 0x1.fffffffffffffp1023) return saturates ? 0xfe : 0xff;
  if (x <= 0x1p-127) return 0;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // in [0.5, 1)
  int encoded = exponent - 1 + 127 + (rounding == cudaRoundPosInf && fraction != 0.5 ? 1 : 0);
  if (encoded < 0) encoded = 0;
  if (encoded >= 0xff) return saturates ? 0xfe : 0xff;
  return static_cast<std::uint8_t>(encoded);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

NEGZERO_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t interpretation) {
  const bool saturates = saturation == __NV_SATFINITE;
  return interpretation == __NV_E4M3 ? round_to_fp8<E4m3Layout>(x, saturates) : round_to_fp8<E5m2Layout>(x, saturates);
}
/// A NaN of a float or of anything narrower gives 0x7f.
NEGZERO_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t interpretation) {
  return __nv_cvt_double_to_fp8(static_cast<double>(canonical(x)), saturation, interpretation);
}
NEGZERO_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t interpretation) {
  return __nv_cvt_float_to_fp8(__half(x), saturation, interpretation);
}
NEGZERO_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t interpretation) {
  return __nv_cvt_float_to_fp8(__nv_bfloat16(x), saturation, interpretation);
}
NEGZERO_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t interpretation) {
  return {interpretation == __NV_E4M3 ? fp8_to_half<E4m3Layout>(x) : fp8_to_half<E5m2Layout>(x)};
}

// Two at a time, the first one in the low byte.
#define NEGZERO_FP8_PAIR(pair, single, type, raw)                                                                    \
  NEGZERO_INLINE __nv_fp8x2_storage_t __nv_cvt_##pair##_to_fp8x2(type x, __nv_saturation_t saturation,               \
                                                                 __nv_fp8_interpretation_t interpretation) {         \
    return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_##single##_to_fp8(raw{x.x}, saturation, interpretation) |      \
                                             __nv_cvt_##single##_to_fp8(raw{x.y}, saturation, interpretation) << 8); \
  }
NEGZERO_FP8_PAIR(double2, double, double2, double)
NEGZERO_FP8_PAIR(float2, float, float2, float)
NEGZERO_FP8_PAIR(halfraw2, halfraw, __half2_raw, __half_raw)
NEGZERO_FP8_PAIR(bfloat16raw2, bfloat16raw, __nv_bfloat162_raw, __nv_bfloat16_raw)
#undef NEGZERO_FP8_PAIR
NEGZERO_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                      __nv_fp8_interpretation_t interpretation) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<std::uint8_t>(x), interpretation).x,
          __nv_cvt_fp8_to_halfraw(static_cast<std::uint8_t>(x >> 8), interpretation).x};
}

NEGZERO_INLINE __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturation,
                                                          cudaRoundMode rounding) {
  return round_to_e8m0(x, saturation == __NV_SATFINITE, rounding);
}
NEGZERO_INLINE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturation,
                                                         cudaRoundMode rounding) {
  return round_to_e8m0(static_cast<double>(x), saturation == __NV_SATFINITE, rounding);
}
NEGZERO_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                               cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__nv_bfloat16(x), saturation, rounding);
}
NEGZERO_INLINE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return {static_cast<unsigned short>(x == 0xff ? kSmallCanonicalNan : x == 0 ? 0x0040 : x << 7)};
}

#define NEGZERO_E8M0_PAIR(pair, single, type, raw)                                                              \
  NEGZERO_INLINE __nv_fp8x2_storage_t __nv_cvt_##pair##_to_e8m0x2(type x, __nv_saturation_t saturation,         \
                                                                  cudaRoundMode rounding) {                     \
    return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_##single##_to_e8m0(raw{x.x}, saturation, rounding) |      \
                                             __nv_cvt_##single##_to_e8m0(raw{x.y}, saturation, rounding) << 8); \
  }
NEGZERO_E8M0_PAIR(double2, double, double2, double)
NEGZERO_E8M0_PAIR(float2, float, float2, float)
NEGZERO_E8M0_PAIR(bfloat162raw, bfloat16raw, __nv_bfloat162_raw, __nv_bfloat16_raw)
#undef NEGZERO_E8M0_PAIR
NEGZERO_INLINE __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  return {__nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)).x,
          __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x >> 8)).x};
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

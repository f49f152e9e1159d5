// CUDA's __half and __nv_bfloat16 on the host: names, conversions and bits.

#pragma once

#include <type_traits>

#include <negzero/cuda/float.hpp>
#include <negzero/cuda/small_float.hpp>
#include <negzero/cuda/threads.hpp>
#include <negzero/cuda/types.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

using __half = SmallFloat<HalfLayout>;
using __nv_bfloat16 = SmallFloat<Bfloat16Layout>;
using __half2 = SmallFloat2<HalfLayout>;
using __nv_bfloat162 = SmallFloat2<Bfloat16Layout>;
using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
static_assert(sizeof(__half) == 2 && std::is_trivial_v<__half> && sizeof(__half2) == 4);

NEGZERO_INLINE float __half2float(__half x) { return x; }
NEGZERO_INLINE float __bfloat162float(__nv_bfloat16 x) { return x; }
NEGZERO_INLINE __half __float2half(float x) { return x; }
NEGZERO_INLINE __half __double2half(double x) { return x; }
NEGZERO_INLINE __nv_bfloat16 __float2bfloat16(float x) { return x; }
NEGZERO_INLINE __nv_bfloat16 __double2bfloat16(double x) { return x; }

#define NEGZERO_SMALL_CONVERSIONS(suffix, direction)                                          \
  NEGZERO_INLINE __half __float2half_##suffix(float x) {                                      \
    return __half::from_bits(round_to_small<HalfLayout>(x, Direction::direction));            \
  }                                                                                           \
  NEGZERO_INLINE __nv_bfloat16 __float2bfloat16_##suffix(float x) {                           \
    return __nv_bfloat16::from_bits(round_to_small<Bfloat16Layout>(x, Direction::direction)); \
  }                                                                                           \
  NEGZERO_INLINE __half __int2half_##suffix(int x) {                                          \
    return __half::from_bits(round_to_small<HalfLayout>(x, Direction::direction));            \
  }                                                                                           \
  NEGZERO_INLINE __nv_bfloat16 __int2bfloat16_##suffix(int x) {                               \
    return __nv_bfloat16::from_bits(round_to_small<Bfloat16Layout>(x, Direction::direction)); \
  }                                                                                           \
  NEGZERO_INLINE int __half2int_##suffix(__half x) {                                          \
    return to_integer<int>(static_cast<float>(x), Direction::direction);                      \
  }                                                                                           \
  NEGZERO_INLINE int __bfloat162int_##suffix(__nv_bfloat16 x) {                               \
    return to_integer<int>(static_cast<float>(x), Direction::direction);                      \
  }
NEGZERO_SMALL_CONVERSIONS(rn, Nearest)
NEGZERO_SMALL_CONVERSIONS(rz, TowardZero)
NEGZERO_SMALL_CONVERSIONS(rd, Down)
NEGZERO_SMALL_CONVERSIONS(ru, Up)
#undef NEGZERO_SMALL_CONVERSIONS

NEGZERO_INLINE unsigned short __half_as_ushort(__half x) { return x.bits(); }
NEGZERO_INLINE short __half_as_short(__half x) { return static_cast<short>(x.bits()); }
NEGZERO_INLINE __half __ushort_as_half(unsigned short x) { return __half::from_bits(x); }
NEGZERO_INLINE __half __short_as_half(short x) { return __half::from_bits(static_cast<unsigned short>(x)); }
NEGZERO_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits(); }
NEGZERO_INLINE short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.bits()); }
NEGZERO_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16::from_bits(x); }
NEGZERO_INLINE __nv_bfloat16 __short_as_bfloat16(short x) {
  return __nv_bfloat16::from_bits(static_cast<unsigned short>(x));
}

NEGZERO_INLINE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
NEGZERO_INLINE __half2 __half2half2(__half x) { return {x, x}; }
NEGZERO_INLINE __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
NEGZERO_INLINE __half2 __float2half2_rn(float x) { return {x, x}; }
NEGZERO_INLINE __half2 __float22half2_rn(float2 v) { return {v.x, v.y}; }
NEGZERO_INLINE float2 __half22float2(__half2 v) { return {v.x, v.y}; }
NEGZERO_INLINE __half __low2half(__half2 v) { return v.x; }
NEGZERO_INLINE __half __high2half(__half2 v) { return v.y; }
NEGZERO_INLINE float __low2float(__half2 v) { return v.x; }
NEGZERO_INLINE float __high2float(__half2 v) { return v.y; }
NEGZERO_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
NEGZERO_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
NEGZERO_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
NEGZERO_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return {v.x, v.y}; }
NEGZERO_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
NEGZERO_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

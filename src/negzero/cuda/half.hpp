// CUDA's __half and __nv_bfloat16 on the host: names, conversions and bits. half_math.hpp has functions of them.

#pragma once

#include <type_traits>

#include <negzero/cuda/float.hpp>
#include <negzero/cuda/small_float.hpp>
#include <negzero/cuda/small_float2.hpp>
#include <negzero/cuda/threads.hpp>
#include <negzero/cuda/types.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

using __half = SmallFloat<HalfLayout>;
using __nv_bfloat16 = SmallFloat<Bfloat16Layout>;
using __half2 = SmallFloat2<HalfLayout>;
using __nv_bfloat162 = SmallFloat2<Bfloat16Layout>;
using __half_raw = SmallRaw<HalfLayout>;
using __half2_raw = SmallRaw2<HalfLayout>;
using __nv_bfloat16_raw = SmallRaw<Bfloat16Layout>;
using __nv_bfloat162_raw = SmallRaw2<Bfloat16Layout>;
using half = __half;
using half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using __nv_half2_raw = __half2_raw;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
static_assert(sizeof(__half) == 2 && std::is_trivial_v<__half> && sizeof(__half2) == 4);

NEGZERO_INLINE float __half2float(__half x) { return x; }
NEGZERO_INLINE float __bfloat162float(__nv_bfloat16 x) { return x; }
NEGZERO_INLINE __half __float2half(float x) { return x; }
NEGZERO_INLINE __half __double2half(double x) { return x; }
NEGZERO_INLINE __nv_bfloat16 __float2bfloat16(float x) { return x; }
NEGZERO_INLINE __nv_bfloat16 __double2bfloat16(double x) { return x; }

// Integers become a double first: exact, or rounded to odd, so that all are rounded once.
#define NEGZERO_SMALL_CONVERSIONS(small, Small, Layout, type, name, suffix, direction)                                \
  NEGZERO_INLINE Small __##name##2##small##_##suffix(type x) {                                                        \
    using Widest = std::conditional_t<std::is_signed_v<type>, long long, unsigned long long>;                         \
    return Small::from_bits(round_to_small<Layout>(integer_to_double(static_cast<Widest>(x)), Direction::direction)); \
  }                                                                                                                   \
  NEGZERO_INLINE type __##small##2##name##_##suffix(Small x) {                                                        \
    return to_integer<type>(static_cast<float>(x), Direction::direction);                                             \
  }
#define NEGZERO_SMALL_DIRECTION(small, Small, Layout, suffix, direction)                     \
  NEGZERO_INLINE Small __float2##small##_##suffix(float x) {                                 \
    return Small::from_bits(round_to_small<Layout>(x, Direction::direction));                \
  }                                                                                          \
  NEGZERO_SMALL_CONVERSIONS(small, Small, Layout, int, int, suffix, direction)               \
  NEGZERO_SMALL_CONVERSIONS(small, Small, Layout, unsigned, uint, suffix, direction)         \
  NEGZERO_SMALL_CONVERSIONS(small, Small, Layout, short, short, suffix, direction)           \
  NEGZERO_SMALL_CONVERSIONS(small, Small, Layout, unsigned short, ushort, suffix, direction) \
  NEGZERO_SMALL_CONVERSIONS(small, Small, Layout, long long, ll, suffix, direction)          \
  NEGZERO_SMALL_CONVERSIONS(small, Small, Layout, unsigned long long, ull, suffix, direction)
// Bits, and two of them in one, under the names of one format.
#define NEGZERO_SMALL_FORMAT(small, pair, Small, Pair, Layout)                                \
  NEGZERO_SMALL_DIRECTION(small, Small, Layout, rn, Nearest)                                  \
  NEGZERO_SMALL_DIRECTION(small, Small, Layout, rz, TowardZero)                               \
  NEGZERO_SMALL_DIRECTION(small, Small, Layout, rd, Down)                                     \
  NEGZERO_SMALL_DIRECTION(small, Small, Layout, ru, Up)                                       \
  NEGZERO_INLINE signed char __##small##2char_rz(Small x) {                                   \
    return to_integer<signed char>(static_cast<float>(x), Direction::TowardZero);             \
  }                                                                                           \
  NEGZERO_INLINE unsigned char __##small##2uchar_rz(Small x) {                                \
    return to_integer<unsigned char>(static_cast<float>(x), Direction::TowardZero);           \
  }                                                                                           \
  NEGZERO_INLINE Pair make_##pair(Small x, Small y) { return {x, y}; }                        \
  NEGZERO_INLINE Pair __##small##2##pair(Small x) { return {x, x}; }                          \
  NEGZERO_INLINE Pair __halves2##pair(Small x, Small y) { return {x, y}; }                    \
  NEGZERO_INLINE Pair __floats2##pair##_rn(float x, float y) { return {Small(x), Small(y)}; } \
  NEGZERO_INLINE Pair __float2##pair##_rn(float x) { return {Small(x), Small(x)}; }           \
  NEGZERO_INLINE Pair __float22##pair##_rn(float2 v) { return {Small(v.x), Small(v.y)}; }     \
  NEGZERO_INLINE float2 __##pair##2float2(Pair v) { return make_float2(v.x, v.y); }           \
  NEGZERO_INLINE float __low2float(Pair v) { return v.x; }                                    \
  NEGZERO_INLINE float __high2float(Pair v) { return v.y; }                                   \
  NEGZERO_INLINE Small __low2##small(Pair v) { return v.x; }                                  \
  NEGZERO_INLINE Small __high2##small(Pair v) { return v.y; }                                 \
  NEGZERO_INLINE Pair __low2##pair(Pair v) { return {v.x, v.x}; }                             \
  NEGZERO_INLINE Pair __high2##pair(Pair v) { return {v.y, v.y}; }                            \
  NEGZERO_INLINE Pair __lows2##pair(Pair a, Pair b) { return {a.x, b.x}; }                    \
  NEGZERO_INLINE Pair __highs2##pair(Pair a, Pair b) { return {a.y, b.y}; }                   \
  NEGZERO_INLINE Pair __lowhigh2highlow(Pair v) { return {v.y, v.x}; }                        \
  NEGZERO_INLINE unsigned short __##small##_as_ushort(Small x) { return x.bits(); }           \
  NEGZERO_INLINE short __##small##_as_short(Small x) { return static_cast<short>(x.bits()); } \
  NEGZERO_INLINE Small __ushort_as_##small(unsigned short x) { return Small::from_bits(x); }  \
  NEGZERO_INLINE Small __short_as_##small(short x) { return Small::from_bits(static_cast<unsigned short>(x)); }
NEGZERO_SMALL_FORMAT(half, half2, __half, __half2, HalfLayout)
NEGZERO_SMALL_FORMAT(bfloat16, bfloat162, __nv_bfloat16, __nv_bfloat162, Bfloat16Layout)
#undef NEGZERO_SMALL_FORMAT
#undef NEGZERO_SMALL_DIRECTION
#undef NEGZERO_SMALL_CONVERSIONS

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

// Macros in CUDA's headers too.
#define CUDART_INF_FP16 __ushort_as_half(0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00u)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80u)

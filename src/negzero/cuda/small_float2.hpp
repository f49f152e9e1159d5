// Two 16-bit floats in 32 bits: what __half2 and __nv_bfloat162 are on the host. Every function works on each element
// as the one of small_float.hpp does.

#pragma once

#include <type_traits>

#include <negzero/cuda/small_float.hpp>
#include <negzero/cuda/types.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// __half2_raw and __nv_bfloat162_raw.
template <typename Layout>
struct alignas(4) SmallRaw2 {
  unsigned short x, y;
};

template <typename Layout>
struct alignas(4) SmallFloat2 {
  using Small = SmallFloat<Layout>;

  Small x;
  Small y;
  NEGZERO_CHECKED_COPY

  SmallFloat2() = default;
  NEGZERO_INLINE constexpr SmallFloat2(const Small& x_, const Small& y_) : x(x_), y(y_) {}
  NEGZERO_INLINE SmallFloat2(const SmallRaw2<Layout>& raw) : x(Small::from_bits(raw.x)), y(Small::from_bits(raw.y)) {}
  NEGZERO_INLINE operator SmallRaw2<Layout>() const { return {x.bits(), y.bits()}; }

#define NEGZERO_PAIR1(name, each) \
  friend NEGZERO_INLINE SmallFloat2 name(SmallFloat2 a) { return {each(a.x), each(a.y)}; }
#define NEGZERO_PAIR2(name, each) \
  friend NEGZERO_INLINE SmallFloat2 name(SmallFloat2 a, SmallFloat2 b) { return {each(a.x, b.x), each(a.y, b.y)}; }
#define NEGZERO_PAIR3(name, each)                                                       \
  friend NEGZERO_INLINE SmallFloat2 name(SmallFloat2 a, SmallFloat2 b, SmallFloat2 c) { \
    return {each(a.x, b.x, c.x), each(a.y, b.y, c.y)};                                  \
  }
  NEGZERO_PAIR1(__hneg2, __hneg)
  NEGZERO_PAIR1(__habs2, __habs)
  NEGZERO_PAIR2(__hadd2, __hadd)
  NEGZERO_PAIR2(__hsub2, __hsub)
  NEGZERO_PAIR2(__hmul2, __hmul)
  NEGZERO_PAIR2(__h2div, __hdiv)
  NEGZERO_PAIR2(__hadd2_rn, __hadd)
  NEGZERO_PAIR2(__hsub2_rn, __hsub)
  NEGZERO_PAIR2(__hmul2_rn, __hmul)
  NEGZERO_PAIR2(__hadd2_sat, __hadd_sat)
  NEGZERO_PAIR2(__hsub2_sat, __hsub_sat)
  NEGZERO_PAIR2(__hmul2_sat, __hmul_sat)
  NEGZERO_PAIR2(__hmax2, __hmax)
  NEGZERO_PAIR2(__hmin2, __hmin)
  NEGZERO_PAIR2(__hmax2_nan, __hmax_nan)
  NEGZERO_PAIR2(__hmin2_nan, __hmin_nan)
  NEGZERO_PAIR3(__hfma2, __hfma)
  NEGZERO_PAIR3(__hfma2_sat, __hfma_sat)
  NEGZERO_PAIR3(__hfma2_relu, __hfma_relu)
#undef NEGZERO_PAIR1
#undef NEGZERO_PAIR2
#undef NEGZERO_PAIR3

  /// The complex a * b + c, x the real part: two roundings a part.
  friend NEGZERO_INLINE SmallFloat2 __hcmadd(SmallFloat2 a, SmallFloat2 b, SmallFloat2 c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
  }

  // Comparisons three times: 1 or 0 in each element, 0xffff or 0 in each half of a word, and whether both hold. The
  // forms with u hold where unordered.
#define NEGZERO_PAIR_COMPARISON(name)                                                            \
  friend NEGZERO_INLINE SmallFloat2 __h##name##2(SmallFloat2 a, SmallFloat2 b) {                 \
    return {Small(__h##name(a.x, b.x) ? 1.0f : 0.0f), Small(__h##name(a.y, b.y) ? 1.0f : 0.0f)}; \
  }                                                                                              \
  friend NEGZERO_INLINE unsigned __h##name##2_mask(SmallFloat2 a, SmallFloat2 b) {               \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);      \
  }                                                                                              \
  friend NEGZERO_INLINE bool __hb##name##2(SmallFloat2 a, SmallFloat2 b) {                       \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                           \
  }
  NEGZERO_PAIR_COMPARISON(eq)
  NEGZERO_PAIR_COMPARISON(ne)
  NEGZERO_PAIR_COMPARISON(lt)
  NEGZERO_PAIR_COMPARISON(le)
  NEGZERO_PAIR_COMPARISON(gt)
  NEGZERO_PAIR_COMPARISON(ge)
  NEGZERO_PAIR_COMPARISON(equ)
  NEGZERO_PAIR_COMPARISON(neu)
  NEGZERO_PAIR_COMPARISON(ltu)
  NEGZERO_PAIR_COMPARISON(leu)
  NEGZERO_PAIR_COMPARISON(gtu)
  NEGZERO_PAIR_COMPARISON(geu)
#undef NEGZERO_PAIR_COMPARISON
  friend NEGZERO_INLINE SmallFloat2 __hisnan2(SmallFloat2 a) {
    return {Small(__hisnan(a.x) ? 1.0f : 0.0f), Small(__hisnan(a.y) ? 1.0f : 0.0f)};
  }

#define NEGZERO_PAIR_OPERATOR(op, function)                                                                           \
  friend NEGZERO_INLINE SmallFloat2 operator op(SmallFloat2 a, SmallFloat2 b) requires(Layout::kPairOperators) {      \
    return function(a, b);                                                                                            \
  }                                                                                                                   \
  friend NEGZERO_INLINE SmallFloat2& operator op##=(SmallFloat2& a, SmallFloat2 b) requires(Layout::kPairOperators) { \
    return a = function(a, b);                                                                                        \
  }
  NEGZERO_PAIR_OPERATOR(+, __hadd2)
  NEGZERO_PAIR_OPERATOR(-, __hsub2)
  NEGZERO_PAIR_OPERATOR(*, __hmul2)
  NEGZERO_PAIR_OPERATOR(/, __h2div)
#undef NEGZERO_PAIR_OPERATOR
  friend NEGZERO_INLINE SmallFloat2 operator+(SmallFloat2 a) requires(Layout::kPairOperators) { return a; }
  friend NEGZERO_INLINE SmallFloat2 operator-(SmallFloat2 a) requires(Layout::kPairOperators) { return __hneg2(a); }
  friend NEGZERO_INLINE SmallFloat2& operator++(SmallFloat2& a) requires(Layout::kPairOperators) {
    return a = __hadd2(a, one());
  }
  friend NEGZERO_INLINE SmallFloat2& operator--(SmallFloat2& a) requires(Layout::kPairOperators) {
    return a = __hsub2(a, one());
  }
  friend NEGZERO_INLINE SmallFloat2 operator++(SmallFloat2& a, int) requires(Layout::kPairOperators) {
    const SmallFloat2 old = a;
    a = __hadd2(a, one());
    return old;
  }
  friend NEGZERO_INLINE SmallFloat2 operator--(SmallFloat2& a, int) requires(Layout::kPairOperators) {
    const SmallFloat2 old = a;
    a = __hsub2(a, one());
    return old;
  }
#define NEGZERO_PAIR_OPERATOR(op, function)                                                               \
  friend NEGZERO_INLINE bool operator op(SmallFloat2 a, SmallFloat2 b) requires(Layout::kPairOperators) { \
    return function(a, b);                                                                                \
  }
  NEGZERO_PAIR_OPERATOR(==, __hbeq2)
  NEGZERO_PAIR_OPERATOR(!=, __hbneu2)
  NEGZERO_PAIR_OPERATOR(<, __hblt2)
  NEGZERO_PAIR_OPERATOR(<=, __hble2)
  NEGZERO_PAIR_OPERATOR(>, __hbgt2)
  NEGZERO_PAIR_OPERATOR(>=, __hbge2)
#undef NEGZERO_PAIR_OPERATOR

 private:
  static NEGZERO_INLINE SmallFloat2 one() { return {Small(1.0f), Small(1.0f)}; }
};

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

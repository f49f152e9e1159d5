// The types of one, two and four 8-bit floats on the host: __nv_fp8_e4m3, __nv_fp8x2_e5m2 ... (cuda_fp8.h).

#pragma once

#include <type_traits>

#include <negzero/cuda/fp8.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

using global::__half;
using global::__half2;
using global::__nv_bfloat16;
using global::__nv_bfloat162;

/// One of them. All conversions are explicit, as in CUDA; those to it saturate to the largest finite number.
template <typename Layout>
struct alignas(1) Fp8 {
  __nv_fp8_storage_t __x;

  Fp8() = default;
  NEGZERO_INLINE explicit Fp8(float x) : __x(global::__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kInterpretation)) {}
  NEGZERO_INLINE explicit Fp8(double x) : __x(round_to_fp8<Layout>(x, true)) {}
  NEGZERO_INLINE explicit Fp8(__half x) : Fp8(static_cast<float>(x)) {}
  NEGZERO_INLINE explicit Fp8(__nv_bfloat16 x) : Fp8(static_cast<float>(x)) {}
  // A double that is rounded already lies on the same side of every boundary: they have a few bits only.
  template <typename I>
  requires std::is_integral_v<I> NEGZERO_INLINE explicit Fp8(I x) : Fp8(static_cast<double>(x)) {}

  NEGZERO_INLINE explicit operator __half() const { return __half::from_bits(fp8_to_half<Layout>(__x)); }
  NEGZERO_INLINE explicit operator float() const { return static_cast<float>(static_cast<__half>(*this)); }
  NEGZERO_INLINE explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  NEGZERO_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16(static_cast<float>(*this)); }
  /// Toward zero, saturating; a NaN gives 0, or the top bit where the integer has 64 bits.
  template <typename I>
  requires std::is_integral_v<I> &&(!std::is_same_v<I, bool>)NEGZERO_INLINE explicit operator I() const {
    return to_integer<I>(static_cast<float>(*this), Direction::TowardZero);
  }
  NEGZERO_INLINE explicit operator bool() const { return (__x & 0x7f) != 0; }

 private:
  static constexpr __nv_fp8_interpretation_t kInterpretation = Layout::kInterpretation;
};

template <typename Layout>
struct alignas(2) Fp8x2 {
  __nv_fp8x2_storage_t __x;

  Fp8x2() = default;
  NEGZERO_INLINE explicit Fp8x2(float2 v) { set(Fp8<Layout>(v.x), Fp8<Layout>(v.y)); }
  NEGZERO_INLINE explicit Fp8x2(double2 v) { set(Fp8<Layout>(v.x), Fp8<Layout>(v.y)); }
  NEGZERO_INLINE explicit Fp8x2(__half2 v) { set(Fp8<Layout>(v.x), Fp8<Layout>(v.y)); }
  NEGZERO_INLINE explicit Fp8x2(__nv_bfloat162 v) { set(Fp8<Layout>(v.x), Fp8<Layout>(v.y)); }
  NEGZERO_INLINE explicit operator __half2() const { return global::make_half2(__half(at(0)), __half(at(1))); }
  NEGZERO_INLINE explicit operator float2() const { return make_float2(float(at(0)), float(at(1))); }

 private:
  NEGZERO_INLINE void set(Fp8<Layout> x, Fp8<Layout> y) { __x = static_cast<__nv_fp8x2_storage_t>(x.__x | y.__x << 8); }
  NEGZERO_INLINE Fp8<Layout> at(int i) const {
    Fp8<Layout> result;
    result.__x = static_cast<__nv_fp8_storage_t>(__x >> (8 * i));
    return result;
  }
};

template <typename Layout>
struct alignas(4) Fp8x4 {
  __nv_fp8x4_storage_t __x;

  Fp8x4() = default;
  NEGZERO_INLINE explicit Fp8x4(float4 v) {
    set(Fp8x2<Layout>(make_float2(v.x, v.y)), Fp8x2<Layout>(make_float2(v.z, v.w)));
  }
  NEGZERO_INLINE explicit Fp8x4(double4 v) {
    set(Fp8x2<Layout>(make_double2(v.x, v.y)), Fp8x2<Layout>(make_double2(v.z, v.w)));
  }
  NEGZERO_INLINE explicit Fp8x4(__half2 low, __half2 high) { set(Fp8x2<Layout>(low), Fp8x2<Layout>(high)); }
  NEGZERO_INLINE explicit Fp8x4(__nv_bfloat162 low, __nv_bfloat162 high) {
    set(Fp8x2<Layout>(low), Fp8x2<Layout>(high));
  }
  NEGZERO_INLINE explicit operator float4() const {
    Fp8x2<Layout> low, high;
    low.__x = static_cast<__nv_fp8x2_storage_t>(__x);
    high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);
    const auto a = static_cast<float2>(low);
    const auto b = static_cast<float2>(high);
    return make_float4(a.x, a.y, b.x, b.y);
  }

 private:
  NEGZERO_INLINE void set(Fp8x2<Layout> low, Fp8x2<Layout> high) {
    __x = low.__x | static_cast<__nv_fp8x4_storage_t>(high.__x) << 16;
  }
};

/// A power of two between 2^-127 and 2^127, or NaN. Constructors round up, as CUDA's.
struct alignas(1) Fp8Exponent {
  __nv_fp8_storage_t __x;

  Fp8Exponent() = default;
  NEGZERO_INLINE explicit Fp8Exponent(float x) : Fp8Exponent(static_cast<double>(x)) {}
  NEGZERO_INLINE explicit Fp8Exponent(double x) : __x(round_to_e8m0(x, true, cudaRoundPosInf)) {}
  NEGZERO_INLINE explicit Fp8Exponent(__half x) : Fp8Exponent(static_cast<float>(x)) {}
  NEGZERO_INLINE explicit Fp8Exponent(__nv_bfloat16 x) : Fp8Exponent(static_cast<float>(x)) {}
  NEGZERO_INLINE explicit operator __nv_bfloat16() const { return global::__nv_cvt_e8m0_to_bf16raw(__x); }
  NEGZERO_INLINE explicit operator float() const { return static_cast<__nv_bfloat16>(*this); }
  NEGZERO_INLINE explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
};

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

using __nv_fp8_e4m3 = Fp8<E4m3Layout>;
using __nv_fp8_e5m2 = Fp8<E5m2Layout>;
using __nv_fp8x2_e4m3 = Fp8x2<E4m3Layout>;
using __nv_fp8x2_e5m2 = Fp8x2<E5m2Layout>;
using __nv_fp8x4_e4m3 = Fp8x4<E4m3Layout>;
using __nv_fp8x4_e5m2 = Fp8x4<E5m2Layout>;
using __nv_fp8_e8m0 = Fp8Exponent;
static_assert(std::is_trivial_v<__nv_fp8_e4m3> && sizeof(__nv_fp8_e4m3) == 1 && sizeof(__nv_fp8x4_e5m2) == 4);

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

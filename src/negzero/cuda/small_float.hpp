// A 16-bit float that rounds the exact result of every operation once: what __half and __nv_bfloat16 are on the host.

#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/small_rounding.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// __half_raw and __nv_bfloat16_raw: the encoding alone.
template <typename Layout>
struct alignas(2) SmallRaw {
  unsigned short x;
};

/// __half or __nv_bfloat16. Trivial, as in CUDA, so that it can lie in shared memory.
///
/// The functions are friends and not templates, so that a second operand converts implicitly, as in CUDA.
template <typename Layout>
class SmallFloat {
 public:
  SmallFloat() = default;
  NEGZERO_INLINE SmallFloat(float x) : word_(round_to_small<Layout>(x, Direction::Nearest)) {}
  NEGZERO_INLINE SmallFloat(double x) : word_(round_to_small<Layout>(x, Direction::Nearest)) {}
  template <typename I>
  requires std::is_integral_v<I> NEGZERO_INLINE SmallFloat(I x)
      : SmallFloat(
            integer_to_double(static_cast<std::conditional_t<std::is_signed_v<I>, long long, unsigned long long>>(x))) {
  }
  NEGZERO_INLINE SmallFloat(SmallRaw<Layout> raw) : word_(raw.x) {}
  template <typename Other>
  NEGZERO_INLINE explicit SmallFloat(SmallFloat<Other> x) : SmallFloat(static_cast<float>(x)) {}
  NEGZERO_INLINE operator SmallRaw<Layout>() const { return {word_}; }
  NEGZERO_INLINE operator float() const { return small_to_float<Layout>(word_); }
  /// Toward zero, saturating; a NaN gives 0, or the top bit where the integer has 64 bits. Every integer is one
  /// function, as in CUDA: then `double d = h` still goes by way of float.
  template <typename I>
  requires std::is_integral_v<I> &&(!std::is_same_v<I, bool>)NEGZERO_INLINE operator I() const {
    return to_integer<I>(value(), Direction::TowardZero);
  }
  /// False for zeros of either sign alone.
  NEGZERO_INLINE operator bool() const { return (word_ & 0x7fff) != 0; }

  [[nodiscard]] static NEGZERO_INLINE SmallFloat from_bits(std::uint16_t word) {
    SmallFloat result;
    result.word_ = word;
    return result;
  }
  [[nodiscard]] NEGZERO_INLINE std::uint16_t bits() const { return word_; }

  friend NEGZERO_INLINE SmallFloat __hadd(SmallFloat a, SmallFloat b) {
    return rounded(add_to_odd(a.exact(), b.exact()));
  }
  friend NEGZERO_INLINE SmallFloat __hsub(SmallFloat a, SmallFloat b) {
    return rounded(add_to_odd(a.exact(), -b.exact()));
  }
  friend NEGZERO_INLINE SmallFloat __hmul(SmallFloat a, SmallFloat b) { return rounded(a.exact() * b.exact()); }
  // 53 >= 2 p + 2: rounding the quotient to double first changes nothing (Figueroa, 1995).
  friend NEGZERO_INLINE SmallFloat __hdiv(SmallFloat a, SmallFloat b) { return rounded(a.exact() / b.exact()); }
  friend NEGZERO_INLINE SmallFloat __hfma(SmallFloat a, SmallFloat b, SmallFloat c) {
    return rounded(add_to_odd(a.exact() * b.exact(), c.exact()));
  }
  friend NEGZERO_INLINE SmallFloat __hadd_rn(SmallFloat a, SmallFloat b) { return __hadd(a, b); }
  friend NEGZERO_INLINE SmallFloat __hsub_rn(SmallFloat a, SmallFloat b) { return __hsub(a, b); }
  friend NEGZERO_INLINE SmallFloat __hmul_rn(SmallFloat a, SmallFloat b) { return __hmul(a, b); }
  /// Clamped to [+0, 1]; a NaN gives +0.
  friend NEGZERO_INLINE SmallFloat __hadd_sat(SmallFloat a, SmallFloat b) { return saturated(__hadd(a, b)); }
  friend NEGZERO_INLINE SmallFloat __hsub_sat(SmallFloat a, SmallFloat b) { return saturated(__hsub(a, b)); }
  friend NEGZERO_INLINE SmallFloat __hmul_sat(SmallFloat a, SmallFloat b) { return saturated(__hmul(a, b)); }
  friend NEGZERO_INLINE SmallFloat __hfma_sat(SmallFloat a, SmallFloat b, SmallFloat c) {
    return saturated(__hfma(a, b, c));
  }
  /// +0 for what is below it; a NaN stays one.
  friend NEGZERO_INLINE SmallFloat __hfma_relu(SmallFloat a, SmallFloat b, SmallFloat c) {
    return __hmax_nan(__hfma(a, b, c), from_bits(0));
  }
  /// These two answer every NaN with 0x7fff as well (seen on an H100).
  friend NEGZERO_INLINE SmallFloat __hneg(SmallFloat a) {
    return from_bits(a.is_nan() ? kSmallCanonicalNan : static_cast<std::uint16_t>(a.word_ ^ 0x8000));
  }
  friend NEGZERO_INLINE SmallFloat __habs(SmallFloat a) {
    return from_bits(a.is_nan() ? kSmallCanonicalNan : static_cast<std::uint16_t>(a.word_ & 0x7fff));
  }

  friend NEGZERO_INLINE bool __hisnan(SmallFloat a) { return a.is_nan(); }
  /// 1 for +Inf, -1 for -Inf, else 0.
  friend NEGZERO_INLINE int __hisinf(SmallFloat a) {
    return (a.word_ & 0x7fff) != kInfinity ? 0 : a.word_ >> 15 != 0 ? -1 : 1;
  }
  /// The operand that is a number wins, -0 < +0, two NaNs give 0x7fff; the _nan forms answer any NaN with 0x7fff.
  friend NEGZERO_INLINE SmallFloat __hmax(SmallFloat a, SmallFloat b) {
    return rounded(maximum_number(a.exact(), b.exact()));
  }
  friend NEGZERO_INLINE SmallFloat __hmin(SmallFloat a, SmallFloat b) {
    return rounded(minimum_number(a.exact(), b.exact()));
  }
  friend NEGZERO_INLINE SmallFloat __hmax_nan(SmallFloat a, SmallFloat b) {
    return a.is_nan() || b.is_nan() ? from_bits(kSmallCanonicalNan) : __hmax(a, b);
  }
  friend NEGZERO_INLINE SmallFloat __hmin_nan(SmallFloat a, SmallFloat b) {
    return a.is_nan() || b.is_nan() ? from_bits(kSmallCanonicalNan) : __hmin(a, b);
  }

  // The u forms are true when unordered, the others false; __hne is ordered, operator!= is not (as in CUDA).
  friend NEGZERO_INLINE bool __heq(SmallFloat a, SmallFloat b) { return a.value() == b.value(); }
  friend NEGZERO_INLINE bool __hne(SmallFloat a, SmallFloat b) {
    return a.value() < b.value() || a.value() > b.value();
  }
  friend NEGZERO_INLINE bool __hlt(SmallFloat a, SmallFloat b) { return a.value() < b.value(); }
  friend NEGZERO_INLINE bool __hle(SmallFloat a, SmallFloat b) { return a.value() <= b.value(); }
  friend NEGZERO_INLINE bool __hgt(SmallFloat a, SmallFloat b) { return a.value() > b.value(); }
  friend NEGZERO_INLINE bool __hge(SmallFloat a, SmallFloat b) { return a.value() >= b.value(); }
  friend NEGZERO_INLINE bool __hequ(SmallFloat a, SmallFloat b) { return !__hne(a, b); }
  friend NEGZERO_INLINE bool __hneu(SmallFloat a, SmallFloat b) { return !__heq(a, b); }
  friend NEGZERO_INLINE bool __hltu(SmallFloat a, SmallFloat b) { return !__hge(a, b); }
  friend NEGZERO_INLINE bool __hleu(SmallFloat a, SmallFloat b) { return !__hgt(a, b); }
  friend NEGZERO_INLINE bool __hgtu(SmallFloat a, SmallFloat b) { return !__hle(a, b); }
  friend NEGZERO_INLINE bool __hgeu(SmallFloat a, SmallFloat b) { return !__hlt(a, b); }

  friend NEGZERO_INLINE SmallFloat operator+(SmallFloat a, SmallFloat b) requires(Layout::kOperators) {
    return __hadd(a, b);
  }
  friend NEGZERO_INLINE SmallFloat operator-(SmallFloat a, SmallFloat b) requires(Layout::kOperators) {
    return __hsub(a, b);
  }
  friend NEGZERO_INLINE SmallFloat operator*(SmallFloat a, SmallFloat b) requires(Layout::kOperators) {
    return __hmul(a, b);
  }
  friend NEGZERO_INLINE SmallFloat operator/(SmallFloat a, SmallFloat b) requires(Layout::kOperators) {
    return __hdiv(a, b);
  }
  friend NEGZERO_INLINE SmallFloat operator+(SmallFloat a) requires(Layout::kOperators) { return a; }
  friend NEGZERO_INLINE SmallFloat operator-(SmallFloat a) requires(Layout::kOperators) { return __hneg(a); }
  friend NEGZERO_INLINE SmallFloat& operator+=(SmallFloat& a, SmallFloat b) requires(Layout::kOperators) {
    return a = a + b;
  }
  friend NEGZERO_INLINE SmallFloat& operator-=(SmallFloat& a, SmallFloat b) requires(Layout::kOperators) {
    return a = a - b;
  }
  friend NEGZERO_INLINE SmallFloat& operator*=(SmallFloat& a, SmallFloat b) requires(Layout::kOperators) {
    return a = a * b;
  }
  friend NEGZERO_INLINE SmallFloat& operator/=(SmallFloat& a, SmallFloat b) requires(Layout::kOperators) {
    return a = a / b;
  }
  friend NEGZERO_INLINE SmallFloat& operator++(SmallFloat& a) requires(Layout::kOperators) {
    return a = a + SmallFloat(1.0f);
  }
  friend NEGZERO_INLINE SmallFloat& operator--(SmallFloat& a) requires(Layout::kOperators) {
    return a = a - SmallFloat(1.0f);
  }
  friend NEGZERO_INLINE SmallFloat operator++(SmallFloat& a, int) requires(Layout::kOperators) {
    const SmallFloat old = a;
    ++a;
    return old;
  }
  friend NEGZERO_INLINE SmallFloat operator--(SmallFloat& a, int) requires(Layout::kOperators) {
    const SmallFloat old = a;
    --a;
    return old;
  }
  friend NEGZERO_INLINE bool operator==(SmallFloat a, SmallFloat b) requires(Layout::kOperators) { return __heq(a, b); }
  friend NEGZERO_INLINE bool operator!=(SmallFloat a, SmallFloat b) requires(Layout::kOperators) {
    return __hneu(a, b);
  }
  friend NEGZERO_INLINE bool operator<(SmallFloat a, SmallFloat b) requires(Layout::kOperators) { return __hlt(a, b); }
  friend NEGZERO_INLINE bool operator<=(SmallFloat a, SmallFloat b) requires(Layout::kOperators) { return __hle(a, b); }
  friend NEGZERO_INLINE bool operator>(SmallFloat a, SmallFloat b) requires(Layout::kOperators) { return __hgt(a, b); }
  friend NEGZERO_INLINE bool operator>=(SmallFloat a, SmallFloat b) requires(Layout::kOperators) { return __hge(a, b); }

 private:
  static constexpr std::uint16_t kInfinity =
      static_cast<std::uint16_t>(((1u << Layout::kExponent) - 1) << Layout::kFraction);

  [[nodiscard]] static NEGZERO_INLINE SmallFloat rounded(double x) {
    return from_bits(round_to_small<Layout>(x, Direction::Nearest));
  }
  [[nodiscard]] static NEGZERO_INLINE SmallFloat saturated(SmallFloat x) {
    return !(x.value() > 0) ? from_bits(0) : x.value() < 1 ? x : SmallFloat(1.0f);
  }
  [[nodiscard]] NEGZERO_INLINE float value() const { return small_to_float<Layout>(word_); }
  [[nodiscard]] NEGZERO_INLINE double exact() const { return static_cast<double>(value()); }
  [[nodiscard]] NEGZERO_INLINE bool is_nan() const { return (word_ & 0x7fff) > kInfinity; }

  std::uint16_t word_;
};

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

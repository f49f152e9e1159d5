// A 16-bit float that rounds the exact result of every operation once: what __half and __nv_bfloat16 are on the host.
//
// Encodings are rounded here and not by negzero::number because a kernel does it for every element; the tests hold both
// against each other on all 65536 encodings and on the boundaries between them.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/float.hpp>
#include <negzero/cuda/threads.hpp>
#include <negzero/cuda/types.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// Fraction and exponent bits of a 16-bit IEEE-like format.
struct HalfLayout {
  static constexpr int kFraction = 10;
  static constexpr int kExponent = 5;
};
struct Bfloat16Layout {
  static constexpr int kFraction = 7;
  static constexpr int kExponent = 8;
};

inline constexpr std::uint16_t kSmallCanonicalNan = 0x7fff;

/// Rounds a double to a 16-bit format once. NaN gives 0x7fff; overflow gives Inf or the largest finite number, as the
/// direction says (IEEE 754-2019 7.4).
template <typename Layout>
inline std::uint16_t round_to_small(double x, Direction direction) {
  constexpr int kFraction = Layout::kFraction;
  constexpr int kBias = (1 << (Layout::kExponent - 1)) - 1;
  constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << Layout::kExponent) - 1) << kFraction;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  if (exponent == 0x7ff) {
    return fraction != 0 ? kSmallCanonicalNan : static_cast<std::uint16_t>(sign | kInfinity);
  }
  // |x| = significand * 2^(max(exponent, 1) - 1075); the result counts units of 2^(place - kBias - kFraction).
  const std::uint64_t significand = fraction | (exponent != 0 ? std::uint64_t{1} << 52 : 0);
  const int scale = (exponent != 0 ? exponent : 1) - 1023 + kBias;
  const int place = scale < 1 ? 1 : scale;
  int shift = 52 - kFraction + place - scale;
  // 63 shifts everything out and leaves less than half a unit, as any larger shift would.
  if (shift > 63) shift = 63;
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  bool up = false;
  bool to_infinity = true;
  switch (direction) {
    case Direction::Nearest:
      up = rest > half || (rest == half && (kept & 1) != 0);
      break;
    case Direction::TowardZero:
      to_infinity = false;
      break;
    case Direction::Down:
      up = to_infinity = sign != 0;
      break;
    case Direction::Up:
      up = to_infinity = sign == 0;
      break;
  }
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(place - 1) << kFraction) + kept + (up && rest != 0 ? 1 : 0);
  if (magnitude >= kInfinity) return static_cast<std::uint16_t>(sign | (kInfinity - (to_infinity ? 0 : 1)));
  return static_cast<std::uint16_t>(sign | magnitude);
}

/// The exact value of an encoding. A NaN of F16 becomes the canonical one, a NaN of BF16 keeps its bits (both seen on
/// an H200).
template <typename Layout>
NEGZERO_INLINE float small_to_float(std::uint16_t word) {
  if constexpr (std::is_same_v<Layout, Bfloat16Layout>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
  } else {
    const std::uint32_t sign = static_cast<std::uint32_t>(word & 0x8000) << 16;
    const std::uint32_t magnitude = word & 0x7fffu;
    if (magnitude > 0x7c00u) return kCanonicalNan<float>;
    if (magnitude == 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u);
    if (magnitude >= 0x0400u) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
}

/// A double that rounds to any 16-bit format as the integer itself does: exact, or rounded to odd.
NEGZERO_INLINE double integer_to_double(long long x) {
  return add_to_odd(static_cast<double>(x >> 32) * 0x1p32, static_cast<double>(x & 0xffffffffll));
}
NEGZERO_INLINE double integer_to_double(unsigned long long x) {
  return add_to_odd(static_cast<double>(x >> 32) * 0x1p32, static_cast<double>(x & 0xffffffffull));
}

/// __half or __nv_bfloat16. Trivial, as in CUDA, so that it can stand in shared memory.
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
  NEGZERO_INLINE operator float() const { return small_to_float<Layout>(word_); }

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
  friend NEGZERO_INLINE SmallFloat hsqrt(SmallFloat a) { return rounded(std::sqrt(a.exact())); }
  friend NEGZERO_INLINE SmallFloat __hneg(SmallFloat a) {
    return from_bits(static_cast<std::uint16_t>(a.word_ ^ 0x8000));
  }
  friend NEGZERO_INLINE SmallFloat __habs(SmallFloat a) {
    return from_bits(static_cast<std::uint16_t>(a.word_ & 0x7fff));
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

  friend NEGZERO_INLINE SmallFloat operator+(SmallFloat a, SmallFloat b) { return __hadd(a, b); }
  friend NEGZERO_INLINE SmallFloat operator-(SmallFloat a, SmallFloat b) { return __hsub(a, b); }
  friend NEGZERO_INLINE SmallFloat operator*(SmallFloat a, SmallFloat b) { return __hmul(a, b); }
  friend NEGZERO_INLINE SmallFloat operator/(SmallFloat a, SmallFloat b) { return __hdiv(a, b); }
  friend NEGZERO_INLINE SmallFloat operator-(SmallFloat a) { return __hneg(a); }
  friend NEGZERO_INLINE SmallFloat& operator+=(SmallFloat& a, SmallFloat b) { return a = a + b; }
  friend NEGZERO_INLINE SmallFloat& operator-=(SmallFloat& a, SmallFloat b) { return a = a - b; }
  friend NEGZERO_INLINE SmallFloat& operator*=(SmallFloat& a, SmallFloat b) { return a = a * b; }
  friend NEGZERO_INLINE SmallFloat& operator/=(SmallFloat& a, SmallFloat b) { return a = a / b; }
  friend NEGZERO_INLINE bool operator==(SmallFloat a, SmallFloat b) { return __heq(a, b); }
  friend NEGZERO_INLINE bool operator!=(SmallFloat a, SmallFloat b) { return __hneu(a, b); }
  friend NEGZERO_INLINE bool operator<(SmallFloat a, SmallFloat b) { return __hlt(a, b); }
  friend NEGZERO_INLINE bool operator<=(SmallFloat a, SmallFloat b) { return __hle(a, b); }
  friend NEGZERO_INLINE bool operator>(SmallFloat a, SmallFloat b) { return __hgt(a, b); }
  friend NEGZERO_INLINE bool operator>=(SmallFloat a, SmallFloat b) { return __hge(a, b); }

 private:
  static constexpr std::uint16_t kInfinity =
      static_cast<std::uint16_t>(((1u << Layout::kExponent) - 1) << Layout::kFraction);

  [[nodiscard]] static NEGZERO_INLINE SmallFloat rounded(double x) {
    return from_bits(round_to_small<Layout>(x, Direction::Nearest));
  }
  [[nodiscard]] NEGZERO_INLINE float value() const { return small_to_float<Layout>(word_); }
  [[nodiscard]] NEGZERO_INLINE double exact() const { return static_cast<double>(value()); }
  [[nodiscard]] NEGZERO_INLINE bool is_nan() const { return (word_ & 0x7fff) > kInfinity; }

  std::uint16_t word_;
};

/// Two of them in 32 bits.
template <typename Layout>
struct alignas(4) SmallFloat2 {
  SmallFloat<Layout> x;
  SmallFloat<Layout> y;
  NEGZERO_CHECKED_COPY

  friend NEGZERO_INLINE SmallFloat2 __hadd2(SmallFloat2 a, SmallFloat2 b) {
    return {__hadd(a.x, b.x), __hadd(a.y, b.y)};
  }
  friend NEGZERO_INLINE SmallFloat2 __hsub2(SmallFloat2 a, SmallFloat2 b) {
    return {__hsub(a.x, b.x), __hsub(a.y, b.y)};
  }
  friend NEGZERO_INLINE SmallFloat2 __hmul2(SmallFloat2 a, SmallFloat2 b) {
    return {__hmul(a.x, b.x), __hmul(a.y, b.y)};
  }
  friend NEGZERO_INLINE SmallFloat2 __hfma2(SmallFloat2 a, SmallFloat2 b, SmallFloat2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
  }
  friend NEGZERO_INLINE SmallFloat2 __hmax2(SmallFloat2 a, SmallFloat2 b) {
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
  }
  friend NEGZERO_INLINE SmallFloat2 __hmin2(SmallFloat2 a, SmallFloat2 b) {
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
  }
  friend NEGZERO_INLINE SmallFloat2 __hneg2(SmallFloat2 a) { return {__hneg(a.x), __hneg(a.y)}; }
};

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

// Encodings of __half and __nv_bfloat16: rounding to them once, and their exact values.
//
// They are rounded here and not by negzero::number because a kernel does it for every element; the tests hold both
// against each other on all 65536 encodings and on the boundaries between them.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/float.hpp>
#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// Fraction and exponent bits of a 16-bit IEEE-like format.
/// kOperators: nvcc's flags can leave the operators out (__CUDA_NO_HALF_OPERATORS__ ...), and then a file may have its
/// own.
struct HalfLayout {
  static constexpr int kFraction = 10;
  static constexpr int kExponent = 5;
#ifdef __CUDA_NO_HALF_OPERATORS__
  static constexpr bool kOperators = false;
#else
  static constexpr bool kOperators = true;
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
  static constexpr bool kPairOperators = false;
#else
  static constexpr bool kPairOperators = true;
#endif
};
struct Bfloat16Layout {
  static constexpr int kFraction = 7;
  static constexpr int kExponent = 8;
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
  static constexpr bool kOperators = false;
#else
  static constexpr bool kOperators = true;
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
  static constexpr bool kPairOperators = false;
#else
  static constexpr bool kPairOperators = true;
#endif
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

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

// CUDA's functions on two 16-bit or four 8-bit integers in a word, on the host (CUDA Math API 13, "SIMD Intrinsics").

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// The part of `word` at that bit, as a number.
template <typename Part>
NEGZERO_INLINE int part_at(unsigned word, int bit) {
  return static_cast<int>(static_cast<Part>(word >> bit));
}

/// Each part is the low bits of function(part of a, part of b).
template <typename Part, typename Function>
NEGZERO_INLINE unsigned by_parts(unsigned a, unsigned b, Function function) {
  unsigned result = 0;
  for (int bit = 0; bit < 32; bit += 8 * static_cast<int>(sizeof(Part))) {
    const int value = function(part_at<Part>(a, bit), part_at<Part>(b, bit));
    result |= static_cast<unsigned>(static_cast<std::make_unsigned_t<Part>>(value)) << bit;
  }
  return result;
}

/// The sum of function(part of a, part of b).
template <typename Part, typename Function>
NEGZERO_INLINE unsigned sum_of_parts(unsigned a, unsigned b, Function function) {
  unsigned sum = 0;
  for (int bit = 0; bit < 32; bit += 8 * static_cast<int>(sizeof(Part))) {
    sum += static_cast<unsigned>(function(part_at<Part>(a, bit), part_at<Part>(b, bit)));
  }
  return sum;
}

/// The nearest number that a part can hold.
template <typename Part>
NEGZERO_INLINE int clamp_part(int x) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(Part));
  constexpr int kMost = std::is_signed_v<Part> ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  constexpr int kLeast = std::is_signed_v<Part> ? -(1 << (kBits - 1)) : 0;
  return x < kLeast ? kLeast : x > kMost ? kMost : x;
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

// `width` is the number of parts, S and U their types. Names without s or u wrap; those with ss and us saturate.
#define NEGZERO_SIMD2(name, Part, value)                             \
  NEGZERO_INLINE unsigned name(unsigned a, unsigned b) {             \
    return by_parts<Part>(a, b, [](int x, int y) { return value; }); \
  }
#define NEGZERO_SIMD1(name, Part, value)                           \
  NEGZERO_INLINE unsigned name(unsigned a) {                       \
    return by_parts<Part>(a, 0, [](int x, int) { return value; }); \
  }
#define NEGZERO_SIMD_SUM(name, Part, value)                              \
  NEGZERO_INLINE unsigned name(unsigned a, unsigned b) {                 \
    return sum_of_parts<Part>(a, b, [](int x, int y) { return value; }); \
  }
// All bits of a part where it holds, or 1.
#define NEGZERO_SIMD_COMPARISON(comparison, width, Part, value)    \
  NEGZERO_SIMD2(__vcmp##comparison##width, Part, (value) ? -1 : 0) \
  NEGZERO_SIMD2(__vset##comparison##width, Part, (value) ? 1 : 0)
#define NEGZERO_SIMD(width, S, U)                                       \
  NEGZERO_SIMD1(__vabs##width, S, x < 0 ? -x : x)                       \
  NEGZERO_SIMD1(__vabsss##width, S, clamp_part<S>(x < 0 ? -x : x))      \
  NEGZERO_SIMD1(__vneg##width, S, -x)                                   \
  NEGZERO_SIMD1(__vnegss##width, S, clamp_part<S>(-x))                  \
  NEGZERO_SIMD2(__vadd##width, U, x + y)                                \
  NEGZERO_SIMD2(__vaddss##width, S, clamp_part<S>(x + y))               \
  NEGZERO_SIMD2(__vaddus##width, U, clamp_part<U>(x + y))               \
  NEGZERO_SIMD2(__vsub##width, U, x - y)                                \
  NEGZERO_SIMD2(__vsubss##width, S, clamp_part<S>(x - y))               \
  NEGZERO_SIMD2(__vsubus##width, U, clamp_part<U>(x - y))               \
  NEGZERO_SIMD2(__vabsdiffs##width, S, x < y ? y - x : x - y)           \
  NEGZERO_SIMD2(__vabsdiffu##width, U, x < y ? y - x : x - y)           \
  NEGZERO_SIMD2(__vavgs##width, S, (x + y + (x + y >= 0 ? 1 : 0)) >> 1) \
  NEGZERO_SIMD2(__vavgu##width, U, (x + y + 1) >> 1)                    \
  NEGZERO_SIMD2(__vhaddu##width, U, (x + y) >> 1)                       \
  NEGZERO_SIMD2(__vmaxs##width, S, x < y ? y : x)                       \
  NEGZERO_SIMD2(__vmaxu##width, U, x < y ? y : x)                       \
  NEGZERO_SIMD2(__vmins##width, S, x < y ? x : y)                       \
  NEGZERO_SIMD2(__vminu##width, U, x < y ? x : y)                       \
  NEGZERO_SIMD_SUM(__vsads##width, S, x < y ? y - x : x - y)            \
  NEGZERO_SIMD_SUM(__vsadu##width, U, x < y ? y - x : x - y)            \
  NEGZERO_SIMD_COMPARISON(eq, width, U, x == y)                         \
  NEGZERO_SIMD_COMPARISON(ne, width, U, x != y)                         \
  NEGZERO_SIMD_COMPARISON(ges, width, S, x >= y)                        \
  NEGZERO_SIMD_COMPARISON(geu, width, U, x >= y)                        \
  NEGZERO_SIMD_COMPARISON(gts, width, S, x > y)                         \
  NEGZERO_SIMD_COMPARISON(gtu, width, U, x > y)                         \
  NEGZERO_SIMD_COMPARISON(les, width, S, x <= y)                        \
  NEGZERO_SIMD_COMPARISON(leu, width, U, x <= y)                        \
  NEGZERO_SIMD_COMPARISON(lts, width, S, x < y)                         \
  NEGZERO_SIMD_COMPARISON(ltu, width, U, x < y)
NEGZERO_SIMD(2, std::int16_t, std::uint16_t)
NEGZERO_SIMD(4, std::int8_t, std::uint8_t)
#undef NEGZERO_SIMD
#undef NEGZERO_SIMD_COMPARISON
#undef NEGZERO_SIMD_SUM
#undef NEGZERO_SIMD1
#undef NEGZERO_SIMD2

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

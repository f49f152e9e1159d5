// CUDA's functions for dynamic programming on the host: sums and three operands, their maximum or minimum, and a floor
// of 0 in the relu forms (CUDA Math API 13, "SIMD Intrinsics" and "Integer Intrinsics"). Sums wrap.

#pragma once

#include <cstdint>

#include <negzero/cuda/simd.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// Each part is the low bits of function(part of a, part of b, part of c). Words are parts of their own.
template <typename Part, typename Function>
NEGZERO_INLINE unsigned by_three_parts(unsigned a, unsigned b, unsigned c, Function function) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(Part));
  unsigned result = 0;
  for (int bit = 0; bit < 32; bit += kBits) {
    const auto value = function(static_cast<Part>(a >> bit), static_cast<Part>(b >> bit), static_cast<Part>(c >> bit));
    result |= static_cast<unsigned>(static_cast<std::make_unsigned_t<Part>>(value)) << bit;
  }
  return result;
}
template <typename Part>
NEGZERO_INLINE Part wrapped_sum(Part x, Part y) {
  return static_cast<Part>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
}
template <typename Part>
NEGZERO_INLINE Part larger(Part x, Part y) {
  return x < y ? y : x;
}
template <typename Part>
NEGZERO_INLINE Part smaller(Part x, Part y) {
  return y < x ? y : x;
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

#define NEGZERO_THREE(name, Word, Part, value)                                                            \
  NEGZERO_INLINE Word name(Word a, Word b, Word c) {                                                      \
    return static_cast<Word>(by_three_parts<Part>(static_cast<unsigned>(a), static_cast<unsigned>(b),     \
                                                  static_cast<unsigned>(c),                               \
                                                  [](Part x, Part y, Part z) -> Part { return value; })); \
  }
#define NEGZERO_TWO(name, Word, Part, value)                                                             \
  NEGZERO_INLINE Word name(Word a, Word b) {                                                             \
    return static_cast<Word>(by_three_parts<Part>(static_cast<unsigned>(a), static_cast<unsigned>(b), 0, \
                                                  [](Part x, Part y, Part) -> Part { return value; }));  \
  }
#define NEGZERO_DYNAMIC(kind, Word, Part)                                     \
  NEGZERO_THREE(__viaddmax_##kind, Word, Part, larger(wrapped_sum(x, y), z))  \
  NEGZERO_THREE(__viaddmin_##kind, Word, Part, smaller(wrapped_sum(x, y), z)) \
  NEGZERO_THREE(__vimax3_##kind, Word, Part, larger(larger(x, y), z))         \
  NEGZERO_THREE(__vimin3_##kind, Word, Part, smaller(smaller(x, y), z))
#define NEGZERO_DYNAMIC_SIGNED(kind, Word, Part)                                                      \
  NEGZERO_DYNAMIC(kind, Word, Part)                                                                   \
  NEGZERO_THREE(__viaddmax_##kind##_relu, Word, Part, larger(larger(wrapped_sum(x, y), z), Part{0}))  \
  NEGZERO_THREE(__viaddmin_##kind##_relu, Word, Part, larger(smaller(wrapped_sum(x, y), z), Part{0})) \
  NEGZERO_THREE(__vimax3_##kind##_relu, Word, Part, larger(larger(larger(x, y), z), Part{0}))         \
  NEGZERO_THREE(__vimin3_##kind##_relu, Word, Part, larger(smaller(smaller(x, y), z), Part{0}))       \
  NEGZERO_TWO(__vimax_##kind##_relu, Word, Part, larger(larger(x, y), Part{0}))                       \
  NEGZERO_TWO(__vimin_##kind##_relu, Word, Part, larger(smaller(x, y), Part{0}))
NEGZERO_DYNAMIC_SIGNED(s32, int, std::int32_t)
NEGZERO_DYNAMIC_SIGNED(s16x2, unsigned, std::int16_t)
NEGZERO_DYNAMIC(u32, unsigned, std::uint32_t)
NEGZERO_DYNAMIC(u16x2, unsigned, std::uint16_t)
#undef NEGZERO_DYNAMIC_SIGNED
#undef NEGZERO_DYNAMIC
#undef NEGZERO_TWO
#undef NEGZERO_THREE

// The larger or the smaller one, and whether that is the first: it is where both are equal.
#define NEGZERO_CHOICE(kind, Word)                                      \
  NEGZERO_INLINE Word __vibmax_##kind(Word a, Word b, bool* is_first) { \
    *is_first = a >= b;                                                 \
    return a >= b ? a : b;                                              \
  }                                                                     \
  NEGZERO_INLINE Word __vibmin_##kind(Word a, Word b, bool* is_first) { \
    *is_first = a <= b;                                                 \
    return a <= b ? a : b;                                              \
  }
NEGZERO_CHOICE(s32, int)
NEGZERO_CHOICE(u32, unsigned)
#undef NEGZERO_CHOICE
#define NEGZERO_CHOICE(kind, Part)                                                                           \
  NEGZERO_INLINE unsigned __vibmax_##kind(unsigned a, unsigned b, bool* is_first_high, bool* is_first_low) { \
    *is_first_high = static_cast<Part>(a >> 16) >= static_cast<Part>(b >> 16);                               \
    *is_first_low = static_cast<Part>(a) >= static_cast<Part>(b);                                            \
    return ((*is_first_high ? a : b) & 0xffff0000u) | ((*is_first_low ? a : b) & 0xffffu);                   \
  }                                                                                                          \
  NEGZERO_INLINE unsigned __vibmin_##kind(unsigned a, unsigned b, bool* is_first_high, bool* is_first_low) { \
    *is_first_high = static_cast<Part>(a >> 16) <= static_cast<Part>(b >> 16);                               \
    *is_first_low = static_cast<Part>(a) <= static_cast<Part>(b);                                            \
    return ((*is_first_high ? a : b) & 0xffff0000u) | ((*is_first_low ? a : b) & 0xffffu);                   \
  }
NEGZERO_CHOICE(s16x2, std::int16_t)
NEGZERO_CHOICE(u16x2, std::uint16_t)
#undef NEGZERO_CHOICE

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

// More of CUDA's integer functions on the host: products of 24 bits, averages, differences, dot products of bytes.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include <negzero/cuda/integer.hpp>
#include <negzero/cuda/types.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

/// The low 32 bits of the product of the low 24 bits, sign-extended or not.
NEGZERO_INLINE int __mul24(int x, int y) {
  const auto a = static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<unsigned>(x) << 8) >> 8);
  const auto b = static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<unsigned>(y) << 8) >> 8);
  return static_cast<int>(static_cast<unsigned>(static_cast<std::uint64_t>(a * b)));
}
NEGZERO_INLINE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }

/// |x - y| + z, modulo 2^32.
NEGZERO_INLINE unsigned __sad(int x, int y, unsigned z) {
  return (x < y ? static_cast<unsigned>(y) - static_cast<unsigned>(x)
                : static_cast<unsigned>(x) - static_cast<unsigned>(y)) +
         z;
}
NEGZERO_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }

/// Averages that do not overflow, rounded down; the r forms round half up.
NEGZERO_INLINE int __hadd(int x, int y) { return static_cast<int>((std::int64_t{x} + y) >> 1); }
NEGZERO_INLINE int __rhadd(int x, int y) { return static_cast<int>((std::int64_t{x} + y + 1) >> 1); }
NEGZERO_INLINE unsigned __uhadd(unsigned x, unsigned y) { return static_cast<unsigned>((std::uint64_t{x} + y) >> 1); }
NEGZERO_INLINE unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} + y + 1) >> 1);
}

NEGZERO_INLINE unsigned umin(unsigned x, unsigned y) { return x < y ? x : y; }
NEGZERO_INLINE unsigned umax(unsigned x, unsigned y) { return x < y ? y : x; }
NEGZERO_INLINE long long llmin(long long x, long long y) { return x < y ? x : y; }
NEGZERO_INLINE long long llmax(long long x, long long y) { return x < y ? y : x; }
NEGZERO_INLINE unsigned long long ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
NEGZERO_INLINE unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x < y ? y : x; }

/// The position of the offset-th set bit of `mask`: counted up from bit `base` for offset > 0, down for offset < 0;
/// `base` itself where that bit is set and offset is 0. ~0 where there is none.
NEGZERO_INLINE unsigned __fns(unsigned mask, unsigned base, int offset) {
  base &= 31;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  for (int at = static_cast<int>(base), left = offset * step; at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<unsigned>(at);
  }
  return ~0u;
}

/// The bits of a vector of 4 bytes. Not std::bit_cast: vectors of watched builds may have copy constructors of their
/// own.
template <typename Vector>
NEGZERO_INLINE unsigned word_of(const Vector& vector) {
  static_assert(sizeof(Vector) == 4);
  unsigned word = 0;
  std::memcpy(&word, &vector, 4);
  return word;
}

// Dot products with 32-bit accumulators that wrap. dp4a takes four bytes of each, dp2a two 16-bit numbers and the low
// or the high two bytes.
NEGZERO_INLINE int __dp4a(int a, int b, int c) {
  auto sum = static_cast<unsigned>(c);
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<unsigned>(static_cast<std::int8_t>(a >> shift) * static_cast<std::int8_t>(b >> shift));
  }
  return static_cast<int>(sum);
}
NEGZERO_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int shift = 0; shift < 32; shift += 8) c += (a >> shift & 0xff) * (b >> shift & 0xff);
  return c;
}
NEGZERO_INLINE int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(static_cast<int>(word_of(a)), static_cast<int>(word_of(b)), c);
}
NEGZERO_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return __dp4a(word_of(a), word_of(b), c); }
#define NEGZERO_DP2A(name, first)                                                              \
  NEGZERO_INLINE int name(int a, int b, int c) {                                               \
    auto sum = static_cast<unsigned>(c);                                                       \
    for (int i = 0; i < 2; ++i) {                                                              \
      sum += static_cast<unsigned>(static_cast<std::int16_t>(a >> (16 * i)) *                  \
                                   static_cast<std::int8_t>(b >> (first + 8 * i)));            \
    }                                                                                          \
    return static_cast<int>(sum);                                                              \
  }                                                                                            \
  NEGZERO_INLINE unsigned name(unsigned a, unsigned b, unsigned c) {                           \
    for (int i = 0; i < 2; ++i) c += (a >> (16 * i) & 0xffff) * (b >> (first + 8 * i) & 0xff); \
    return c;                                                                                  \
  }                                                                                            \
  NEGZERO_INLINE int name(short2 a, char4 b, int c) {                                          \
    return name(static_cast<int>(word_of(a)), static_cast<int>(word_of(b)), c);                \
  }                                                                                            \
  NEGZERO_INLINE unsigned name(ushort2 a, uchar4 b, unsigned c) { return name(word_of(a), word_of(b), c); }
NEGZERO_DP2A(__dp2a_lo, 0)
NEGZERO_DP2A(__dp2a_hi, 16)
#undef NEGZERO_DP2A

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

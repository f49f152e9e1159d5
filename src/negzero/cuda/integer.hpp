// CUDA's integer functions on the host.

#pragma once

#include <bit>
#include <cstdint>

#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

NEGZERO_INLINE int __popc(unsigned x) { return std::popcount(x); }
NEGZERO_INLINE int __popcll(unsigned long long x) { return std::popcount(x); }
NEGZERO_INLINE int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
NEGZERO_INLINE int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
/// One plus the index of the lowest set bit; 0 for 0.
NEGZERO_INLINE int __ffs(int x) { return __builtin_ffs(x); }
NEGZERO_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }

NEGZERO_INLINE unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
NEGZERO_INLINE unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

/// Four bytes chosen from the eight of `y:x` by the low three bits of each nibble of `selector`. The top bit of a
/// nibble is ignored, unlike in PTX prmt (seen on an H200).
NEGZERO_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned byte = selector >> (4 * i) & 7;
    result |= (static_cast<unsigned>(bytes >> (8 * byte)) & 0xff) << (8 * i);
  }
  return result;
}

/// The high word of (high:low) << (shift mod 32), and the low word of (high:low) >> (shift mod 32); the c forms clamp
/// the shift to 32 instead.
NEGZERO_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31) >> 32);
}
NEGZERO_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
NEGZERO_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
NEGZERO_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

NEGZERO_INLINE int __mulhi(int x, int y) { return static_cast<int>((std::int64_t{x} * y) >> 32); }
NEGZERO_INLINE unsigned __umulhi(unsigned x, unsigned y) { return static_cast<unsigned>((std::uint64_t{x} * y) >> 32); }
NEGZERO_INLINE long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
NEGZERO_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}

// CUDA's overloads of min and max: two integers of one type, or the mixed pairs below, which convert as C++ would.
#define NEGZERO_MIN_MAX(result, a, b)                                    \
  NEGZERO_INLINE result min(a x, b y) {                                  \
    const result p = static_cast<result>(x), q = static_cast<result>(y); \
    return q < p ? q : p;                                                \
  }                                                                      \
  NEGZERO_INLINE result max(a x, b y) {                                  \
    const result p = static_cast<result>(x), q = static_cast<result>(y); \
    return p < q ? q : p;                                                \
  }
NEGZERO_MIN_MAX(int, int, int)
NEGZERO_MIN_MAX(unsigned, unsigned, unsigned)
NEGZERO_MIN_MAX(unsigned, int, unsigned)
NEGZERO_MIN_MAX(unsigned, unsigned, int)
NEGZERO_MIN_MAX(long, long, long)
NEGZERO_MIN_MAX(unsigned long, unsigned long, unsigned long)
NEGZERO_MIN_MAX(unsigned long, long, unsigned long)
NEGZERO_MIN_MAX(unsigned long, unsigned long, long)
NEGZERO_MIN_MAX(long long, long long, long long)
NEGZERO_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
NEGZERO_MIN_MAX(unsigned long long, long long, unsigned long long)
NEGZERO_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef NEGZERO_MIN_MAX

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

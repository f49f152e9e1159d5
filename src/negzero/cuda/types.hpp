// CUDA's built-in vector types on the host, with CUDA's sizes and alignments.

#pragma once

#include <negzero/engine/build.hpp>
#include <negzero/engine/stream.hpp>

// Global, and not opened by a using-directive as CUDA's functions are: an author's operators for them are global too,
// and code in a namespace finds those by the namespace of their operands. NOLINTNEXTLINE: CUDA has them there.
using uint3 = negzero::engine::Coordinates;
using dim3 = negzero::engine::Extents;

inline namespace NEGZERO_BUILD {

#if defined(NEGZERO_WATCHED) && defined(__clang__)
/// Makes clang check the alignment of a vector where it is copied, which it does where a copy is a call and not where
/// it is mere bytes. Empty and last: the vector stays an aggregate of the same size, but is not trivially copyable.
struct NegzeroCheckedCopy {
  NegzeroCheckedCopy() = default;
  constexpr NegzeroCheckedCopy(const NegzeroCheckedCopy&) noexcept {}
  constexpr NegzeroCheckedCopy& operator=(const NegzeroCheckedCopy&) noexcept { return *this; }
};
#define NEGZERO_CHECKED_COPY [[no_unique_address]] ::NegzeroCheckedCopy checked_copy;
#else
#define NEGZERO_CHECKED_COPY
#endif

// One line a type: CUDA aligns two- and four-element vectors to their whole size, up to 16 bytes
// (CUDA C++ Programming Guide 13, built-in vector types).
#define NEGZERO_VECTOR1(name, type) \
  struct name {                     \
    type x;                         \
  };                                \
  constexpr name make_##name(type x) noexcept { return {x}; }
#define NEGZERO_VECTOR2(name, type, alignment) \
  struct alignas(alignment) name {             \
    type x, y;                                 \
    NEGZERO_CHECKED_COPY                       \
  };                                           \
  constexpr name make_##name(type x, type y) noexcept { return {x, y}; }
#define NEGZERO_VECTOR3(name, type) \
  struct name {                     \
    type x, y, z;                   \
  };                                \
  constexpr name make_##name(type x, type y, type z) noexcept { return {x, y, z}; }
#define NEGZERO_VECTOR4(name, type, alignment) \
  struct alignas(alignment) name {             \
    type x, y, z, w;                           \
    NEGZERO_CHECKED_COPY                       \
  };                                           \
  constexpr name make_##name(type x, type y, type z, type w) noexcept { return {x, y, z, w}; }

NEGZERO_VECTOR1(char1, signed char)
NEGZERO_VECTOR2(char2, signed char, 2)
NEGZERO_VECTOR3(char3, signed char)
NEGZERO_VECTOR4(char4, signed char, 4)
NEGZERO_VECTOR1(uchar1, unsigned char)
NEGZERO_VECTOR2(uchar2, unsigned char, 2)
NEGZERO_VECTOR3(uchar3, unsigned char)
NEGZERO_VECTOR4(uchar4, unsigned char, 4)
NEGZERO_VECTOR1(short1, short)
NEGZERO_VECTOR2(short2, short, 4)
NEGZERO_VECTOR3(short3, short)
NEGZERO_VECTOR4(short4, short, 8)
NEGZERO_VECTOR1(ushort1, unsigned short)
NEGZERO_VECTOR2(ushort2, unsigned short, 4)
NEGZERO_VECTOR3(ushort3, unsigned short)
NEGZERO_VECTOR4(ushort4, unsigned short, 8)
NEGZERO_VECTOR1(int1, int)
NEGZERO_VECTOR2(int2, int, 8)
NEGZERO_VECTOR3(int3, int)
NEGZERO_VECTOR4(int4, int, 16)
NEGZERO_VECTOR1(uint1, unsigned)
NEGZERO_VECTOR2(uint2, unsigned, 8)
NEGZERO_VECTOR4(uint4, unsigned, 16)
NEGZERO_VECTOR1(long1, long)
NEGZERO_VECTOR2(long2, long, 16)
NEGZERO_VECTOR3(long3, long)
NEGZERO_VECTOR4(long4, long, 16)
NEGZERO_VECTOR1(ulong1, unsigned long)
NEGZERO_VECTOR2(ulong2, unsigned long, 16)
NEGZERO_VECTOR3(ulong3, unsigned long)
NEGZERO_VECTOR4(ulong4, unsigned long, 16)
NEGZERO_VECTOR1(longlong1, long long)
NEGZERO_VECTOR2(longlong2, long long, 16)
NEGZERO_VECTOR3(longlong3, long long)
NEGZERO_VECTOR4(longlong4, long long, 16)
NEGZERO_VECTOR1(ulonglong1, unsigned long long)
NEGZERO_VECTOR2(ulonglong2, unsigned long long, 16)
NEGZERO_VECTOR3(ulonglong3, unsigned long long)
NEGZERO_VECTOR4(ulonglong4, unsigned long long, 16)
NEGZERO_VECTOR1(float1, float)
NEGZERO_VECTOR2(float2, float, 8)
NEGZERO_VECTOR3(float3, float)
NEGZERO_VECTOR4(float4, float, 16)
NEGZERO_VECTOR1(double1, double)
NEGZERO_VECTOR2(double2, double, 16)
NEGZERO_VECTOR3(double3, double)
NEGZERO_VECTOR4(double4, double, 16)

#undef NEGZERO_VECTOR1
#undef NEGZERO_VECTOR2
#undef NEGZERO_VECTOR3
#undef NEGZERO_VECTOR4

static_assert(sizeof(float2) == 8 && sizeof(float4) == 16 && alignof(float4) == 16);

}  // namespace NEGZERO_BUILD

constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) noexcept { return {x, y, z}; }

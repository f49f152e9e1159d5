// CUDA's built-in vector types on the host, with CUDA's sizes and alignments.

#pragma once

#include <negzero/engine/build.hpp>
#include <negzero/engine/stream.hpp>

namespace negzero::cuda_on_host::global {

using uint3 = engine::Coordinates;
using dim3 = engine::Extents;

inline namespace NEGZERO_BUILD {

#if defined(NEGZERO_WATCHED) && defined(__clang__)
/// Makes clang check the alignment of a vector where it is copied, which it does where a copy is a call and not where
/// it is mere bytes. Empty and last: the vector stays an aggregate of the same size, but is not trivially copyable.
struct CheckedCopy {
  CheckedCopy() = default;
  constexpr CheckedCopy(const CheckedCopy&) noexcept {}
  constexpr CheckedCopy& operator=(const CheckedCopy&) noexcept { return *this; }
};
#define NEGZERO_CHECKED_COPY [[no_unique_address]] ::negzero::cuda_on_host::global::CheckedCopy checked_copy;
#else
#define NEGZERO_CHECKED_COPY
#endif

// One line a type: CUDA aligns two- and four-element vectors to their whole size, up to 16 bytes.
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

NEGZERO_VECTOR2(char2, signed char, 2)
NEGZERO_VECTOR2(uchar2, unsigned char, 2)
NEGZERO_VECTOR2(short2, short, 4)
NEGZERO_VECTOR2(ushort2, unsigned short, 4)
NEGZERO_VECTOR2(int2, int, 8)
NEGZERO_VECTOR2(uint2, unsigned, 8)
NEGZERO_VECTOR2(longlong2, long long, 16)
NEGZERO_VECTOR2(ulonglong2, unsigned long long, 16)
NEGZERO_VECTOR2(float2, float, 8)
NEGZERO_VECTOR2(double2, double, 16)
NEGZERO_VECTOR3(int3, int)
NEGZERO_VECTOR3(float3, float)
NEGZERO_VECTOR3(double3, double)
NEGZERO_VECTOR4(char4, signed char, 4)
NEGZERO_VECTOR4(uchar4, unsigned char, 4)
NEGZERO_VECTOR4(short4, short, 8)
NEGZERO_VECTOR4(ushort4, unsigned short, 8)
NEGZERO_VECTOR4(int4, int, 16)
NEGZERO_VECTOR4(uint4, unsigned, 16)
NEGZERO_VECTOR4(float4, float, 16)

#undef NEGZERO_VECTOR2
#undef NEGZERO_VECTOR3
#undef NEGZERO_VECTOR4

static_assert(sizeof(float2) == 8 && sizeof(float4) == 16 && alignof(float4) == 16);

}  // namespace NEGZERO_BUILD

constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) noexcept { return {x, y, z}; }

}  // namespace negzero::cuda_on_host::global

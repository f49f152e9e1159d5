// CUDA's atomics on the host. Each is a point where the schedule may let another thread run.

#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/float.hpp>
#include <negzero/cuda/half.hpp>
#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

/// Replaces *address by change(*address) at once, on the bits; returns the old value. Relaxed, as in CUDA.
template <typename T, typename Change>
NEGZERO_INLINE T atomic_update(T* address, Change change) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                                     std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  static_assert(sizeof(T) == sizeof(Bits));
  threads::yield_point();
  auto* bits = reinterpret_cast<Bits __attribute__((may_alias))*>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (true) {
    const T before = std::bit_cast<T>(old);
    const Bits desired = std::bit_cast<Bits>(static_cast<T>(change(before)));
    if (__atomic_compare_exchange_n(bits, &old, desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      note_change(old != desired);
      return before;
    }
  }
}

#define NEGZERO_ATOMIC_NATIVE(function, builtin, changes, type) \
  NEGZERO_INLINE type function(type* address, type value) {     \
    threads::yield_point();                                     \
    const type old = builtin(address, value, __ATOMIC_RELAXED); \
    note_change(changes);                                       \
    return old;                                                 \
  }
#define NEGZERO_ATOMIC_NATIVE3(function, builtin, changes)    \
  NEGZERO_ATOMIC_NATIVE(function, builtin, changes, int)      \
  NEGZERO_ATOMIC_NATIVE(function, builtin, changes, unsigned) \
  NEGZERO_ATOMIC_NATIVE(function, builtin, changes, unsigned long long)

NEGZERO_ATOMIC_NATIVE3(atomicAdd, __atomic_fetch_add, value != 0)
NEGZERO_ATOMIC_NATIVE3(atomicExch, __atomic_exchange_n, value != old)
NEGZERO_ATOMIC_NATIVE3(atomicAnd, __atomic_fetch_and, (old & value) != old)
NEGZERO_ATOMIC_NATIVE3(atomicOr, __atomic_fetch_or, (old | value) != old)
NEGZERO_ATOMIC_NATIVE3(atomicXor, __atomic_fetch_xor, value != 0)
NEGZERO_ATOMIC_NATIVE(atomicSub, __atomic_fetch_sub, value != 0, int)
NEGZERO_ATOMIC_NATIVE(atomicSub, __atomic_fetch_sub, value != 0, unsigned)
#undef NEGZERO_ATOMIC_NATIVE3
#undef NEGZERO_ATOMIC_NATIVE

#define NEGZERO_ATOMIC_MIN_MAX(type)                                                        \
  NEGZERO_INLINE type atomicMax(type* address, type value) {                                \
    return atomic_update(address, [value](type old) { return old < value ? value : old; }); \
  }                                                                                         \
  NEGZERO_INLINE type atomicMin(type* address, type value) {                                \
    return atomic_update(address, [value](type old) { return value < old ? value : old; }); \
  }
NEGZERO_ATOMIC_MIN_MAX(int)
NEGZERO_ATOMIC_MIN_MAX(unsigned)
NEGZERO_ATOMIC_MIN_MAX(long long)
NEGZERO_ATOMIC_MIN_MAX(unsigned long long)
#undef NEGZERO_ATOMIC_MIN_MAX

#define NEGZERO_ATOMIC_CAS(type)                                                                          \
  NEGZERO_INLINE type atomicCAS(type* address, type compare, type value) {                                \
    threads::yield_point();                                                                               \
    const bool swapped =                                                                                  \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    note_change(swapped&& value != compare);                                                              \
    return compare;                                                                                       \
  }
NEGZERO_ATOMIC_CAS(int)
NEGZERO_ATOMIC_CAS(unsigned)
NEGZERO_ATOMIC_CAS(unsigned long long)
NEGZERO_ATOMIC_CAS(unsigned short)
#undef NEGZERO_ATOMIC_CAS

NEGZERO_INLINE float atomicExch(float* address, float value) {
  threads::yield_point();
  auto* bits = reinterpret_cast<std::uint32_t __attribute__((may_alias))*>(address);
  const auto desired = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t old = __atomic_exchange_n(bits, desired, __ATOMIC_RELAXED);
  note_change(old != desired);
  return std::bit_cast<float>(old);
}

/// ((old >= limit) ? 0 : old + 1), and (old == 0 || old > limit) ? limit : old - 1.
NEGZERO_INLINE unsigned atomicInc(unsigned* address, unsigned limit) {
  return atomic_update(address, [limit](unsigned old) { return old >= limit ? 0 : old + 1; });
}
NEGZERO_INLINE unsigned atomicDec(unsigned* address, unsigned limit) {
  return atomic_update(address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

/// In global memory subnormal operands and results become zeros of their sign; in shared memory they are kept (PTX ISA,
/// atom: `.f32` flushes on global memory whatever the compiler's flags; sm_90 adds to shared memory by a CAS loop).
NEGZERO_INLINE float atomicAdd(float* address, float value) {
  if (threads::is_shared(address)) {
    return atomic_update(address, [value](float old) { return canonical(old + value); });
  }
  return atomic_update(address, [value](float old) {
    return flush_subnormal(canonical(flush_subnormal(old) + flush_subnormal(value)));
  });
}
/// Subnormals are kept, in both memories.
NEGZERO_INLINE double atomicAdd(double* address, double value) {
  return atomic_update(address, [value](double old) { return old + value; });
}
NEGZERO_INLINE __half atomicAdd(__half* address, __half value) {
  return atomic_update(address, [value](__half old) { return __hadd(old, value); });
}
NEGZERO_INLINE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  return atomic_update(address, [value](__nv_bfloat16 old) { return __hadd(old, value); });
}
/// The pair is not one atomic: each element is (CUDA C++ Programming Guide 13, atomicAdd).
NEGZERO_INLINE __half2 atomicAdd(__half2* address, __half2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
NEGZERO_INLINE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

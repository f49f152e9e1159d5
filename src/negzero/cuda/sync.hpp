// Barriers, warp operations, fences and clocks of CUDA on the host.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include <negzero/cuda/threads.hpp>

// The caller's line, as default arguments: one call in the source is one barrier, however often a compiler duplicates
// it. g++ has no __builtin_COLUMN, clang 14 no std::source_location.
#ifdef __clang__
#define NEGZERO_COLUMN __builtin_COLUMN()
#else
#define NEGZERO_COLUMN std::source_location::current().column()
#endif
#define NEGZERO_CALL_SITE \
  const char *file = __builtin_FILE(), int line = __builtin_LINE(), unsigned column = NEGZERO_COLUMN

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

NEGZERO_INLINE void __syncthreads(NEGZERO_CALL_SITE) {
  threads::wait_at_barrier(BarrierKind::Sync, {file, line, column});
}
NEGZERO_INLINE int __syncthreads_count(int predicate, NEGZERO_CALL_SITE) {
  return threads::reduce_at_barrier(BarrierKind::Count, predicate != 0, {file, line, column});
}
NEGZERO_INLINE int __syncthreads_and(int predicate, NEGZERO_CALL_SITE) {
  return threads::reduce_at_barrier(BarrierKind::And, predicate != 0, {file, line, column});
}
NEGZERO_INLINE int __syncthreads_or(int predicate, NEGZERO_CALL_SITE) {
  return threads::reduce_at_barrier(BarrierKind::Or, predicate != 0, {file, line, column});
}

template <typename T>
NEGZERO_INLINE T warp_exchange(WarpKind kind, unsigned mask, T value, unsigned operand, int width, CallSite site) {
  // Vectors of watched builds may have copy constructors of their own, which bytes do as well.
  static_assert(std::is_trivially_destructible_v<T> && sizeof(T) <= 8,
                "warp operations move values of at most 8 bytes");
  WarpRequest request;
  std::memcpy(&request.value, &value, sizeof(T));
  request.mask = mask;
  request.operand = operand;
  request.segment = static_cast<std::uint32_t>(32 - width);
  request.kind = kind;
  threads::exchange(request, site);
  std::memcpy(static_cast<void*>(&value), &request.value, sizeof(T));
  return value;
}

NEGZERO_INLINE void __syncwarp(unsigned mask = 0xffffffffu, NEGZERO_CALL_SITE) {
  warp_exchange(WarpKind::Sync, mask, 0u, 0, 32, {file, line, column});
}
/// Shuffles take any trivially copyable type of at most 8 bytes; CUDA has them for 32- and 64-bit numbers and half
/// types.
template <typename T>
NEGZERO_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Shuffle, mask, value, static_cast<unsigned>(source), width, {file, line, column});
}
template <typename T>
NEGZERO_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::ShuffleUp, mask, value, delta, width, {file, line, column});
}
template <typename T>
NEGZERO_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::ShuffleDown, mask, value, delta, width, {file, line, column});
}
template <typename T>
NEGZERO_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::ShuffleXor, mask, value, static_cast<unsigned>(lane_mask), width,
                       {file, line, column});
}

NEGZERO_INLINE unsigned __ballot_sync(unsigned mask, int predicate, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Ballot, mask, predicate != 0 ? 1u : 0u, 0, 32, {file, line, column});
}
NEGZERO_INLINE int __any_sync(unsigned mask, int predicate, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Any, mask, predicate != 0 ? 1 : 0, 0, 32, {file, line, column});
}
NEGZERO_INLINE int __all_sync(unsigned mask, int predicate, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::All, mask, predicate != 0 ? 1 : 0, 0, 32, {file, line, column});
}

/// The lanes whose value has the same bits as this lane's.
template <typename T>
NEGZERO_INLINE unsigned __match_any_sync(unsigned mask, T value, NEGZERO_CALL_SITE) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return static_cast<unsigned>(warp_exchange(WarpKind::MatchAny, mask, bits, 0, 32, {file, line, column}));
}
/// `mask` and *predicate = 1 when all values have the same bits, else 0 and 0.
template <typename T>
NEGZERO_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate, NEGZERO_CALL_SITE) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const auto group = static_cast<unsigned>(warp_exchange(WarpKind::MatchAll, mask, bits, 0, 32, {file, line, column}));
  *predicate = group != 0 ? 1 : 0;
  return group;
}

NEGZERO_INLINE unsigned __reduce_add_sync(unsigned mask, unsigned value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Add, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE int __reduce_add_sync(unsigned mask, int value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Add, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE unsigned __reduce_min_sync(unsigned mask, unsigned value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Min, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE int __reduce_min_sync(unsigned mask, int value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::MinSigned, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE unsigned __reduce_max_sync(unsigned mask, unsigned value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Max, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE int __reduce_max_sync(unsigned mask, int value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::MaxSigned, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE unsigned __reduce_and_sync(unsigned mask, unsigned value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::And, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE unsigned __reduce_or_sync(unsigned mask, unsigned value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Or, mask, value, 0, 32, {file, line, column});
}
NEGZERO_INLINE unsigned __reduce_xor_sync(unsigned mask, unsigned value, NEGZERO_CALL_SITE) {
  return warp_exchange(WarpKind::Xor, mask, value, 0, 32, {file, line, column});
}

NEGZERO_INLINE unsigned active_lanes(WarpKind kind, CallSite site) {
  WarpRequest request;
  request.value = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  request.mask = 1u << (engine::current.linear_thread % 32);
  request.kind = kind;
  threads::gather_active(request, site);
  return static_cast<unsigned>(request.value);
}

/// The lanes that come to this call before every other lane of the warp has exited or waits at a barrier or at another
/// warp function (engine/active.cpp). CUDA promises no more than that the calling lane is one of them (CUDA C++
/// Programming Guide, Warp Vote Functions): a launch warns of each such call that no __syncwarp of these lanes precedes
/// directly.
NEGZERO_INLINE unsigned __activemask(NEGZERO_CALL_SITE) {
  return active_lanes(WarpKind::ActiveMask, {file, line, column});
}

NEGZERO_INLINE void __threadfence() { threads::fence(FenceScope::Device); }
NEGZERO_INLINE void __threadfence_block() { threads::fence(FenceScope::Block); }
NEGZERO_INLINE void __threadfence_system() { threads::fence(FenceScope::Device); }
NEGZERO_INLINE void __nanosleep(unsigned) { threads::sleep_thread(); }

/// Clocks count reads, so that a loop that waits for time to pass ends, on every machine after the same number of
/// reads.
NEGZERO_INLINE long long clock64() { return threads::clock_count(); }
#ifndef NEGZERO_UNMODIFIED
NEGZERO_INLINE int clock() { return static_cast<int>(threads::clock_count()); }
#endif

[[noreturn]] NEGZERO_INLINE void __trap() { __builtin_trap(); }

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

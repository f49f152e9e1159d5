// CUB on the host: its operators, its pairs, and what its collectives are made of. CUB is read as its documentation
// has it (https://nvidia.github.io/cccl/cub); no text of its headers is here, and a toolkit is not needed.
//
// What CUB leaves undefined, such as a reduction's result in other threads than the first, has every bit set here.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <negzero/cuda/sync.hpp>

// NOLINTNEXTLINE: CUB has it at global scope.
namespace cub {
inline namespace NEGZERO_BUILD {

struct NullType {};

template <typename Key_, typename Value_>
struct KeyValuePair {
  using Key = Key_;
  using Value = Value_;
  Key key;
  Value value;
  NEGZERO_INLINE bool operator!=(const KeyValuePair& b) const { return key != b.key || value != b.value; }
  NEGZERO_INLINE bool operator==(const KeyValuePair& b) const { return !(*this != b); }
};

struct Sum {
  template <typename T, typename U>
  NEGZERO_INLINE auto operator()(const T& a, const U& b) const {
    return a + b;
  }
};
struct Difference {
  template <typename T, typename U>
  NEGZERO_INLINE auto operator()(const T& a, const U& b) const {
    return a - b;
  }
};
/// The first operand where either is NaN.
struct Max {
  template <typename T>
  NEGZERO_INLINE T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <typename T>
  NEGZERO_INLINE T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
/// The pair with the larger value; of equal ones that with the smaller key.
struct ArgMax {
  template <typename Pair>
  NEGZERO_INLINE Pair operator()(const Pair& a, const Pair& b) const {
    return (b.value > a.value || (a.value == b.value && b.key < a.key)) ? b : a;
  }
};
struct ArgMin {
  template <typename Pair>
  NEGZERO_INLINE Pair operator()(const Pair& a, const Pair& b) const {
    return (b.value < a.value || (a.value == b.value && b.key < a.key)) ? b : a;
  }
};
struct Equality {
  template <typename T, typename U>
  NEGZERO_INLINE bool operator()(const T& a, const U& b) const {
    return a == b;
  }
};
struct Inequality {
  template <typename T, typename U>
  NEGZERO_INLINE bool operator()(const T& a, const U& b) const {
    return a != b;
  }
};
template <typename B>
struct CastOp {
  template <typename A>
  NEGZERO_INLINE B operator()(const A& a) const {
    return static_cast<B>(a);
  }
};

/// Memory for a T that nothing constructs: a type for unions and for shared memory.
template <typename T>
struct Uninitialized {
  alignas(T) unsigned char storage[sizeof(T)];
  NEGZERO_INLINE T& Alias() { return *reinterpret_cast<T*>(storage); }
};

NEGZERO_INLINE unsigned LaneId() { return negzero::engine::current.linear_thread % 32; }
NEGZERO_INLINE unsigned WarpId() { return negzero::engine::current.linear_thread / 32; }
/// x + X * (y + Y * z), of the thread.
NEGZERO_INLINE int RowMajorTid(int, int, int) { return static_cast<int>(negzero::engine::current.linear_thread); }

namespace host {

using negzero::cuda_on_host::CallSite;
using negzero::cuda_on_host::WarpKind;
namespace global = negzero::cuda_on_host::global;

NEGZERO_INLINE int thread() { return static_cast<int>(negzero::engine::current.linear_thread); }
NEGZERO_INLINE void wait(CallSite site) { global::__syncthreads(site.file, site.line, site.column); }
NEGZERO_INLINE void wait_for_lanes(unsigned mask, CallSite site) {
  global::__syncwarp(mask, site.file, site.line, site.column);
}

template <typename T>
NEGZERO_INLINE T undefined() {
  static_assert(std::is_trivially_copyable_v<T> || std::is_trivially_destructible_v<T>);
  T value;
  std::memset(static_cast<void*>(&value), 0xff, sizeof(T));
  return value;
}

/// A shuffle of a value of any size: 8 bytes at a time, as CUB moves words.
template <typename T>
NEGZERO_INLINE T shuffle(WarpKind kind, unsigned mask, const T& value, unsigned operand, int width, CallSite site) {
  T result = value;
  auto* const bytes = reinterpret_cast<unsigned char*>(&result);
  for (std::size_t at = 0; at < sizeof(T); at += 8) {
    const std::size_t count = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, count);
    word = global::warp_exchange(kind, mask, word, operand, width, site);
    std::memcpy(bytes + at, &word, count);
  }
  return result;
}

/// The lanes of the caller's logical warp of Size threads.
template <int Size>
NEGZERO_INLINE unsigned lanes() {
  if constexpr (Size == 32) return ~0u;
  constexpr unsigned kAll = (1u << (Size % 32)) - 1;
  return kAll << (LaneId() / Size * Size);
}

/// The items of a thread, from the first one.
template <typename T, int Items, typename Operation>
NEGZERO_INLINE T fold(const T (&items)[Items], Operation& operation) {
  T result = items[0];
  for (int i = 1; i < Items; ++i) result = operation(result, items[i]);
  return result;
}

}  // namespace host
}  // namespace NEGZERO_BUILD
}  // namespace cub

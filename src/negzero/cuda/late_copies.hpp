// Copies that a thread begins and waits for later: cp.async, and copies bound to a barrier or a pipeline.
//
// The thread reads the source and writes the target when it begins a copy, and writes the target again when it waits,
// as late as CUDA permits. Between the two there is poison (engine/late_copies.hpp), which the watch takes for memory
// that nothing has written. So a kernel finds neither the old values there nor the new ones, on every run, where a GPU
// would show either now and then.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// 16 bytes as one access, which must be aligned as such.
struct __attribute__((aligned(16), may_alias)) Sixteen {
  std::uint64_t low, high;
};
/// T, by which memory of any type may be read.
template <typename T>
struct Aliased {
  using Type __attribute__((may_alias)) = T;
};
template <>
struct Aliased<Sixteen> {
  using Type = Sixteen;
};

/// Stores what a late copy holds as one element of type T.
template <typename T>
NEGZERO_INLINE void land(const engine::LateCopy& copy) {
  using Any = typename Aliased<T>::Type;
  T value;
  std::memcpy(&value, copy.bytes, sizeof(T));
  *static_cast<Any*>(copy.to) = value;
}

/// Ends the running thread's copies of that owner and of stages up to `last`.
NEGZERO_INLINE void end_copies(const void* owner, std::uint64_t last) {
  for (engine::LateCopy copy; threads::take_late_copy(owner, last, copy);) {
    switch (copy.size_bytes) {
      case 16:
        land<Sixteen>(copy);
        break;
      case 8:
        land<std::uint64_t>(copy);
        break;
      case 4:
        land<std::uint32_t>(copy);
        break;
      default:
        land<unsigned char>(copy);
    }
  }
}

/// Begins to copy elements rank, rank + threads, ... of `count` of type T. Of the last `zeros` elements of the target,
/// zeros are written and the source is not read.
template <typename T>
NEGZERO_INLINE void begin_copies(void* to, const void* from, std::size_t count, std::size_t zeros, const void* owner,
                                 std::uint64_t stage, std::size_t rank = 0, std::size_t threads = 1) {
  using Any = typename Aliased<T>::Type;
  for (std::size_t i = rank; i < count; i += threads) {
    engine::LateCopy copy{static_cast<Any*>(to) + i, stage, sizeof(T), {}};
    if (i < count - zeros) {
      const T value = static_cast<const Any*>(from)[i];
      std::memcpy(copy.bytes, &value, sizeof(T));
    }
    land<T>(copy);
    threads::begin_late_copy(owner, copy);
  }
}

/// The same for bytes, in the largest elements of at most 16 bytes that `alignment` permits.
NEGZERO_INLINE void begin_copy(void* to, const void* from, std::size_t size_bytes, std::size_t alignment,
                               const void* owner, std::uint64_t stage, std::size_t rank = 0, std::size_t threads = 1) {
  alignment |= size_bytes;
  if (alignment % 16 == 0) {
    begin_copies<Sixteen>(to, from, size_bytes / 16, 0, owner, stage, rank, threads);
  } else if (alignment % 8 == 0) {
    begin_copies<std::uint64_t>(to, from, size_bytes / 8, 0, owner, stage, rank, threads);
  } else if (alignment % 4 == 0) {
    begin_copies<std::uint32_t>(to, from, size_bytes / 4, 0, owner, stage, rank, threads);
  } else {
    begin_copies<unsigned char>(to, from, size_bytes, 0, owner, stage, rank, threads);
  }
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

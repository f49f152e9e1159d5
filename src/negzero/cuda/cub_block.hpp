// CUB on the host: BlockReduce, and what the collectives of blocks share.
//
// Each warp works for itself, its results go through TempStorage and one barrier: a kernel that uses the storage again
// without a barrier of its own has the race that it has on a GPU. Every algorithm is this one. CUB promises no order of
// the operands but that it is fixed, so sums of floats may differ from a GPU's by their rounding.

#pragma once

#include <negzero/cuda/cub_warp.hpp>

// NOLINTNEXTLINE: CUB has it at global scope.
namespace cub {
inline namespace NEGZERO_BUILD {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

namespace host {

/// A TempStorage of a constructor that is given none: shared memory of its own.
template <typename Storage>
NEGZERO_INLINE Storage& own_storage() {
  static constinit negzero::engine::SharedTag tag = negzero::cuda_on_host::global::shared_tag<Storage>("TempStorage");
  return *reinterpret_cast<Storage*>(
      negzero::cuda_on_host::threads::shared_address(tag, sizeof(Storage), alignof(Storage)));
}

template <int Threads>
struct Warps {
  static constexpr int kCount = (Threads + 31) / 32, kLast = Threads - 32 * (kCount - 1);
};

/// Calls work(size) with the number of lanes of the caller's warp, a constant: the last warp may have fewer than 32.
template <int Threads, typename Work>
NEGZERO_INLINE auto in_warp(Work work) {
  constexpr int kCount = Warps<Threads>::kCount, kLast = Warps<Threads>::kLast;
  if constexpr (kCount > 1 && kLast < 32) {
    if (static_cast<int>(WarpId()) < kCount - 1) return work(std::integral_constant<int, 32>{});
  }
  return work(std::integral_constant<int, kLast>{});
}

}  // namespace host

template <typename T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockReduce {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  struct TempStorage {
    alignas(T) unsigned char of_warps[sizeof(T) * host::Warps<kThreads>::kCount];
  };
  NEGZERO_INLINE BlockReduce() : storage_(host::own_storage<TempStorage>()) {}
  NEGZERO_INLINE explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  /// The result is thread 0's; undefined in the others. Of a block the first `num_valid` threads take part.
  template <typename Operation>
  NEGZERO_INLINE T Reduce(T input, Operation operation, int num_valid, NEGZERO_CALL_SITE) {
    const host::CallSite site{file, line, column};
    const int warp = static_cast<int>(WarpId()), valid = num_valid - 32 * warp;
    const T result =
        host::in_warp<kThreads>([&](auto size) { return host::reduce_lanes<size()>(input, valid, operation, site); });
    T* const of_warps = reinterpret_cast<T*>(storage_.of_warps);
    if (LaneId() == 0 && valid > 0) of_warps[warp] = result;
    host::wait(site);
    if (host::thread() != 0) return host::undefined<T>();
    T all = result;
    for (int i = 1; 32 * i < num_valid && i < host::Warps<kThreads>::kCount; ++i) all = operation(all, of_warps[i]);
    return all;
  }
  template <typename Operation>
  NEGZERO_INLINE T Reduce(T input, Operation operation, NEGZERO_CALL_SITE) {
    return Reduce(input, operation, kThreads, file, line, column);
  }
  template <int ITEMS_PER_THREAD, typename Operation>
  NEGZERO_INLINE T Reduce(T (&inputs)[ITEMS_PER_THREAD], Operation operation, NEGZERO_CALL_SITE) {
    return Reduce(host::fold(inputs, operation), operation, kThreads, file, line, column);
  }
  NEGZERO_INLINE T Sum(T input, NEGZERO_CALL_SITE) { return Reduce(input, cub::Sum{}, kThreads, file, line, column); }
  NEGZERO_INLINE T Sum(T input, int num_valid, NEGZERO_CALL_SITE) {
    return Reduce(input, cub::Sum{}, num_valid, file, line, column);
  }
  template <int ITEMS_PER_THREAD>
  NEGZERO_INLINE T Sum(T (&inputs)[ITEMS_PER_THREAD], NEGZERO_CALL_SITE) {
    return Reduce(inputs, cub::Sum{}, file, line, column);
  }

 private:
  TempStorage& storage_;
};

}  // namespace NEGZERO_BUILD
}  // namespace cub

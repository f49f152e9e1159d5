// CUB on the host: BlockScan. What cub_block.hpp says of barriers and of rounding is true of it too.

#pragma once

#include <negzero/cuda/cub_block.hpp>

// NOLINTNEXTLINE: CUB has it at global scope.
namespace cub {
inline namespace NEGZERO_BUILD {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockScan {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, kWarps = host::Warps<kThreads>::kCount;

 public:
  struct TempStorage {
    alignas(T) unsigned char of_warps[sizeof(T) * host::Warps<kThreads>::kCount];
    alignas(T) unsigned char prefix[sizeof(T)];
  };
  NEGZERO_INLINE BlockScan() : storage_(host::own_storage<TempStorage>()) {}
  NEGZERO_INLINE explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  // Of one item of each thread, or of ITEMS that are next to each other. `aggregate`, in every thread, is operation
  // over the whole block without what comes before it. `prefix_of(aggregate)` is called by the first warp, and what
  // lane 0 gets of it comes before everything. An exclusive scan with nothing before it leaves its first item
  // undefined.
  template <int ITEMS, typename Operation>
  NEGZERO_INLINE void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Operation operation, NEGZERO_CALL_SITE) {
    scan<true>(input, output, operation, Nothing{}, {file, line, column});
  }
  template <int ITEMS, typename Operation>
  NEGZERO_INLINE void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Operation operation, T& aggregate,
                                    NEGZERO_CALL_SITE) {
    aggregate = scan<true>(input, output, operation, Nothing{}, {file, line, column});
  }
  template <int ITEMS, typename Operation, typename Prefix>
  requires std::is_invocable_v<Prefix&, T> NEGZERO_INLINE void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS],
                                                                             Operation operation, Prefix& prefix_of,
                                                                             NEGZERO_CALL_SITE) {
    const host::CallSite site{file, line, column};
    scan<true>(
        input, output, operation, [&](T aggregate) { return prefix(aggregate, prefix_of, site); }, site);
  }
  template <int ITEMS, typename Operation>
  NEGZERO_INLINE void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Operation operation, NEGZERO_CALL_SITE) {
    scan<false>(input, output, operation, Nothing{}, {file, line, column});
  }
  template <int ITEMS, typename Operation>
  NEGZERO_INLINE void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], T initial_value, Operation operation,
                                    NEGZERO_CALL_SITE) {
    scan<false>(input, output, operation, [&](T) { return initial_value; }, {file, line, column});
  }
  template <int ITEMS, typename Operation>
  NEGZERO_INLINE void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], T initial_value, Operation operation,
                                    T& aggregate, NEGZERO_CALL_SITE) {
    aggregate = scan<false>(input, output, operation, [&](T) { return initial_value; }, {file, line, column});
  }
  template <int ITEMS, typename Operation, typename Prefix>
  requires std::is_invocable_v<Prefix&, T> NEGZERO_INLINE void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS],
                                                                             Operation operation, Prefix& prefix_of,
                                                                             NEGZERO_CALL_SITE) {
    const host::CallSite site{file, line, column};
    scan<false>(
        input, output, operation, [&](T aggregate) { return prefix(aggregate, prefix_of, site); }, site);
  }

  template <typename Operation>
  NEGZERO_INLINE void InclusiveScan(T input, T& output, Operation operation, NEGZERO_CALL_SITE) {
    InclusiveScan(one(input), one(output), operation, file, line, column);
  }
  template <typename Operation, typename More>
  requires(!std::is_convertible_v<More, const char*>) NEGZERO_INLINE
      void InclusiveScan(T input, T& output, Operation operation, More& more, NEGZERO_CALL_SITE) {
    InclusiveScan(one(input), one(output), operation, more, file, line, column);
  }
  template <typename Operation>
  requires std::is_invocable_v<Operation&, T, T> NEGZERO_INLINE void ExclusiveScan(T input, T& output,
                                                                                   Operation operation,
                                                                                   NEGZERO_CALL_SITE) {
    ExclusiveScan(one(input), one(output), operation, file, line, column);
  }
  template <typename Operation>
  requires std::is_invocable_v<Operation&, T, T> NEGZERO_INLINE void ExclusiveScan(T input, T& output, T initial_value,
                                                                                   Operation operation,
                                                                                   NEGZERO_CALL_SITE) {
    ExclusiveScan(one(input), one(output), initial_value, operation, file, line, column);
  }
  template <typename Operation>
  NEGZERO_INLINE void ExclusiveScan(T input, T& output, T initial_value, Operation operation, T& aggregate,
                                    NEGZERO_CALL_SITE) {
    ExclusiveScan(one(input), one(output), initial_value, operation, aggregate, file, line, column);
  }
  template <typename Operation, typename Prefix>
  requires std::is_invocable_v<Operation&, T, T> && std::is_invocable_v<Prefix&, T> NEGZERO_INLINE void ExclusiveScan(
      T input, T& output, Operation operation, Prefix& prefix_of, NEGZERO_CALL_SITE) {
    ExclusiveScan(one(input), one(output), operation, prefix_of, file, line, column);
  }

  template <typename Items>
  NEGZERO_INLINE void InclusiveSum(Items&& input, std::remove_cvref_t<Items>& output, NEGZERO_CALL_SITE) {
    InclusiveScan(input, output, cub::Sum{}, file, line, column);
  }
  /// `more`: the aggregate, or what gives the prefix.
  template <typename Items, typename More>
  requires(!std::is_convertible_v<More, const char*>) NEGZERO_INLINE
      void InclusiveSum(Items&& input, std::remove_cvref_t<Items>& output, More& more, NEGZERO_CALL_SITE) {
    InclusiveScan(input, output, cub::Sum{}, more, file, line, column);
  }
  template <typename Items>
  NEGZERO_INLINE void ExclusiveSum(Items&& input, std::remove_cvref_t<Items>& output, NEGZERO_CALL_SITE) {
    ExclusiveScan(input, output, T{}, cub::Sum{}, file, line, column);
  }
  template <typename Items>
  NEGZERO_INLINE void ExclusiveSum(Items&& input, std::remove_cvref_t<Items>& output, T& aggregate, NEGZERO_CALL_SITE) {
    ExclusiveScan(input, output, T{}, cub::Sum{}, aggregate, file, line, column);
  }
  template <typename Items, typename Prefix>
  requires std::is_invocable_v<Prefix&, T> NEGZERO_INLINE void ExclusiveSum(Items&& input,
                                                                            std::remove_cvref_t<Items>& output,
                                                                            Prefix& prefix_of, NEGZERO_CALL_SITE) {
    ExclusiveScan(input, output, cub::Sum{}, prefix_of, file, line, column);
  }

 private:
  struct Nothing {};
  NEGZERO_INLINE static T (&one(T& item))[1] { return reinterpret_cast<T(&)[1]>(item); }

  template <bool is_inclusive, int ITEMS, typename Operation, typename Before>
  NEGZERO_INLINE T scan(T (&input)[ITEMS], T (&output)[ITEMS], Operation& operation, Before before,
                        host::CallSite site) {
    T* const of_warps = reinterpret_cast<T*>(storage_.of_warps);
    const int warp = static_cast<int>(WarpId());
    const bool is_first_lane = LaneId() == 0;
    const T mine = host::fold(input, operation);
    T exclusive = host::in_warp<kThreads>([&](auto size) {
      const T all = host::scan_lanes<size()>(mine, operation, site);
      if (static_cast<int>(LaneId()) == size() - 1) of_warps[warp] = all;
      return host::from_below<size()>(all, site);
    });
    host::wait(site);
    T aggregate = of_warps[0];
    for (int i = 1; i < kWarps; ++i) {
      if (i == warp) exclusive = is_first_lane ? aggregate : operation(aggregate, exclusive);
      aggregate = operation(aggregate, of_warps[i]);
    }
    bool has_exclusive = host::thread() > 0;
    if constexpr (!std::is_same_v<Before, Nothing>) {
      const T first = before(aggregate);
      exclusive = has_exclusive ? operation(first, exclusive) : first;
      has_exclusive = true;
    }
    for (int i = 0; i < ITEMS; ++i) {
      const T item = input[i], inclusive = has_exclusive ? operation(exclusive, item) : item;
      if constexpr (is_inclusive) {
        output[i] = inclusive;
      } else {
        output[i] = has_exclusive ? exclusive : host::undefined<T>();
      }
      exclusive = inclusive;
      has_exclusive = true;
    }
    return aggregate;
  }

  template <typename Prefix>
  NEGZERO_INLINE T prefix(T aggregate, Prefix& prefix_of, host::CallSite site) {
    T* const shared = reinterpret_cast<T*>(storage_.prefix);
    if (WarpId() == 0) {
      const T first = prefix_of(aggregate);
      if (LaneId() == 0) *shared = first;
    }
    host::wait(site);
    return *shared;
  }

  TempStorage& storage_;
};

}  // namespace NEGZERO_BUILD
}  // namespace cub

// CUB on the host: WarpReduce and WarpScan, over logical warps of 1 to 32 lanes.
//
// The order of the operands is documented as fixed and not which it is: here lane i takes lanes i + 1, i + 2, i + 4 ...
// (a reduction) or i - 1, i - 2, i - 4 ... (a scan), which is that of shuffles by growing distances.

#pragma once

#include <negzero/cuda/cub_words.hpp>

// NOLINTNEXTLINE: CUB has it at global scope.
namespace cub {
inline namespace NEGZERO_BUILD {
namespace host {

/// Lane 0 of the logical warp gets operation over its first `valid` lanes; the others something.
template <int Size, typename T, typename Operation>
NEGZERO_INLINE T reduce_lanes(T value, int valid, Operation& operation, CallSite site) {
  const int lane = static_cast<int>(LaneId()) % Size;
  for (int distance = 1; distance < Size; distance *= 2) {
    // Of a logical warp whose size is no power of two the segment is the whole warp.
    const T above = shuffle(WarpKind::ShuffleDown, lanes<Size>(), value, static_cast<unsigned>(distance),
                            (Size & (Size - 1)) == 0 ? Size : 32, site);
    if (lane + distance < valid) value = operation(value, above);
  }
  return value;
}

template <int Size, typename T, typename Operation>
NEGZERO_INLINE T scan_lanes(T value, Operation& operation, CallSite site) {
  const int lane = static_cast<int>(LaneId()) % Size;
  for (int distance = 1; distance < Size; distance *= 2) {
    const T below = shuffle(WarpKind::ShuffleUp, lanes<Size>(), value, static_cast<unsigned>(distance),
                            (Size & (Size - 1)) == 0 ? Size : 32, site);
    if (lane >= distance) value = operation(below, value);
  }
  return value;
}

template <int Size, typename T>
NEGZERO_INLINE T from_below(T value, CallSite site) {
  return shuffle(WarpKind::ShuffleUp, lanes<Size>(), value, 1u, (Size & (Size - 1)) == 0 ? Size : 32, site);
}
template <int Size, typename T>
NEGZERO_INLINE T from_lane(T value, int lane, CallSite site) {
  const int first = static_cast<int>(LaneId()) / Size * Size;
  return shuffle(WarpKind::Shuffle, lanes<Size>(), value, static_cast<unsigned>(first + lane), 32, site);
}

}  // namespace host

template <typename T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpReduce {
  static_assert(1 <= LOGICAL_WARP_THREADS && LOGICAL_WARP_THREADS <= 32);
  static constexpr int kSize = LOGICAL_WARP_THREADS;

 public:
  struct TempStorage {
    unsigned char unused;
  };
  NEGZERO_INLINE explicit WarpReduce(TempStorage&) {}

  /// The result is lane 0's; undefined in the others.
  template <typename Operation>
  NEGZERO_INLINE T Reduce(T input, Operation operation, int valid_items, NEGZERO_CALL_SITE) {
    const T result = host::reduce_lanes<kSize>(input, valid_items, operation, {file, line, column});
    return LaneId() % kSize == 0 ? result : host::undefined<T>();
  }
  template <typename Operation>
  NEGZERO_INLINE T Reduce(T input, Operation operation, NEGZERO_CALL_SITE) {
    return Reduce(input, operation, kSize, file, line, column);
  }
  NEGZERO_INLINE T Sum(T input, NEGZERO_CALL_SITE) { return Reduce(input, cub::Sum{}, kSize, file, line, column); }
  NEGZERO_INLINE T Sum(T input, int valid_items, NEGZERO_CALL_SITE) {
    return Reduce(input, cub::Sum{}, valid_items, file, line, column);
  }
  NEGZERO_INLINE T Max(T input, NEGZERO_CALL_SITE) { return Reduce(input, cub::Max{}, kSize, file, line, column); }
  NEGZERO_INLINE T Min(T input, NEGZERO_CALL_SITE) { return Reduce(input, cub::Min{}, kSize, file, line, column); }

  /// Segments begin where `flag` is set; each head gets the result of its segment, the others something undefined.
  template <typename Operation, typename Flag>
  NEGZERO_INLINE T HeadSegmentedReduce(T input, Flag flag, Operation operation, NEGZERO_CALL_SITE) {
    return segmented(input, flag != 0, true, operation, {file, line, column});
  }
  /// Segments end where `flag` is set; the first lane of each gets the result.
  template <typename Operation, typename Flag>
  NEGZERO_INLINE T TailSegmentedReduce(T input, Flag flag, Operation operation, NEGZERO_CALL_SITE) {
    return segmented(input, flag != 0, false, operation, {file, line, column});
  }
  template <typename Flag>
  NEGZERO_INLINE T HeadSegmentedSum(T input, Flag flag, NEGZERO_CALL_SITE) {
    return HeadSegmentedReduce(input, flag, cub::Sum{}, file, line, column);
  }
  template <typename Flag>
  NEGZERO_INLINE T TailSegmentedSum(T input, Flag flag, NEGZERO_CALL_SITE) {
    return TailSegmentedReduce(input, flag, cub::Sum{}, file, line, column);
  }

 private:
  template <typename Operation>
  NEGZERO_INLINE T segmented(T input, bool flag, bool is_head, Operation& operation, host::CallSite site) {
    const unsigned flags =
        host::global::__ballot_sync(host::lanes<kSize>(), flag ? 1 : 0, site.file, site.line, site.column);
    const unsigned first = LaneId() / kSize * kSize, lane = LaneId() % kSize;
    const unsigned mine = flags >> first;
    // The lanes from this one that are of its segment.
    unsigned end = lane + 1;
    if (is_head) {
      while (end < kSize && (mine >> end & 1) == 0) ++end;
    } else {
      end = lane;
      while (end < kSize - 1 && (mine >> end & 1) == 0) ++end;
      ++end;
    }
    T value = input;
    for (int distance = 1; distance < kSize; distance *= 2) {
      const T above = host::shuffle(host::WarpKind::ShuffleDown, host::lanes<kSize>(), value,
                                    static_cast<unsigned>(distance), (kSize & (kSize - 1)) == 0 ? kSize : 32, site);
      if (lane + static_cast<unsigned>(distance) < end) value = operation(value, above);
    }
    const bool begins = lane == 0 || (is_head ? (mine >> lane & 1) != 0 : (mine >> (lane - 1) & 1) != 0);
    return begins ? value : host::undefined<T>();
  }
};

template <typename T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpScan {
  static constexpr int kSize = LOGICAL_WARP_THREADS;

 public:
  struct TempStorage {
    unsigned char unused;
  };
  NEGZERO_INLINE explicit WarpScan(TempStorage&) {}

  template <typename Operation>
  NEGZERO_INLINE void InclusiveScan(T input, T& output, Operation operation, NEGZERO_CALL_SITE) {
    output = host::scan_lanes<kSize>(input, operation, {file, line, column});
  }
  /// `aggregate`, in every lane: operation over all of them.
  template <typename Operation>
  NEGZERO_INLINE void InclusiveScan(T input, T& output, Operation operation, T& aggregate, NEGZERO_CALL_SITE) {
    output = host::scan_lanes<kSize>(input, operation, {file, line, column});
    aggregate = host::from_lane<kSize>(output, kSize - 1, {file, line, column});
  }
  /// Lane 0's output is undefined.
  template <typename Operation>
  NEGZERO_INLINE void ExclusiveScan(T input, T& output, Operation operation, NEGZERO_CALL_SITE) {
    T all;
    Scan(input, all, output, operation, file, line, column);
  }
  template <typename Operation>
  NEGZERO_INLINE void ExclusiveScan(T input, T& output, T initial_value, Operation operation, NEGZERO_CALL_SITE) {
    T all;
    Scan(input, all, output, initial_value, operation, file, line, column);
  }
  /// `aggregate` is without `initial_value`.
  template <typename Operation>
  NEGZERO_INLINE void ExclusiveScan(T input, T& output, T initial_value, Operation operation, T& aggregate,
                                    NEGZERO_CALL_SITE) {
    const T all = host::scan_lanes<kSize>(input, operation, {file, line, column});
    aggregate = host::from_lane<kSize>(all, kSize - 1, {file, line, column});
    const T below = host::from_below<kSize>(all, {file, line, column});
    output = LaneId() % kSize == 0 ? initial_value : operation(initial_value, below);
  }
  template <typename Operation>
  NEGZERO_INLINE void Scan(T input, T& inclusive, T& exclusive, Operation operation, NEGZERO_CALL_SITE) {
    inclusive = host::scan_lanes<kSize>(input, operation, {file, line, column});
    const T below = host::from_below<kSize>(inclusive, {file, line, column});
    exclusive = LaneId() % kSize == 0 ? host::undefined<T>() : below;
  }
  template <typename Operation>
  NEGZERO_INLINE void Scan(T input, T& inclusive, T& exclusive, T initial_value, Operation operation,
                           NEGZERO_CALL_SITE) {
    const T all = host::scan_lanes<kSize>(input, operation, {file, line, column});
    const T below = host::from_below<kSize>(all, {file, line, column});
    inclusive = operation(initial_value, all);
    exclusive = LaneId() % kSize == 0 ? initial_value : operation(initial_value, below);
  }

  NEGZERO_INLINE void InclusiveSum(T input, T& output, NEGZERO_CALL_SITE) {
    InclusiveScan(input, output, cub::Sum{}, file, line, column);
  }
  NEGZERO_INLINE void InclusiveSum(T input, T& output, T& aggregate, NEGZERO_CALL_SITE) {
    InclusiveScan(input, output, cub::Sum{}, aggregate, file, line, column);
  }
  NEGZERO_INLINE void ExclusiveSum(T input, T& output, NEGZERO_CALL_SITE) {
    ExclusiveScan(input, output, T{}, cub::Sum{}, file, line, column);
  }
  NEGZERO_INLINE void ExclusiveSum(T input, T& output, T& aggregate, NEGZERO_CALL_SITE) {
    ExclusiveScan(input, output, T{}, cub::Sum{}, aggregate, file, line, column);
  }
  NEGZERO_INLINE T Broadcast(T input, unsigned lane, NEGZERO_CALL_SITE) {
    return host::from_lane<kSize>(input, static_cast<int>(lane), {file, line, column});
  }
};

}  // namespace NEGZERO_BUILD
}  // namespace cub

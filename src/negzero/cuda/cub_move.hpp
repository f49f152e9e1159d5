// CUB on the host: BlockLoad, BlockStore and BlockExchange.
//
// Item i of thread t is the block's item t * ITEMS + i ("blocked") or i * threads + t ("striped"). Algorithms that
// transpose go through TempStorage and a barrier, as CUB's do; the direct ones need neither.

#pragma once

#include <negzero/cuda/cub_block.hpp>

// NOLINTNEXTLINE: CUB has it at global scope.
namespace cub {
inline namespace NEGZERO_BUILD {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void LoadDirectBlocked(int thread, Iterator from, T (&items)[ITEMS]) {
  for (int i = 0; i < ITEMS; ++i) items[i] = from[thread * ITEMS + i];
}
/// Items from `valid` on keep what they had.
template <typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void LoadDirectBlocked(int thread, Iterator from, T (&items)[ITEMS], int valid) {
  for (int i = 0; i < ITEMS; ++i) {
    if (thread * ITEMS + i < valid) items[i] = from[thread * ITEMS + i];
  }
}
template <typename T, typename Default, int ITEMS, typename Iterator>
NEGZERO_INLINE void LoadDirectBlocked(int thread, Iterator from, T (&items)[ITEMS], int valid, Default rest) {
  for (T& item : items) item = rest;
  LoadDirectBlocked(thread, from, items, valid);
}
template <int THREADS, typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void LoadDirectStriped(int thread, Iterator from, T (&items)[ITEMS]) {
  for (int i = 0; i < ITEMS; ++i) items[i] = from[i * THREADS + thread];
}
template <int THREADS, typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void LoadDirectStriped(int thread, Iterator from, T (&items)[ITEMS], int valid) {
  for (int i = 0; i < ITEMS; ++i) {
    if (i * THREADS + thread < valid) items[i] = from[i * THREADS + thread];
  }
}
template <int THREADS, typename T, typename Default, int ITEMS, typename Iterator>
NEGZERO_INLINE void LoadDirectStriped(int thread, Iterator from, T (&items)[ITEMS], int valid, Default rest) {
  for (T& item : items) item = rest;
  LoadDirectStriped<THREADS>(thread, from, items, valid);
}
template <typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void StoreDirectBlocked(int thread, Iterator to, T (&items)[ITEMS]) {
  for (int i = 0; i < ITEMS; ++i) to[thread * ITEMS + i] = items[i];
}
template <typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void StoreDirectBlocked(int thread, Iterator to, T (&items)[ITEMS], int valid) {
  for (int i = 0; i < ITEMS; ++i) {
    if (thread * ITEMS + i < valid) to[thread * ITEMS + i] = items[i];
  }
}
template <int THREADS, typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void StoreDirectStriped(int thread, Iterator to, T (&items)[ITEMS]) {
  for (int i = 0; i < ITEMS; ++i) to[i * THREADS + thread] = items[i];
}
template <int THREADS, typename T, int ITEMS, typename Iterator>
NEGZERO_INLINE void StoreDirectStriped(int thread, Iterator to, T (&items)[ITEMS], int valid) {
  for (int i = 0; i < ITEMS; ++i) {
    if (i * THREADS + thread < valid) to[i * THREADS + thread] = items[i];
  }
}

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool WARP_TIME_SLICING = false, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockExchange {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, kItems = ITEMS_PER_THREAD;

 public:
  struct TempStorage {
    alignas(T) unsigned char items[sizeof(T) * kThreads * kItems];
  };
  NEGZERO_INLINE BlockExchange() : storage_(host::own_storage<TempStorage>()) {}
  NEGZERO_INLINE explicit BlockExchange(TempStorage& storage) : storage_(storage) {}

  template <typename U>
  NEGZERO_INLINE void StripedToBlocked(const T (&from)[kItems], U (&to)[kItems], NEGZERO_CALL_SITE) {
    move(from, to, striped, blocked, {file, line, column});
  }
  template <typename U>
  NEGZERO_INLINE void BlockedToStriped(const T (&from)[kItems], U (&to)[kItems], NEGZERO_CALL_SITE) {
    move(from, to, blocked, striped, {file, line, column});
  }
  /// Item i goes to place ranks[i] of the block.
  template <typename U, typename Rank>
  NEGZERO_INLINE void ScatterToBlocked(const T (&from)[kItems], U (&to)[kItems], Rank (&ranks)[kItems],
                                       NEGZERO_CALL_SITE) {
    move(from, to, [&](int i) { return static_cast<int>(ranks[i]); }, blocked, {file, line, column});
  }
  template <typename U, typename Rank>
  NEGZERO_INLINE void ScatterToStriped(const T (&from)[kItems], U (&to)[kItems], Rank (&ranks)[kItems],
                                       NEGZERO_CALL_SITE) {
    move(from, to, [&](int i) { return static_cast<int>(ranks[i]); }, striped, {file, line, column});
  }
  // In place, as older releases have it.
  NEGZERO_INLINE void StripedToBlocked(T (&items)[kItems], NEGZERO_CALL_SITE) {
    StripedToBlocked(items, items, file, line, column);
  }
  NEGZERO_INLINE void BlockedToStriped(T (&items)[kItems], NEGZERO_CALL_SITE) {
    BlockedToStriped(items, items, file, line, column);
  }

 private:
  NEGZERO_INLINE static int blocked(int i) { return host::thread() * kItems + i; }
  NEGZERO_INLINE static int striped(int i) { return i * kThreads + host::thread(); }

  template <typename U, typename From, typename To>
  NEGZERO_INLINE void move(const T (&from)[kItems], U (&to)[kItems], From from_place, To to_place,
                           host::CallSite site) {
    T* const shared = reinterpret_cast<T*>(storage_.items);
    for (int i = 0; i < kItems; ++i) shared[from_place(i)] = from[i];
    host::wait(site);
    for (int i = 0; i < kItems; ++i) to[i] = shared[to_place(i)];
  }

  TempStorage& storage_;
};

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockLoad {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, kItems = ITEMS_PER_THREAD;
  static constexpr bool kIsStriped = ALGORITHM == BLOCK_LOAD_STRIPED, kTransposes = ALGORITHM >= BLOCK_LOAD_TRANSPOSE;
  static_assert(ALGORITHM < BLOCK_LOAD_WARP_TRANSPOSE || kThreads % 32 == 0, "this algorithm takes whole warps");
  using Exchange = BlockExchange<T, BLOCK_DIM_X, ITEMS_PER_THREAD, false, BLOCK_DIM_Y, BLOCK_DIM_Z>;

 public:
  using TempStorage = std::conditional_t<kTransposes, typename Exchange::TempStorage, Uninitialized<NullType>>;
  NEGZERO_INLINE BlockLoad() : storage_(host::own_storage<TempStorage>()) {}
  NEGZERO_INLINE explicit BlockLoad(TempStorage& storage) : storage_(storage) {}

  /// Loads a whole block's items.
  template <typename Iterator>
  NEGZERO_INLINE void Load(Iterator from, T (&items)[kItems], NEGZERO_CALL_SITE) {
    load(from, items, {file, line, column});
  }
  /// The first `valid_items` of the block's. Items behind them keep what they had; where the algorithm transposes they
  /// are undefined.
  template <typename Iterator>
  NEGZERO_INLINE void Load(Iterator from, T (&items)[kItems], int valid_items, NEGZERO_CALL_SITE) {
    load(from, items, {file, line, column}, valid_items);
  }
  /// The same with `rest` in place of those behind.
  template <typename Iterator, typename Default>
  requires(!std::is_convertible_v<Default, const char*>) NEGZERO_INLINE
      void Load(Iterator from, T (&items)[kItems], int valid_items, Default rest, NEGZERO_CALL_SITE) {
    load(from, items, {file, line, column}, valid_items, rest);
  }

 private:
  template <typename Iterator, typename... Limits>
  NEGZERO_INLINE void load(Iterator from, T (&items)[kItems], host::CallSite site, Limits... limits) {
    if constexpr (kIsStriped || kTransposes) {
      LoadDirectStriped<kThreads>(host::thread(), from, items, limits...);
    } else {
      LoadDirectBlocked(host::thread(), from, items, limits...);
    }
    if constexpr (kTransposes) Exchange(storage_).StripedToBlocked(items, items, site.file, site.line, site.column);
  }

  TempStorage& storage_;
};

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockStore {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, kItems = ITEMS_PER_THREAD;
  static constexpr bool kIsStriped = ALGORITHM == BLOCK_STORE_STRIPED, kTransposes = ALGORITHM >= BLOCK_STORE_TRANSPOSE;
  static_assert(ALGORITHM < BLOCK_STORE_WARP_TRANSPOSE || kThreads % 32 == 0, "this algorithm takes whole warps");
  using Exchange = BlockExchange<T, BLOCK_DIM_X, ITEMS_PER_THREAD, false, BLOCK_DIM_Y, BLOCK_DIM_Z>;

 public:
  using TempStorage = std::conditional_t<kTransposes, typename Exchange::TempStorage, Uninitialized<NullType>>;
  NEGZERO_INLINE BlockStore() : storage_(host::own_storage<TempStorage>()) {}
  NEGZERO_INLINE explicit BlockStore(TempStorage& storage) : storage_(storage) {}

  template <typename Iterator>
  NEGZERO_INLINE void Store(Iterator to, T (&items)[kItems], NEGZERO_CALL_SITE) {
    Store(to, items, kThreads * kItems, file, line, column);
  }
  /// Stores the first `valid_items` of the block's.
  template <typename Iterator>
  NEGZERO_INLINE void Store(Iterator to, T (&items)[kItems], int valid_items, NEGZERO_CALL_SITE) {
    if constexpr (kTransposes) {
      T moved[kItems];
      Exchange(storage_).BlockedToStriped(items, moved, file, line, column);
      StoreDirectStriped<kThreads>(host::thread(), to, moved, valid_items);
    } else if constexpr (kIsStriped) {
      StoreDirectStriped<kThreads>(host::thread(), to, items, valid_items);
    } else {
      StoreDirectBlocked(host::thread(), to, items, valid_items);
    }
  }

 private:
  TempStorage& storage_;
};

}  // namespace NEGZERO_BUILD
}  // namespace cub

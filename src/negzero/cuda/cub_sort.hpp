// CUB on the host: BlockRadixSort. Thread 0 sorts between two barriers, which is as good as any order of equal work;
// what the kernel sees of TempStorage and of barriers is what it sees on a GPU.

#pragma once

#include <algorithm>
#include <limits>

#include <negzero/cuda/cub_scan.hpp>

// NOLINTNEXTLINE: CUB has it at global scope.
namespace cub {
inline namespace NEGZERO_BUILD {
namespace host {

/// The bits of a key as an unsigned number of the same order: of signed and floating-point keys the sign is turned, and
/// of negative floating-point ones all others too. Zeros of either sign are one key.
template <typename Key>
NEGZERO_INLINE std::uint64_t radix_of(const Key& key) {
  static_assert(sizeof(Key) <= 8, "keys of more than 8 bytes, and those that are taken apart, are not there");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &key, sizeof(Key));
  constexpr std::uint64_t kSign = std::uint64_t{1} << (8 * sizeof(Key) - 1);
  constexpr std::uint64_t kAll = kSign | (kSign - 1);
  if constexpr (std::is_integral_v<Key>) return std::is_signed_v<Key> ? bits ^ kSign : bits;
  if (bits == kSign) bits = 0;
  return (bits & kSign) != 0 ? ~bits & kAll : bits | kSign;
}

}  // namespace host

template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int RADIX_BITS = 4,
          bool MEMOIZE_OUTER_SCAN = true, BlockScanAlgorithm INNER_SCAN_ALGORITHM = BLOCK_SCAN_WARP_SCANS,
          int SMEM_CONFIG = 0, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockRadixSort {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, kItems = ITEMS_PER_THREAD;
  static constexpr int kAll = kThreads * kItems, kBits = 8 * sizeof(KeyT);
  static constexpr bool kHasValues = !std::is_same_v<ValueT, NullType>;

 public:
  struct TempStorage {
    alignas(KeyT) unsigned char keys[sizeof(KeyT) * kAll];
    alignas(ValueT) unsigned char values[kHasValues ? sizeof(ValueT) * kAll : 1];
    int order[kAll];
  };
  NEGZERO_INLINE BlockRadixSort() : storage_(host::own_storage<TempStorage>()) {}
  NEGZERO_INLINE explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

  // Sorts by bits [begin_bit, end_bit) of the keys; equal ones keep their order. Items are blocked before, and blocked
  // or striped after.
  NEGZERO_INLINE void Sort(KeyT (&keys)[kItems], int begin_bit = 0, int end_bit = kBits, NEGZERO_CALL_SITE) {
    sort(keys, none(), begin_bit, end_bit, false, false, {file, line, column});
  }
  NEGZERO_INLINE void Sort(KeyT (&keys)[kItems], ValueT (&values)[kItems], int begin_bit = 0, int end_bit = kBits,
                           NEGZERO_CALL_SITE) {
    sort(keys, values, begin_bit, end_bit, false, false, {file, line, column});
  }
  NEGZERO_INLINE void SortDescending(KeyT (&keys)[kItems], int begin_bit = 0, int end_bit = kBits, NEGZERO_CALL_SITE) {
    sort(keys, none(), begin_bit, end_bit, true, false, {file, line, column});
  }
  NEGZERO_INLINE void SortDescending(KeyT (&keys)[kItems], ValueT (&values)[kItems], int begin_bit = 0,
                                     int end_bit = kBits, NEGZERO_CALL_SITE) {
    sort(keys, values, begin_bit, end_bit, true, false, {file, line, column});
  }
  NEGZERO_INLINE void SortBlockedToStriped(KeyT (&keys)[kItems], int begin_bit = 0, int end_bit = kBits,
                                           NEGZERO_CALL_SITE) {
    sort(keys, none(), begin_bit, end_bit, false, true, {file, line, column});
  }
  NEGZERO_INLINE void SortBlockedToStriped(KeyT (&keys)[kItems], ValueT (&values)[kItems], int begin_bit = 0,
                                           int end_bit = kBits, NEGZERO_CALL_SITE) {
    sort(keys, values, begin_bit, end_bit, false, true, {file, line, column});
  }
  NEGZERO_INLINE void SortDescendingBlockedToStriped(KeyT (&keys)[kItems], int begin_bit = 0, int end_bit = kBits,
                                                     NEGZERO_CALL_SITE) {
    sort(keys, none(), begin_bit, end_bit, true, true, {file, line, column});
  }
  NEGZERO_INLINE void SortDescendingBlockedToStriped(KeyT (&keys)[kItems], ValueT (&values)[kItems], int begin_bit = 0,
                                                     int end_bit = kBits, NEGZERO_CALL_SITE) {
    sort(keys, values, begin_bit, end_bit, true, true, {file, line, column});
  }

 private:
  struct None {};
  NEGZERO_INLINE static None none() { return {}; }

  template <typename Values>
  NEGZERO_INLINE void sort(KeyT (&keys)[kItems], Values&& values, int begin_bit, int end_bit, bool is_descending,
                           bool is_striped, host::CallSite site) {
    constexpr bool kMovesValues = kHasValues && !std::is_same_v<std::remove_cvref_t<Values>, None>;
    KeyT* const all_keys = reinterpret_cast<KeyT*>(storage_.keys);
    ValueT* const all_values = reinterpret_cast<ValueT*>(storage_.values);
    for (int i = 0; i < kItems; ++i) {
      const int place = host::thread() * kItems + i;
      all_keys[place] = keys[i];
      if constexpr (kMovesValues) all_values[place] = values[i];
      storage_.order[place] = place;
    }
    host::wait(site);
    if (host::thread() == 0) {
      const int bits = end_bit - begin_bit;
      const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      // By place where keys are equal: stable, without memory of the host, which is none of the kernel's.
      std::sort(storage_.order, storage_.order + kAll, [&](int a, int b) {
        const std::uint64_t first = host::radix_of(all_keys[a]) >> begin_bit & mask,
                            second = host::radix_of(all_keys[b]) >> begin_bit & mask;
        if (first == second) return a < b;
        return is_descending ? second < first : first < second;
      });
    }
    host::wait(site);
    for (int i = 0; i < kItems; ++i) {
      const int from = storage_.order[is_striped ? i * kThreads + host::thread() : host::thread() * kItems + i];
      keys[i] = all_keys[from];
      if constexpr (kMovesValues) values[i] = all_values[from];
    }
  }

  TempStorage& storage_;
};

}  // namespace NEGZERO_BUILD
}  // namespace cub

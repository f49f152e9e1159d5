// Cooperative groups on the host: reductions and scans over the lanes of one warp.
//
// CUDA documents no order of the operands. This is the one of its headers (13.0), so that sums of floats have the bits
// that a GPU's have: a tile folds halves, lane r with lane r ^ Size/2, then r ^ Size/4 ... r ^ 1, each lane for itself
// (lanes may hold different results where the operation does not commute or rounds differently); a scan, and a
// reduction of a coalesced group of fewer than 32, takes lanes 1, 2, 4 ... ranks below, own value first.

#pragma once

#include <concepts>
#include <functional>

#include <negzero/cuda/group_partitions.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace cooperative_groups {
inline namespace NEGZERO_BUILD {

template <typename T>
struct plus {
  NEGZERO_INLINE T operator()(T a, T b) const { return a + b; }
};
/// The smaller one; the first operand where either is NaN or both are zeros.
template <typename T>
struct less {
  NEGZERO_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
/// The larger one; the first operand where either is NaN or both are zeros.
template <typename T>
struct greater {
  NEGZERO_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  NEGZERO_INLINE T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  NEGZERO_INLINE T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  NEGZERO_INLINE T operator()(T a, T b) const { return a ^ b; }
};

namespace details {

template <typename Group>
inline constexpr bool kIsTile = false;
template <unsigned Size, typename Parent>
inline constexpr bool kIsTile<thread_block_tile<Size, Parent>> = true;
template <typename Group>
concept Lanes = kIsTile<Group> || std::same_as<Group, coalesced_group>;

template <typename Group, typename T, typename Operation>
NEGZERO_INLINE T scan_lanes(const Group& group, T value, Operation& operation, CallSite site) {
  const unsigned rank = group.thread_rank();
  for (unsigned i = 1; i < group.size(); i <<= 1) {
    const T below = group.shfl_up(value, i, site.file, site.line, site.column);
    if (i <= rank) value = operation(value, below);
  }
  return value;
}

template <typename T, typename Operation>
NEGZERO_INLINE T fold_halves(unsigned mask, unsigned size, T value, Operation& operation, CallSite site) {
  for (unsigned i = size / 2; i > 0; i /= 2) {
    value = operation(value, shuffle(WarpKind::ShuffleXor, mask, value, i, size, site));
  }
  return value;
}

}  // namespace details

/// operation over the values of all threads of the group; every thread gets it.
template <details::Lanes Group, typename T, typename Operation>
NEGZERO_INLINE auto reduce(const Group& group, T&& value, Operation&& operation, NEGZERO_CALL_SITE) {
  using Value = std::remove_cvref_t<T>;
  const details::CallSite site{file, line, column};
  if constexpr (details::kIsTile<Group>) {
    return details::fold_halves<Value>(group.negzero_mask(), Group::size(), value, operation, site);
  } else {
    if (group.size() == 32) return details::fold_halves<Value>(~0u, 32, value, operation, site);
    const Value scanned = details::scan_lanes<Group, Value>(group, value, operation, site);
    return group.shfl(scanned, group.size() - 1, file, line, column);
  }
}

/// operation over the values of the threads up to the caller, in the order of their ranks.
template <details::Lanes Group, typename T, typename Operation>
NEGZERO_INLINE auto inclusive_scan(const Group& group, T&& value, Operation&& operation, NEGZERO_CALL_SITE) {
  return details::scan_lanes<Group, std::remove_cvref_t<T>>(group, value, operation, {file, line, column});
}
template <details::Lanes Group, typename T>
NEGZERO_INLINE auto inclusive_scan(const Group& group, T&& value, NEGZERO_CALL_SITE) {
  plus<std::remove_cvref_t<T>> operation;
  return details::scan_lanes<Group, std::remove_cvref_t<T>>(group, value, operation, {file, line, column});
}

/// The same without the caller's own value. The first thread gets T{}, whatever the operation's neutral element is:
/// CUDA leaves it undefined for operations other than plus, and its headers give that.
template <details::Lanes Group, typename T, typename Operation>
NEGZERO_INLINE auto exclusive_scan(const Group& group, T&& value, Operation&& operation, NEGZERO_CALL_SITE) {
  using Value = std::remove_cvref_t<T>;
  const Value all = details::scan_lanes<Group, Value>(group, value, operation, {file, line, column});
  const Value below = group.shfl_up(all, 1, file, line, column);
  return group.thread_rank() == 0 ? Value{} : below;
}
template <details::Lanes Group, typename T>
NEGZERO_INLINE auto exclusive_scan(const Group& group, T&& value, NEGZERO_CALL_SITE) {
  return exclusive_scan(group, value, plus<std::remove_cvref_t<T>>{}, file, line, column);
}

}  // namespace NEGZERO_BUILD
}  // namespace cooperative_groups

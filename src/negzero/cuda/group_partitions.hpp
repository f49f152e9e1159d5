// Cooperative groups on the host: how a group is divided into smaller ones.

#pragma once

#include <negzero/cuda/group_tiles.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace cooperative_groups {
inline namespace NEGZERO_BUILD {

/// The lanes of __activemask() at this place. Under one schedule in eight the lanes that come together are divided in
/// two by lot, and each gets its part: CUDA promises no more about which lanes are converged than that the calling one
/// is (CUDA C++ Programming Guide, Coalesced Groups), and a kernel whose result depends on more is wrong.
NEGZERO_INLINE coalesced_group coalesced_threads(NEGZERO_CALL_SITE) {
  return coalesced_group(
      negzero::cuda_on_host::global::active_lanes(details::WarpKind::Coalesced, {file, line, column}));
}

template <unsigned Size, typename Parent>
NEGZERO_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  static_assert(!std::is_same_v<Parent, thread_group> && !std::is_same_v<Parent, coalesced_group>,
                "tiled_partition<N> divides a block or a tile, tiled_partition(group, n) the others");
  return thread_block_tile<Size, Parent>(parent);
}
template <unsigned Size, unsigned ParentSize, typename GrandParent>
NEGZERO_INLINE auto tiled_partition(const thread_block_tile<ParentSize, GrandParent>& parent) {
  static_assert(Size < ParentSize, "a tile is smaller than the one that it is part of");
  return thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>>(parent);
}

/// Parts of `size` threads with successive ranks; the last one may be smaller. Ends the kernel unless `size` is a power
/// of two up to 32, as CUDA does.
NEGZERO_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0) __builtin_trap();
  if (parent.size() <= size) return parent;
  const unsigned part = parent.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned rest = parent.negzero_mask(); rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == part) mask |= rest & (~rest + 1);
  }
  return coalesced_group(mask, part, (parent.size() + size - 1) / size);
}
NEGZERO_INLINE thread_group tiled_partition(const thread_block&, unsigned size) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0) __builtin_trap();
  const unsigned threads = details::threads_in_block();
  const unsigned part = details::thread_in_block() / size;
  const unsigned members = threads - part * size < size ? threads - part * size : size;
  return coalesced_group((~0u >> (32 - members)) << (details::lane() & ~(size - 1)), part, (threads + size - 1) / size);
}
/// Ends the kernel where `parent` is a grid, as CUDA does.
NEGZERO_INLINE thread_group tiled_partition(const thread_group& parent, unsigned size) {
  switch (parent.kind_) {
    case thread_group::Kind::Block:
      return tiled_partition(thread_block(), size);
    case thread_group::Kind::Lanes:
      return tiled_partition(coalesced_group(parent.mask_, parent.meta_rank_, parent.meta_size_), size);
    default:
      __builtin_trap();
  }
}

namespace details {

template <typename Group>
NEGZERO_INLINE coalesced_group divide_in_two(const Group& group, bool predicate, CallSite site) {
  const unsigned mask = group.negzero_mask();
  const unsigned held = vote(WarpKind::Ballot, mask, predicate ? 1u : 0u, site);
  // Lanes that a block does not have are in a tile's mask, and in neither part.
  if (held == mask || held == 0) return coalesced_group(mask, 0, 1);
  return coalesced_group(predicate ? held : mask & ~held, predicate ? 1 : 0, 2);
}

template <typename Group, typename T>
NEGZERO_INLINE coalesced_group divide_by_label(const Group& group, T label, CallSite site) {
  static_assert(std::is_integral_v<T> || std::is_pointer_v<T>, "labels are integers or pointers");
  if constexpr (std::is_same_v<T, bool>) {
    return divide_in_two(group, label, site);
  } else {
    const unsigned mask = group.negzero_mask();
    const unsigned part =
        negzero::cuda_on_host::global::__match_any_sync(mask, label, site.file, site.line, site.column);
    const auto first = static_cast<unsigned>(std::countr_zero(part));
    const unsigned firsts = vote(WarpKind::Ballot, mask, first == lane() ? 1u : 0u, site);
    return coalesced_group(part, count(firsts & ((1u << first) - 1)), count(firsts));
  }
}

}  // namespace details

/// The threads of the group whose predicate is the caller's. The part where it holds has meta_group_rank() 1.
NEGZERO_INLINE coalesced_group binary_partition(const coalesced_group& group, bool predicate, NEGZERO_CALL_SITE) {
  return details::divide_in_two(group, predicate, {file, line, column});
}
template <unsigned Size, typename Parent>
NEGZERO_INLINE coalesced_group binary_partition(const thread_block_tile<Size, Parent>& group, bool predicate,
                                                NEGZERO_CALL_SITE) {
  return details::divide_in_two(group, predicate, {file, line, column});
}

/// The threads of the group whose label is the caller's. Parts are ranked by their first lanes.
template <typename T>
NEGZERO_INLINE coalesced_group labeled_partition(const coalesced_group& group, T label, NEGZERO_CALL_SITE) {
  return details::divide_by_label(group, label, {file, line, column});
}
template <unsigned Size, typename Parent, typename T>
NEGZERO_INLINE coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& group, T label,
                                                 NEGZERO_CALL_SITE) {
  return details::divide_by_label(group, label, {file, line, column});
}

}  // namespace NEGZERO_BUILD
}  // namespace cooperative_groups

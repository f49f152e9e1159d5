// Cooperative groups on the host: tiles and coalesced groups, which are lanes of one warp.

#pragma once

#include <concepts>

#include <negzero/cuda/groups.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace cooperative_groups {
inline namespace NEGZERO_BUILD {

/// Lanes of one warp, ranked by their order in it.
class coalesced_group : public thread_group {
 public:
  NEGZERO_INLINE unsigned size() const { return details::count(mask_); }
  NEGZERO_INLINE unsigned num_threads() const { return size(); }
  NEGZERO_INLINE unsigned thread_rank() const { return details::rank_in(mask_); }
  NEGZERO_INLINE unsigned meta_group_rank() const { return meta_rank_; }
  NEGZERO_INLINE unsigned meta_group_size() const { return meta_size_; }
  NEGZERO_INLINE void sync(NEGZERO_CALL_SITE) const {
    details::vote(details::WarpKind::Sync, mask_, 0u, {file, line, column});
  }

  /// Shuffles count ranks. One past either end of the group answers the lane's own value, as in CUDA; a rank that no
  /// thread has is undefined there, and reported here where lane 31 is not of the group.
  template <typename T>
  NEGZERO_INLINE T shfl(T value, unsigned rank, NEGZERO_CALL_SITE) const {
    return from_lane(value, details::lane_of_rank(mask_, rank), {file, line, column});
  }
  template <typename T>
  NEGZERO_INLINE T shfl_up(T value, unsigned delta, NEGZERO_CALL_SITE) const {
    const unsigned rank = thread_rank();
    return from_lane(value, delta <= rank ? details::lane_of_rank(mask_, rank - delta) : details::lane(),
                     {file, line, column});
  }
  template <typename T>
  NEGZERO_INLINE T shfl_down(T value, unsigned delta, NEGZERO_CALL_SITE) const {
    const unsigned rank = thread_rank();
    return from_lane(value, delta < size() - rank ? details::lane_of_rank(mask_, rank + delta) : details::lane(),
                     {file, line, column});
  }

  NEGZERO_INLINE int any(int predicate, NEGZERO_CALL_SITE) const {
    return details::vote(details::WarpKind::Any, mask_, predicate != 0 ? 1 : 0, {file, line, column});
  }
  NEGZERO_INLINE int all(int predicate, NEGZERO_CALL_SITE) const {
    return details::vote(details::WarpKind::All, mask_, predicate != 0 ? 1 : 0, {file, line, column});
  }
  /// Bit r: the predicate of the thread with rank r.
  NEGZERO_INLINE unsigned ballot(int predicate, NEGZERO_CALL_SITE) const {
    return ranks_of(details::vote(details::WarpKind::Ballot, mask_, predicate != 0 ? 1u : 0u, {file, line, column}));
  }
  template <typename T>
  NEGZERO_INLINE unsigned match_any(T value, NEGZERO_CALL_SITE) const {
    return ranks_of(negzero::cuda_on_host::global::__match_any_sync(mask_, value, file, line, column));
  }
  template <typename T>
  NEGZERO_INLINE unsigned match_all(T value, int& predicate, NEGZERO_CALL_SITE) const {
    return ranks_of(negzero::cuda_on_host::global::__match_all_sync(mask_, value, &predicate, file, line, column));
  }

  // For the functions of these headers.
  NEGZERO_INLINE explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(Kind::Lanes, mask, meta_rank, meta_size) {}
  NEGZERO_INLINE unsigned negzero_mask() const { return mask_; }

 private:
  template <typename T>
  NEGZERO_INLINE T from_lane(T value, unsigned source, details::CallSite site) const {
    return details::shuffle(details::WarpKind::Shuffle, mask_, value, source, 32, site);
  }
  NEGZERO_INLINE unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, bit = 1;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, bit <<= 1) {
      if ((lanes & rest & (~rest + 1)) != 0) ranks |= bit;
    }
    return ranks;
  }
};

/// Size threads with successive ranks in their block. Where the block ends inside of one, size() is Size all the same,
/// and the lanes that are missing take no part, as in CUDA.
///
/// Tiles of more than one warp (block_tile_memory) do not exist: the engine waits for warps and for blocks only.
template <unsigned Size, typename Parent = void>
class thread_block_tile : public thread_group {
  static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 || Size == 32,
                "negzero: a tile has 1, 2, 4, 8, 16 or 32 threads; larger ones are not supported on the host");

 public:
  template <typename Group>
  requires std::derived_from<Group, thread_group> NEGZERO_INLINE thread_block_tile(const Group& parent)
      : thread_group(Kind::Lanes, mask_here()) {
    meta_rank_ = parent.thread_rank() % parent.size() / Size;
    meta_size_ = (static_cast<unsigned>(parent.size()) + Size - 1) / Size;
  }
  /// The same tile with its parent forgotten, or known again: it keeps its place among the others.
  template <typename Other>
  NEGZERO_INLINE thread_block_tile(const thread_block_tile<Size, Other>& same)
      : thread_group(Kind::Lanes, mask_here(), same.meta_group_rank(), same.meta_group_size()) {}

  static constexpr NEGZERO_INLINE unsigned size() { return Size; }
  static constexpr NEGZERO_INLINE unsigned num_threads() { return Size; }
  static NEGZERO_INLINE unsigned thread_rank() { return details::thread_in_block() % Size; }
  NEGZERO_INLINE unsigned meta_group_rank() const { return meta_rank_; }
  NEGZERO_INLINE unsigned meta_group_size() const { return meta_size_; }
  static NEGZERO_INLINE void sync(NEGZERO_CALL_SITE) {
    details::vote(details::WarpKind::Sync, mask_here(), 0u, {file, line, column});
  }

  template <typename T>
  NEGZERO_INLINE T shfl(T value, int rank, NEGZERO_CALL_SITE) const {
    return details::shuffle(details::WarpKind::Shuffle, mask_here(), value, static_cast<unsigned>(rank), Size,
                            {file, line, column});
  }
  template <typename T>
  NEGZERO_INLINE T shfl_up(T value, unsigned delta, NEGZERO_CALL_SITE) const {
    return details::shuffle(details::WarpKind::ShuffleUp, mask_here(), value, delta, Size, {file, line, column});
  }
  template <typename T>
  NEGZERO_INLINE T shfl_down(T value, unsigned delta, NEGZERO_CALL_SITE) const {
    return details::shuffle(details::WarpKind::ShuffleDown, mask_here(), value, delta, Size, {file, line, column});
  }
  template <typename T>
  NEGZERO_INLINE T shfl_xor(T value, unsigned lane_mask, NEGZERO_CALL_SITE) const {
    return details::shuffle(details::WarpKind::ShuffleXor, mask_here(), value, lane_mask, Size, {file, line, column});
  }

  NEGZERO_INLINE int any(int predicate, NEGZERO_CALL_SITE) const {
    return details::vote(details::WarpKind::Any, mask_here(), predicate != 0 ? 1 : 0, {file, line, column});
  }
  NEGZERO_INLINE int all(int predicate, NEGZERO_CALL_SITE) const {
    return details::vote(details::WarpKind::All, mask_here(), predicate != 0 ? 1 : 0, {file, line, column});
  }
  NEGZERO_INLINE unsigned ballot(int predicate, NEGZERO_CALL_SITE) const {
    return details::vote(details::WarpKind::Ballot, mask_here(), predicate != 0 ? 1u : 0u, {file, line, column}) >>
           shift_here();
  }
  template <typename T>
  NEGZERO_INLINE unsigned match_any(T value, NEGZERO_CALL_SITE) const {
    return negzero::cuda_on_host::global::__match_any_sync(mask_here(), value, file, line, column) >> shift_here();
  }
  template <typename T>
  NEGZERO_INLINE unsigned match_all(T value, int& predicate, NEGZERO_CALL_SITE) const {
    return negzero::cuda_on_host::global::__match_all_sync(mask_here(), value, &predicate, file, line, column) >>
           shift_here();
  }

  // For the functions of these headers.
  NEGZERO_INLINE thread_block_tile() : thread_group(Kind::Lanes, mask_here()) {}
  static NEGZERO_INLINE unsigned negzero_mask() { return mask_here(); }

 private:
  static NEGZERO_INLINE unsigned shift_here() { return details::lane() & ~(Size - 1); }
  static NEGZERO_INLINE unsigned mask_here() { return (~0u >> (32 - Size)) << shift_here(); }
};

NEGZERO_INLINE thread_block_tile<1> this_thread() { return {}; }

}  // namespace NEGZERO_BUILD
}  // namespace cooperative_groups

// Cooperative groups on the host: copies by all threads of a group, and calls by one of them.

#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include <negzero/cuda/group_operations.hpp>
#include <negzero/cuda/late_copies.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace cooperative_groups {
inline namespace NEGZERO_BUILD {

namespace details {

template <typename Group>
NEGZERO_INLINE void copy_bytes(const Group& group, void* to, const void* from, std::size_t size_bytes) {
  namespace host = negzero::cuda_on_host;
  const auto found = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  host::begin_copy(to, from, size_bytes, found, nullptr, threads::commit_late_copies(0) + 1,
                   static_cast<std::size_t>(group.thread_rank()), static_cast<std::size_t>(group.size()));
  threads::commit_late_copies(1);
}

}  // namespace details

/// Begins to copy `size_bytes` bytes by all threads of the group, each a share, as one group of cp.async: the target is
/// poison until wait(). All threads call it with the same arguments. A size is any type that converts to one, as
/// cuda::aligned_size_t.
template <typename Group, typename T, typename Size>
requires std::convertible_to<Size, std::size_t> NEGZERO_INLINE void memcpy_async(const Group& group, T* to,
                                                                                 const T* from,
                                                                                 const Size& size_bytes) {
  details::copy_bytes(group, to, from, static_cast<std::size_t>(size_bytes));
}
template <typename Group, typename Size>
requires std::convertible_to<Size, std::size_t> NEGZERO_INLINE void memcpy_async(const Group& group, void* to,
                                                                                 const void* from,
                                                                                 const Size& size_bytes) {
  details::copy_bytes(group, to, from, static_cast<std::size_t>(size_bytes));
}
/// The same for elements: as many as fit into both.
template <typename Group, typename T, typename ToCount, typename FromCount>
NEGZERO_INLINE void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                                 const FromCount& from_count) {
  details::copy_bytes(group, to, from,
                      std::min(static_cast<std::size_t>(to_count), static_cast<std::size_t>(from_count)) * sizeof(T));
}

/// Waits until all copies but those of the last Stage calls have arrived, and for all threads of the group.
template <unsigned Stage, typename Group>
NEGZERO_INLINE void wait_prior(const Group& group, NEGZERO_CALL_SITE) {
  const std::uint64_t begun = details::threads::commit_late_copies(0);
  if (begun > Stage) negzero::cuda_on_host::end_copies(nullptr, begun - Stage);
  group.sync(file, line, column);
}
template <typename Group>
NEGZERO_INLINE void wait(const Group& group, NEGZERO_CALL_SITE) {
  wait_prior<0>(group, file, line, column);
}

/// Calls the function on the first thread of the group. CUDA leaves open which one it is.
template <typename Group, typename Function, typename... Arguments>
NEGZERO_INLINE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}
/// The same, and every thread gets what it returns. Reports name this line: a pack leaves no place for the caller's.
template <details::Lanes Group, typename Function, typename... Arguments>
NEGZERO_INLINE auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  std::remove_cvref_t<decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...))> result{};
  if (group.thread_rank() == 0) result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace NEGZERO_BUILD
}  // namespace cooperative_groups

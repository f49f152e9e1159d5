// Cooperative groups on the host: copies by all threads of a group, and calls by one of them.

#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include <negzero/cuda/group_operations.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// The copy of one thread: elements rank, rank + threads, ... of type T.
template <typename T>
NEGZERO_INLINE void copy_share(void* to, const void* from, std::size_t count, std::size_t rank, std::size_t threads) {
  using Any __attribute__((may_alias)) = T;
  auto* target = static_cast<Any*>(to);
  const auto* source = static_cast<const Any*>(from);
  for (std::size_t i = rank; i < count; i += threads) target[i] = source[i];
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace cooperative_groups {
inline namespace NEGZERO_BUILD {

namespace details {

template <typename Group>
NEGZERO_INLINE void copy_bytes(const Group& group, void* to, const void* from, std::size_t size_bytes) {
  namespace host = negzero::cuda_on_host;
  const auto rank = static_cast<std::size_t>(group.thread_rank());
  const auto threads = static_cast<std::size_t>(group.size());
  const auto alignment = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | size_bytes;
  if (alignment % 8 == 0) {
    host::copy_share<std::uint64_t>(to, from, size_bytes / 8, rank, threads);
  } else if (alignment % 4 == 0) {
    host::copy_share<std::uint32_t>(to, from, size_bytes / 4, rank, threads);
  } else {
    host::copy_share<unsigned char>(to, from, size_bytes, rank, threads);
  }
}

}  // namespace details

/// Copies `size_bytes` bytes by all threads of the group, at once: a GPU may still copy until wait(), and a kernel that
/// uses the target before is wrong although it works here. All threads call it with the same arguments. A size is any
/// type that converts to one, as cuda::aligned_size_t.
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

/// Waits for all copies, and for all threads of the group.
template <typename Group>
NEGZERO_INLINE void wait(const Group& group, NEGZERO_CALL_SITE) {
  group.sync(file, line, column);
}
template <unsigned Stage, typename Group>
NEGZERO_INLINE void wait_prior(const Group& group, NEGZERO_CALL_SITE) {
  group.sync(file, line, column);
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

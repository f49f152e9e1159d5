// Which cases are small enough to be watched.

#pragma once

#include <cstdint>

#include <negzero/operation/operation.hpp>

namespace negzero::run {

/// Products, elements or updates of the largest case that is watched unasked. A watched run
/// takes ten times as long, and a large case would run into the time limit, which is no hang of the kernel's.
inline constexpr std::int64_t kMostWatched = std::int64_t{1} << 15;
/// The same of a case that is worth it: one of a few in a thousand, or a given one. gemm.tiled.f32 takes about
/// 0.2 s for so many. What takes longer than its share of time is a matter of campaign/looks.hpp.
inline constexpr std::int64_t kMostWatchedAlone = std::int64_t{1} << 19;
/// Whether a case has at most so many.
[[nodiscard]] bool is_small_enough_to_watch(const operation::Operation& operation,
                                            std::int64_t most = kMostWatched) noexcept;

}  // namespace negzero::run

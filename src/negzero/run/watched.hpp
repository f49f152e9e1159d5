// What a watched kernel may do with the memory of one case, and a finding as the outcome of a launch.

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <negzero/operation/operation.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/watch/watch.hpp>

namespace negzero::run {

/// Products, elements or updates of the largest case that is watched where nobody asked for this one. A watched run
/// takes ten times as long, and a large case would run into the time limit, which is no hang of the kernel's.
inline constexpr std::int64_t kMostWatched = std::int64_t{1} << 15;
/// The same of a case that is worth it: one of a few in a thousand, one that somebody gave. gemm.tiled.f32 takes about
/// 0.2 s for so many. What takes longer than its share of time is a matter of campaign/examination.hpp.
inline constexpr std::int64_t kMostWatchedAlone = std::int64_t{1} << 19;
/// Whether a case has at most so many.
[[nodiscard]] bool is_small_enough_to_watch(const operation::Operation& operation,
                                            std::int64_t most = kMostWatched) noexcept;

/// The regions of one launch wrapper's memory.
class WatchedCase {
 public:
  /// Forgets the last case.
  void begin() { watch_.clear(); }
  /// A buffer of the image at `image`. It must outlive the launch.
  void add(const protocol::PlannedBuffer& buffer, const std::byte* image);
  void add_workspace(std::size_t number, std::span<const std::byte> memory);
  [[nodiscard]] watch::Watch& watch() noexcept { return watch_; }
  /// The finding that ended a launch, as a failure. Requires one.
  [[nodiscard]] protocol::LaunchOutcome outcome();

 private:
  watch::Watch watch_;
};

}  // namespace negzero::run

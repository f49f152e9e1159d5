// What a watched kernel may do with the memory of one case, and a finding as the outcome of a launch.

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <negzero/protocol/launch_plan.hpp>
#include <negzero/watch/watch.hpp>

namespace negzero::worker {

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

}  // namespace negzero::worker

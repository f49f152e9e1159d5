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
  /// A buffer whose address 0 lies at `base`. It must outlive the launch. Of a distant one, `around` are the addresses
  /// that are reserved for it.
  void add(const protocol::PlannedBuffer& buffer, const std::byte* base, std::span<const std::byte> around);
  void add_workspace(std::size_t number, std::span<const std::byte> memory);
  [[nodiscard]] watch::Watch& watch() noexcept { return watch_; }
  /// The finding that ended a launch, as a failure. Requires one.
  [[nodiscard]] protocol::LaunchOutcome outcome();
  /// Of equal stores, which end no launch; nothing: there were none.
  [[nodiscard]] std::optional<protocol::LaunchOutcome> equal_stores() const;

 private:
  void add_piece(const protocol::PlannedBuffer& buffer, const std::byte* base, std::size_t begin, std::size_t end);

  watch::Watch watch_;
};

}  // namespace negzero::worker

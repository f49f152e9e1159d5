// Processes that a worker left behind, where nothing kept it from making some.

#pragma once

#include <span>
#include <vector>

#include <sys/types.h>

namespace negzero::run {

/// Makes the calling process the one that its descendants' orphans fall to (PR_SET_CHILD_SUBREAPER), so that a child
/// which forks, detaches and dies leaves its own children here, and ends them.
///
/// For systems where a worker cannot be kept from forking. One at a time: the setting is the process's own.
class Orphans {
 public:
  Orphans();
  /// Ends all that are left, then gives the setting back. Children that were there before the Orphans are spared.
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Kills and reaps every child of this process but `ours` and those that were there at the beginning; then what fell
  /// to it through their death, and so on. Returns how many. Call it after a worker has ended, from the thread that
  /// starts workers: a child that is just being started by another thread would count as a stray.
  int end_all_but(std::span<const pid_t> ours) const;

  /// Whether the system adopts orphans (Linux 3.4).
  [[nodiscard]] bool adopts() const noexcept { return adopts_; }

 private:
  bool adopted_before_ = false;
  bool adopts_ = false;
  std::vector<pid_t> spared_;
};

/// Returns the children of the calling process, those of all its threads, zombies included; nothing where /proc cannot
/// be read.
[[nodiscard]] std::vector<pid_t> children();

}  // namespace negzero::run

// Processes that a worker left behind, where nothing kept it from making some.

#pragma once

#include <mutex>
#include <vector>

#include <sys/types.h>

namespace negzero::run {

/// Makes the calling process the one that its descendants' orphans fall to (PR_SET_CHILD_SUBREAPER), so that a worker
/// which forks, detaches and dies leaves its own children here, and ends them.
///
/// One at a time: the setting is the process's own. While it lives, ChildProcess alone may start children here: any
/// other child that was not there at the beginning is taken for one that a worker has left.
class Orphans {
 public:
  Orphans();
  /// Ends all that are left, then gives the setting back. What does not die within some seconds is left to init.
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Kills what workers have left, and reaps what has died of it. Waits for none: a process that uses a GPU may take
  /// long to die. Returns how many are still there; 0 where no Orphans lives.
  static int end();

  /// Whether the system adopts orphans (Linux 3.4).
  [[nodiscard]] bool adopts() const noexcept { return adopts_; }

  /// Held while a child is started and until it has been named: no other thread takes it for an orphan meanwhile.
  class Birth {
   public:
    Birth();
    void name(pid_t child) const;

   private:
    std::unique_lock<std::mutex> lock_;
  };
  /// Says that a child which a Birth has named has been reaped.
  static void forget(pid_t child);

 private:
  bool adopted_before_ = false;
  bool adopts_ = false;
};

/// Returns the children of the calling process, those of all its threads, zombies included; nothing where /proc cannot
/// be read.
[[nodiscard]] std::vector<pid_t> children();

}  // namespace negzero::run

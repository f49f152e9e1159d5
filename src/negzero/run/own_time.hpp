// How long a process has been at something, without the time in which it waited for a core.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace negzero::run {

/// What the system says of a process's first thread, in which kernels are launched.
struct ProcessTimes {
  std::chrono::nanoseconds ran{0};     ///< on a core
  std::chrono::nanoseconds waited{0};  ///< for a core, in waits that are over
  bool is_runnable = false;            ///< on a core now, or waiting for one
};

/// From /proc/PID/schedstat and /proc/PID/stat (Linux, Documentation/scheduler/sched-stats.rst and proc(5)). Nothing
/// where there are none.
[[nodiscard]] std::optional<ProcessTimes> times_of(pid_t pid);

/// Counts in turns: between two of them a process that sleeps is at it, one that could run only while it does. So a
/// busy machine makes no hang.
class OwnTime {
 public:
  /// Counts a turn of `passed`, at the end of which the system said `now`. Of the first turn nothing counts, since what
  /// came before it is not known, and of no turn more than kMostOfATurn: one that comes back later was itself not
  /// running. A process that is starved counts a kStarved-th, so that every limit passes some day.
  void turn(std::chrono::nanoseconds passed, const std::optional<ProcessTimes>& now);
  void restart() { since_ = {}; }
  [[nodiscard]] std::uint64_t whole_ms() const { return milliseconds(whole_); }
  [[nodiscard]] std::uint64_t since_ms() const { return milliseconds(since_); }  ///< since restart()

  static constexpr std::chrono::milliseconds kMostOfATurn{200};
  static constexpr int kStarved = 64;

 private:
  static std::uint64_t milliseconds(std::chrono::nanoseconds time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  }
  std::chrono::nanoseconds whole_{0}, since_{0};
  ProcessTimes before_{};
  bool has_begun_ = false;
};

}  // namespace negzero::run

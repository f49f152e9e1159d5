// What an executor has learned of how kernels may run.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace negzero::run {

/// Kernels by name. Nothing that is learned is forgotten: a kernel that has once ended its process beside others is not
/// tried so again.
class TurnPolicy {
 public:
  /// Whether cases of a kernel may run at once, on several streams. A kernel whose launches share memory (a counter
  /// that is a device variable) is right alone, and wrong where two of them overlap.
  [[nodiscard]] bool may_run_at_once(const std::string& kernel) const { return !in_turn_.contains(kernel); }
  void keep_in_turn(const std::string& kernel) { in_turn_.insert(kernel); }
  /// keep_in_turn(), of a kernel whose batch at once ended its process or stood still.
  void note_end_at_once(const std::string& kernel) {
    ++ends_at_once_;
    keep_in_turn(kernel);
  }
  [[nodiscard]] std::uint64_t ends_at_once() const { return ends_at_once_; }

  /// Whether the turns of a chain may be one request. One that ended its process there may have chains that wait for
  /// each other, so that its cases do not run at once either.
  [[nodiscard]] bool may_share_a_request(const std::string& kernel) const { return !one_by_one_.contains(kernel); }
  void keep_one_by_one(const std::string& kernel) {
    one_by_one_.insert(kernel);
    keep_in_turn(kernel);
  }

  /// Whether the kernel is the one whose hang came again last: its next hang is believed at once.
  [[nodiscard]] bool is_hanging(const std::string& kernel) const { return hanging_ == kernel; }
  void note_hang(const std::string& kernel) { hanging_ = kernel; }

  /// What the machine lost for good (a GPU that is gone); nothing while it works.
  [[nodiscard]] const std::optional<std::string>& lost() const { return lost_; }
  void note_loss(const std::optional<std::string>& what) { lost_ = what; }

 private:
  std::set<std::string> in_turn_, one_by_one_;
  std::string hanging_;
  std::uint64_t ends_at_once_ = 0;
  std::optional<std::string> lost_;
};

}  // namespace negzero::run

// Which cases are small enough to be watched.

#pragma once

#include <algorithm>
#include <cstdint>

#include <negzero/operation/operation.hpp>
#include <negzero/operation/workload.hpp>

namespace negzero::run {

/// The work (operation::Workload) of the largest case that is watched unasked. A watched run takes ten times as long or
/// more, and a large case would run into the time limit, which is no hang of the kernel's.
inline constexpr std::int64_t kMostWatched = std::int64_t{1} << 15;
/// The same of a case that is worth it: one of a few in a thousand, or a given one. A GEMM of so many products takes
/// about 0.03 s with 8 x 8 results to a thread, and 0.2 s with one. What takes longer than its share of time is a
/// matter of campaign/looks.hpp.
inline constexpr std::int64_t kMostWatchedAlone = std::int64_t{1} << 19;

/// The work of the largest cases that are watched of a kernel. Where its least case is large, it is more than of
/// others: a kernel of tiles of 128 x 128 has no smaller one.
class WatchedSize {
 public:
  /// `least`: the work of the least case that its limits accept.
  explicit WatchedSize(std::int64_t least = 1) : least_(least) {}
  /// Unasked: up to twice the least case.
  [[nodiscard]] std::int64_t usual() const { return std::max(kMostWatched, times(2)); }
  /// Worth it: up to two of the least cases in each of three directions.
  [[nodiscard]] std::int64_t alone() const { return std::max(kMostWatchedAlone, times(8)); }

 private:
  /// Eight tiles of 128 x 128 x 128.
  static constexpr std::int64_t kMost = std::int64_t{1} << 24;

  [[nodiscard]] std::int64_t times(std::int64_t count) const { return least_ > kMost / count ? 0 : count * least_; }

  std::int64_t least_;
};

/// Whether a case has at most so much work, by its line alone.
[[nodiscard]] bool is_small_enough_to_watch(const operation::Operation& operation, std::int64_t most = kMostWatched);

}  // namespace negzero::run

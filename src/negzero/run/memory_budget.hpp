// How much memory a process here may use, and how many workers of one size that is.

#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace negzero::run {

/// What an examiner and its worker take together over the shipped kernels, rounded up.
inline constexpr std::uint64_t kWorkerBytes = std::uint64_t{256} << 20;

/// Where limits are read from. Tests put files below a folder of their own.
struct MemorySources {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  /// Put before every absolute path: "" on the running system. Read below it: /proc/meminfo, /proc/self/cgroup,
  /// /proc/self/mountinfo and the control groups at the mount points that the latter names. What is missing limits
  /// nothing.
  std::string root{};
  std::uint64_t address_space_bytes = kUnlimited;  ///< RLIMIT_AS
  std::uint64_t data_bytes = kUnlimited;           ///< RLIMIT_DATA

  /// Returns the running system's, with the limits of the calling process.
  [[nodiscard]] static MemorySources here();
};

/// Two kinds of limit, since the first is every process's own and the second is shared by all.
struct MemoryBudget {
  static constexpr std::uint64_t kUnlimited = MemorySources::kUnlimited;

  std::uint64_t each_bytes = kUnlimited;  ///< that one process may map: the least of RLIMIT_AS and RLIMIT_DATA
  std::string each_limit{};               ///< its name, for a message; "" where there is none
  /// That all processes together may still take: the least of MemAvailable and, for the control group of this process
  /// and each group around it, its limit (memory.max and memory.high, or version 1's limit_in_bytes) less its usage.
  /// Files that were read and can be dropped are no usage. Swap is no memory: a campaign that swaps looks like a hang.
  std::uint64_t together_bytes = kUnlimited;
  std::string together_limit{};  ///< its name: "MemAvailable", or the file that holds the limit

  /// Returns how many of `wanted` workers, each of `bytes_each`, fit side by side: at least 1 (alone it may still find
  /// less than it needs), at most `wanted`. 1 for 0 wanted.
  [[nodiscard]] std::uint64_t workers_that_fit(std::uint64_t wanted, std::uint64_t bytes_each) const noexcept;

  friend bool operator==(const MemoryBudget&, const MemoryBudget&) = default;
};

/// Reads the limits as they are now.
[[nodiscard]] MemoryBudget memory_budget(const MemorySources& sources = MemorySources::here());

}  // namespace negzero::run

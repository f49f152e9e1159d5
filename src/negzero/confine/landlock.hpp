// Landlock, the part of Linux by which a process gives up the right to open files for ever.

#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace negzero::confine::landlock {

/// Rights to a file or to everything below a directory (uapi/linux/landlock.h). Declared here because the headers of
/// Debian 12 are older than the kernels that its programs run on.
inline constexpr std::uint64_t kExecute = 1u << 0;
inline constexpr std::uint64_t kWriteFile = 1u << 1;
inline constexpr std::uint64_t kTruncate = 1u << 14;
inline constexpr std::uint64_t kReadFile = 1u << 2;
inline constexpr std::uint64_t kReadDirectory = 1u << 3;
inline constexpr std::uint64_t kIoctlDevice = 1u << 15;
inline constexpr std::uint64_t kRead = kReadFile | kReadDirectory;
/// Everything that programs do with files, directories and symbolic links; no devices, sockets and pipes with names.
inline constexpr std::uint64_t kOwn = kRead | kExecute | kWriteFile | kTruncate | 1u << 4 /* rmdir */ |
                                      1u << 5 /* unlink */ | 1u << 7 /* mkdir */ | 1u << 8 /* create */ |
                                      1u << 12 /* symlink */ | 1u << 13 /* rename and link between directories */;

/// One permission. A path that does not exist is no error: the rule then permits nothing.
struct Rule {
  std::string path;  ///< a file, or a directory with everything below it
  std::uint64_t rights = 0;
};

/// Returns the version of Landlock that this kernel enforces (1 for Linux 5.13, 7 for 6.15), or -errno: ENOSYS where
/// the kernel has none or a container hides it, EOPNOTSUPP where it is compiled in and switched off.
[[nodiscard]] int abi() noexcept;

/// Gives up, for the calling thread and all that it starts, every access to files that `rules` and `more` do not grant,
/// and what else the running version knows: TCP (version 4), abstract UNIX sockets and signals to processes outside
/// (version 6), tracing them (version 1). A rule of /proc/self is about the calling process. Returns 0 or an errno;
/// after an error nothing is given up. Asks for no_new_privs to be set. Async-signal-safe: allocates nothing.
///
/// What it cannot see: files that are open already, and metadata (stat, access, chmod).
[[nodiscard]] int restrict_self(std::span<const Rule> rules, std::span<const Rule> more = {}) noexcept;

}  // namespace negzero::confine::landlock

// Places that results go to: whether one can be written, found out before the hours of work, and what others left
// there.

#pragma once

#include <string>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::files {

/// Whether write_file_atomically(path) would succeed for a small file now. Writes a small file of another name beside
/// it and removes it again, since permissions alone say nothing of a full disk, of /proc, or of a read-only mount. A
/// device or a pipe is only asked for its permissions. Infrastructure error: the path, the reason and a cure.
[[nodiscard]] base::Status check_writable_file(const std::string& path);

/// Whether a file can be written into a directory, which need not exist yet: then into the nearest one above it that
/// does, where its name must not be taken by something else. Leaves nothing behind. Errors as check_writable_file().
[[nodiscard]] base::Status check_writable_directory(const std::string& directory);

/// Removes what write_file_atomically() and check_writable_*() of processes that have ended have left half-written in a
/// directory: its files .negzero-PID-N.tmp and .probe. One whose writer lives, in whatever PID namespace, holds a lock
/// on it and stays. Does nothing where the directory cannot be read.
void remove_abandoned_files(const std::string& directory);

/// What a person can do about an errno of a write: make room, or name another place.
[[nodiscard]] std::string_view writing_cure(int code) noexcept;

}  // namespace negzero::files

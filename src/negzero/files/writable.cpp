// Places that results go to: whether one can be written, found out before the hours of work, and what others left
// there.

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/files/writable.hpp>

namespace negzero::files {
namespace {

namespace fs = std::filesystem;

base::Error cannot(const std::string& path, int code) {
  return base::infrastructure_error(fmt::format("{}: cannot be written: {}; {}", path.empty() ? "''" : path,
                                                std::strerror(code), writing_cure(code)));
}

/// Writes a file into the folder and removes it; the errno of what went wrong, or 0.
int try_to_write(const fs::path& folder) {
  static std::atomic<unsigned> counter{0};
  const std::string probe = (folder / fmt::format(".negzero-{}-{}.probe", ::getpid(), counter++)).string();
  const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  // A page: an inode may still be free where no block is.
  constexpr std::array<char, 4096> kPage{};
  const ssize_t written = ::write(file, kPage.data(), kPage.size());
  int code = written < 0 ? errno : written < static_cast<ssize_t>(kPage.size()) ? ENOSPC : 0;
  if (code == 0 && ::fsync(file) != 0) code = errno;
  if (::close(file) != 0 && code == 0) code = errno;
  ::unlink(probe.c_str());
  return code;
}

/// The errno of asking what is at a path (of the link itself where it is one), or 0.
int nothing_at(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? 0 : errno;
}

/// Whether the file .negzero-PID-N.tmp or .probe has no writer any more.
bool is_abandoned(const fs::path& path) {
  const std::string name = path.filename();
  if (!name.ends_with(".tmp") && !name.ends_with(".probe")) return false;
  int pid = 0, read = 0;
  unsigned number = 0;
  if (std::sscanf(name.c_str(), ".negzero-%d-%u.%n", &pid, &number, &read) != 2 || read == 0 || pid <= 0) return false;
  if (::kill(pid, 0) == 0 || errno != ESRCH) return false;
  // A writer in another container has another number there than here, but its lock is seen.
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool unlocked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return unlocked;
}

}  // namespace

void remove_abandoned_files(const std::string& directory) {
  std::error_code code;
  fs::directory_iterator at(directory.empty() ? "." : directory, code);
  for (; !code && at != fs::directory_iterator(); at.increment(code)) {
    if (is_abandoned(at->path())) ::unlink(at->path().c_str());
  }
}

std::string_view writing_cure(int code) noexcept {
  const bool is_full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  return is_full ? "make room there or name another place" : "name a place that can be written";
}

base::Status check_writable_file(const std::string& path) {
  if (path.empty()) return cannot(path, ENOENT);
  struct stat status {};
  fs::path at(path);
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot(path, EISDIR);
    if (!S_ISREG(status.st_mode)) {
      return ::access(path.c_str(), W_OK) == 0 ? base::Status(base::Ok{}) : cannot(path, errno);
    }
    std::error_code code;
    at = fs::canonical(at, code);  // A link is followed, and the folder behind it is the one written to.
    if (code) return cannot(path, code.value());
  } else if (errno != ENOENT) {
    return cannot(path, errno);
  }
  const int code = try_to_write(at.has_parent_path() ? at.parent_path() : fs::path("."));
  return code == 0 ? base::Status(base::Ok{}) : cannot(path, code);
}

base::Status check_writable_directory(const std::string& directory) {
  std::error_code problem;
  fs::path at = fs::absolute(directory.empty() ? "." : directory, problem);
  if (problem) return cannot(directory, problem.value());
  for (;;) {
    struct stat status {};
    if (::stat(at.c_str(), &status) == 0) {
      const int code = S_ISDIR(status.st_mode) ? try_to_write(at) : ENOTDIR;
      return code == 0 ? base::Status(base::Ok{}) : cannot(directory, code);
    }
    if (errno != ENOENT) return cannot(directory, errno);
    // A link that leads nowhere is in the way of the directory that would be made.
    if (nothing_at(at) == 0) return cannot(directory, EEXIST);
    if (!at.has_parent_path() || at == at.parent_path()) return cannot(directory, ENOENT);
    at = at.parent_path();
  }
}

}  // namespace negzero::files

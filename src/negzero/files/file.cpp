// Files: whole writes that appear at once or not at all.

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/files/safetensors.hpp>
#include <negzero/files/writable.hpp>

namespace negzero::files {
namespace {

using base::infrastructure_error;

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  /// Closes and says whether that worked: some file systems report a full disk only here.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// Whatever the reason, the machine has no place for a result.
base::Error writing_error(const std::string& path, int code) {
  return infrastructure_error(fmt::format("{}: cannot be written: {}; {}", path.empty() ? "''" : path,
                                          std::strerror(code), writing_cure(code)));
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

base::Status write_file_atomically(const std::string& path, std::span<const std::byte> bytes, Lasting lasting) {
  // A rename would replace a link or a device such as /dev/stdout by a file: links are followed, devices written to.
  std::string destination = path;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return writing_error(path, EISDIR);
    if (!S_ISREG(status.st_mode)) {
      Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
      if (!device.is_open() || !write_all(device.number(), bytes) || !device.close()) {
        return writing_error(path, errno);
      }
      return base::Ok{};
    }
    const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
    if (resolved) destination = resolved.get();
  }

  static std::atomic<unsigned> counter{0};
  const std::size_t slash = destination.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : destination.substr(0, slash + 1);
  const std::string temporary = fmt::format("{}.negzero-{}-{}.tmp", folder, ::getpid(), counter++);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return writing_error(path, errno);
  // See remove_abandoned_files(). A file system without locks has no containers beside it either.
  (void)::flock(file.number(), LOCK_EX | LOCK_NB);
  const bool written = write_all(file.number(), bytes) && (lasting == Lasting::No || ::fsync(file.number()) == 0) &&
                       file.close() && ::rename(temporary.c_str(), destination.c_str()) == 0;
  if (!written) {
    const int code = errno;
    ::unlink(temporary.c_str());
    return writing_error(path, code);
  }
  return base::Ok{};
}

}  // namespace negzero::files

// Files: whole reads with a bound, whole writes that appear at once or not at all.

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/tensor/safetensors.hpp>
#include <negzero/tensor/writable.hpp>

namespace negzero::tensor {
namespace {

using base::infrastructure_error;
using base::usage_error;

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

/// Reading: a path that does not lead to a file is the user's mistake; everything else is the machine's.
base::Error reading_error(const std::string& what, int code) {
  std::string message = what + ": " + std::strerror(code);
  const bool user = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ENAMETOOLONG || code == ELOOP;
  return user ? usage_error(std::move(message)) : infrastructure_error(std::move(message));
}

/// Writing: whatever the reason, the machine has no place for a result.
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

base::Result<std::vector<std::byte>> read_file(const std::string& path, std::size_t max_bytes) try {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return reading_error(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return reading_error(path, errno);
  if (S_ISDIR(status.st_mode)) return reading_error(path, EISDIR);
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return usage_error(path + ": is a device, not a file");
  const auto too_large = [&] { return usage_error(fmt::format("{}: more than {} bytes", path, max_bytes)); };
  const std::size_t announced = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  if (announced > max_bytes) return too_large();

  // One byte more than announced, so that the end of an ordinary file is seen without growing; pipes grow as they go.
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  std::vector<std::byte> bytes(announced == 0 ? kChunk : announced + 1);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t got = ::read(file.number(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return reading_error(path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) return too_large();
  }
  bytes.resize(filled);
  return bytes;
} catch (const std::bad_alloc&) {
  return infrastructure_error(path + ": does not fit into memory");
}

base::Status write_file_atomically(const std::string& path, std::span<const std::byte> bytes) {
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
  const bool written = write_all(file.number(), bytes) && ::fsync(file.number()) == 0 && file.close() &&
                       ::rename(temporary.c_str(), destination.c_str()) == 0;
  if (!written) {
    const int code = errno;
    ::unlink(temporary.c_str());
    return writing_error(path, code);
  }
  return base::Ok{};
}

}  // namespace negzero::tensor

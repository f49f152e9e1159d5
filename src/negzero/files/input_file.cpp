// Reading files in parts.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/files/input_file.hpp>

namespace negzero::files {
namespace {

using base::infrastructure_error;
using base::usage_error;

/// A path that does not lead to a file is the user's mistake; everything else is the machine's.
base::Error reading_error(const std::string& path, int code) {
  std::string message = path + ": " + std::strerror(code);
  const bool user = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ENAMETOOLONG || code == ELOOP;
  return user ? usage_error(std::move(message)) : infrastructure_error(std::move(message));
}

base::Error too_large(const std::string& path, std::uint64_t max_bytes) {
  return usage_error(fmt::format("{}: more than {} bytes", path, max_bytes));
}

}  // namespace

InputFile::InputFile(std::string path, int descriptor, std::optional<std::uint64_t> size_bytes, std::uint64_t max_bytes)
    : path_(std::move(path)), descriptor_(descriptor), size_bytes_(size_bytes), max_bytes_(max_bytes) {}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_bytes_(other.size_bytes_),
      max_bytes_(other.max_bytes_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

base::Result<InputFile> InputFile::open(const std::string& path, std::uint64_t max_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return reading_error(path, errno);
  InputFile file(path, descriptor, std::nullopt, max_bytes);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return reading_error(path, errno);
  if (S_ISDIR(status.st_mode)) return reading_error(path, EISDIR);
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return usage_error(path + ": is a device, not a file");
  if (S_ISREG(status.st_mode)) file.size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  if (file.size_bytes_.value_or(0) > max_bytes) return too_large(path, max_bytes);
  return file;
}

base::Result<std::size_t> InputFile::read(std::span<std::byte> to) {
  std::size_t filled = 0;
  while (filled < to.size()) {
    const ssize_t got = ::read(descriptor_, to.data() + filled, to.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return reading_error(path_, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

base::Result<std::vector<std::byte>> InputFile::read_up_to(std::uint64_t count) try {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 16;
  if (count > max_bytes_) return too_large(path_, max_bytes_);
  std::vector<std::byte> bytes;
  while (bytes.size() < count) {
    const std::size_t before = bytes.size();
    bytes.resize(static_cast<std::size_t>(std::min(count, std::max<std::uint64_t>(kFirst, 2 * before))));
    const base::Result<std::size_t> got = read(std::span(bytes).subspan(before));
    if (!got) return got.error();
    if (before + *got == bytes.size()) continue;
    bytes.resize(before + *got);
    break;
  }
  return bytes;
} catch (const std::bad_alloc&) {
  return infrastructure_error(path_ + ": does not fit into memory");
}

base::Result<std::string> read_text(const std::string& path, std::uint64_t max_bytes) {
  auto file = InputFile::open(path, max_bytes);
  if (!file) return file.error();
  const auto bytes = file->read_up_to(max_bytes);
  if (!bytes) return bytes.error();
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

}  // namespace negzero::files

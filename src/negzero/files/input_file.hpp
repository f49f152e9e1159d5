// A file that is read from its start on, a part at a time, so that each part can be judged before the next is read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::files {

/// Most bytes that a file may have (8 GiB). Less goes to another process (protocol::kMostFrameBytes).
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 33;

/// A file or a pipe, open for reading. Every error names the path.
class InputFile {
 public:
  /// Errors: usage errors where the path leads to no file, to a device or to a file of more than `max_bytes`,
  /// infrastructure errors where the machine failed. A pipe with a name is waited for until something writes to it.
  [[nodiscard]] static base::Result<InputFile> open(const std::string& path, std::uint64_t max_bytes = kMaxFileBytes);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Bytes of the whole file; nothing for a pipe, which only its end shows.
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const noexcept { return size_bytes_; }

  /// Reads the next bytes into `to` and returns how many: fewer than asked for only at the end.
  [[nodiscard]] base::Result<std::size_t> read(std::span<std::byte> to);
  /// Reads the next `count` bytes, fewer only at the end. Memory grows with what comes, not with what was asked for. A
  /// count beyond the bound that open() was given is a usage error.
  [[nodiscard]] base::Result<std::vector<std::byte>> read_up_to(std::uint64_t count);

 private:
  InputFile(std::string path, int descriptor, std::optional<std::uint64_t> size_bytes, std::uint64_t max_bytes);

  std::string path_;
  int descriptor_;
  std::optional<std::uint64_t> size_bytes_;
  std::uint64_t max_bytes_;
};

/// Reads a whole file or pipe as text. Errors: as InputFile::open() and read_up_to().
[[nodiscard]] base::Result<std::string> read_text(const std::string& path, std::uint64_t max_bytes = kMaxFileBytes);

}  // namespace negzero::files

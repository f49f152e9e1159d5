// The safetensors container: tensors with names, and strings as metadata. Reading trusts no byte.

#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::tensor {

/// What a file holds. Both maps are sorted by name, so equal archives have equal bytes.
struct Archive {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
  friend bool operator==(const Archive&, const Archive&) = default;
};

/// Parses a whole file. Enforces every rule of the format (header length, no holes or overlaps, sizes with overflow
/// checks, exact file size) and refuses duplicate keys, dtypes that number does not know, more than kMaxRank dimensions
/// and more than kMaxElements elements. Memory is at most a few times the file's size. Errors are usage errors that
/// name the tensor or key, the value and the rule.
[[nodiscard]] base::Result<Archive> parse_safetensors(std::span<const std::byte> file);

/// The canonical bytes: keys of the header sorted, data with the widest elements first and then by name, header padded
/// with spaces to a multiple of 8. So every tensor is aligned to its elements, which readers that map files rely on.
/// Names and metadata are to be UTF-8; bytes that are not become U+FFFD. Requires formats that are dtypes (not TF32).
[[nodiscard]] std::vector<std::byte> write_safetensors(const Archive& archive);

/// Reads a file (or a pipe) of at most `max_bytes`. Errors name the path: usage errors where it leads to no file or to
/// a larger one, infrastructure errors where the machine failed.
[[nodiscard]] base::Result<std::vector<std::byte>> read_file(const std::string& path,
                                                             std::size_t max_bytes = std::size_t{1} << 33);
/// Writes beside the destination, flushes to the disk and renames, so that a full disk or a crash never leaves half a
/// file. Follows links; what is no file (a terminal, a pipe, /dev/null) is written to as it is. Infrastructure
/// error, whatever the reason (no such folder, no permission, disk full): the path, the reason and a cure.
[[nodiscard]] base::Status write_file_atomically(const std::string& path, std::span<const std::byte> bytes);

}  // namespace negzero::tensor

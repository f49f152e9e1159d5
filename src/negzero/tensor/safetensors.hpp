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
/// checks, exact file size) and refuses duplicate keys and dtypes that number does not know. Errors are usage errors
/// that name the tensor or key, the value and the rule.
[[nodiscard]] base::Result<Archive> parse_safetensors(std::span<const std::byte> file);

/// The canonical bytes: names sorted, tensors in that order, header padded with spaces to a multiple of 8.
[[nodiscard]] std::vector<std::byte> write_safetensors(const Archive& archive);

/// Reads a file of at most `max_bytes`; errors name the path.
[[nodiscard]] base::Result<std::vector<std::byte>> read_file(const std::string& path,
                                                             std::size_t max_bytes = std::size_t{1} << 33);
/// Writes beside the destination and renames, so that a full disk or a crash never leaves half a file.
[[nodiscard]] base::Status write_file_atomically(const std::string& path, std::span<const std::byte> bytes);

}  // namespace negzero::tensor

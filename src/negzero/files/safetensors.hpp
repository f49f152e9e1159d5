// The safetensors container: tensors with names, and strings as metadata. Reading trusts no byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/number/format.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::files {

/// What a file holds. Both maps are sorted by name, so equal archives have equal bytes.
struct Archive {
  std::map<std::string, tensor::Tensor> tensors;
  std::map<std::string, std::string> metadata;
  friend bool operator==(const Archive&, const Archive&) = default;
};

/// What a header says of one tensor.
struct Declared {
  number::FormatId format = number::FormatId::F32;
  std::vector<std::int64_t> shape;
};

/// What a header says: everything of a file but the elements.
struct Header {
  std::map<std::string, Declared> tensors;
  std::map<std::string, std::string> metadata;
};

/// Judges a header that keeps the rules of the format, before the elements behind it are read or memory is spent on
/// them. May take the metadata: the archive holds what is left.
using HeaderCheck = std::function<base::Status(Header&)>;

/// Parses a whole file. Enforces every rule of the format (header length, no holes or overlaps, sizes with overflow
/// checks, exact file size) and refuses duplicate keys, dtypes that number does not know, more than tensor::kMaxRank
/// dimensions and more than tensor::kMaxElements elements. Memory is at most a few times the file's size. Errors are
/// usage errors that name the tensor or key, the value and the rule, and those of `check`.
[[nodiscard]] base::Result<Archive> parse_safetensors(std::span<const std::byte> file, const HeaderCheck& check = {});

/// parse_safetensors() of a file from its start on. What its header, `check` or its size already decides is decided
/// before another byte is read; elements go straight to where they stay. Of a pipe, memory grows with what comes.
/// Infrastructure errors where the machine failed.
[[nodiscard]] base::Result<Archive> read_safetensors(InputFile& file, const HeaderCheck& check = {});

/// The canonical bytes: keys of the header sorted, data with the widest elements first and then by name, header padded
/// with spaces to a multiple of 8. So every tensor is aligned to its elements, which readers that map files rely on.
/// Tensors of 4 and 6 bits are written as bytes (tensor::as_stored()), and read as U8. Names and metadata are to be
/// UTF-8; bytes that are not become U+FFFD. Requires formats that are dtypes (not TF32), and no tensor called
/// __metadata__.
[[nodiscard]] std::vector<std::byte> write_safetensors(const std::map<std::string, tensor::Tensor>& tensors,
                                                       const std::map<std::string, std::string>& metadata);
[[nodiscard]] inline std::vector<std::byte> write_safetensors(const Archive& archive) {
  return write_safetensors(archive.tensors, archive.metadata);
}

/// Whether a file is flushed to the disk before it is there: without that a loss of power may leave an empty one.
enum class Lasting : unsigned char { No, Yes };

/// Writes beside the destination, flushes to the disk and renames, so that a full disk or a crash never leaves half a
/// file. Follows links; what is no file (a terminal, a pipe, /dev/null) is written to as it is. Infrastructure
/// error, whatever the reason (no such folder, no permission, disk full): the path, the reason and a cure.
[[nodiscard]] base::Status write_file_atomically(const std::string& path, std::span<const std::byte> bytes,
                                                 Lasting lasting = Lasting::Yes);

}  // namespace negzero::files

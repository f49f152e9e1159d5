// The case file: a case as a safetensors archive and back.

#include <utility>

#include <fmt/format.h>

#include <negzero/operation/case.hpp>
#include <negzero/operation/metadata.hpp>
#include <negzero/tensor/safetensors.hpp>

namespace negzero::operation {

std::vector<std::byte> write_case(const Case& value) {
  return tensor::write_safetensors({.tensors = value.tensors, .metadata = metadata_of(value)});
}

base::Result<Case> parse_case(std::span<const std::byte> file) {
  base::Result<tensor::Archive> archive = tensor::parse_safetensors(file);
  if (!archive) return archive.error();
  base::Result<Case> value = case_of(std::move(archive->metadata));
  if (!value) return value;
  value->tensors = std::move(archive->tensors);
  // The operation comes first: the shapes that the packed layouts are made of must be known to be sane.
  if (const base::Status status = validate(value->operation); !status) return status.error();
  pack_missing_layouts(*value);
  if (const base::Status status = validate(*value); !status) return status.error();
  return value;
}

base::Result<Case> load_case(const std::string& path) {
  const base::Result<std::vector<std::byte>> file = tensor::read_file(path);
  if (!file) {
    const std::string cure = file.error().kind == base::ErrorKind::Usage
                                 ? "; name a case file, as `negzero check` saves them under findings/"
                                 : "; make it readable or name another file";
    return base::Error{file.error().kind, file.error().message + cure};
  }
  base::Result<Case> value = parse_case(*file);
  if (!value) {
    return base::Error{value.error().kind,
                       fmt::format("{}: {}; mend the file or fetch it again", path, value.error().message)};
  }
  return value;
}

base::Status save_case(const std::string& path, const Case& value) {
  if (const base::Status status = validate(value); !status) {
    return base::Error{status.error().kind, path + ": not a valid case to write: " + status.error().message};
  }
  return tensor::write_file_atomically(path, write_case(value));
}

}  // namespace negzero::operation

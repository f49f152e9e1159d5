// The case file: a case as a safetensors archive and back.

#include <utility>

#include <fmt/format.h>

#include <negzero/operation/case.hpp>
#include <negzero/operation/metadata.hpp>
#include <negzero/tensor/safetensors.hpp>

namespace negzero::operation {

std::vector<std::byte> write_case(const Case& value) {
  return tensor::write_safetensors(value.tensors, metadata_of(value));
}

namespace {

/// A case whose elements are read by `read` once its header is judged.
template <typename Read>
base::Result<Case> case_from(const Read& read) {
  Case value;
  base::Result<tensor::Archive> archive = read([&](tensor::Header& header) -> base::Status {
    base::Result<Case> described = case_of(std::move(header.metadata));
    if (!described) return described.error();
    value = *std::move(described);
    // The operation comes first: the shapes that the packed layouts are made of must be known to be sane.
    if (const base::Status status = validate(value.operation); !status) return status;
    pack_missing_layouts(value);
    return validate_described(value, header.tensors);
  });
  if (!archive) return archive.error();
  value.tensors = std::move(archive->tensors);
  if (const base::Status status = validate_elements(value); !status) return status.error();
  return value;
}

}  // namespace

base::Result<Case> parse_case(std::span<const std::byte> file) {
  return case_from([&](const tensor::HeaderCheck& check) { return tensor::parse_safetensors(file, check); });
}

base::Result<Case> load_case(const std::string& path) {
  base::Result<tensor::InputFile> file = tensor::InputFile::open(path);
  if (!file) {
    const std::string cure = file.error().kind == base::ErrorKind::Usage
                                 ? "; name a case file, as `negzero check` saves them under findings/"
                                 : "; make it readable or name another file";
    return base::Error{file.error().kind, file.error().message + cure};
  }
  base::Result<Case> value =
      case_from([&](const tensor::HeaderCheck& check) { return tensor::read_safetensors(*file, check); });
  if (!value && value.error().kind == base::ErrorKind::Usage) {
    return base::usage_error(fmt::format("{}: {}; mend the file or fetch it again", path, value.error().message));
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

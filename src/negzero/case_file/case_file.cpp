// The case file: a case as a safetensors archive and back.

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/case_file/metadata.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/tensor/half_bytes.hpp>

namespace negzero::case_file {

using operation::Case;

std::vector<std::byte> write(const Case& value) { return files::write_safetensors(value.tensors, metadata_of(value)); }

namespace {

std::string text_of(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

/// Gives tensors that the file holds as bytes the format and the shape that the operation says they have.
base::Status name_stored(const Case& value, std::map<std::string, files::Declared>& tensors) {
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    const number::Format& format = number::format(spec.format);
    const auto found = tensors.find(spec.name);
    if (format.fills_bytes() || found == tensors.end()) continue;
    const std::vector<std::int64_t> shape = tensor::byte_shape(format, spec.shape);
    files::Declared& held = found->second;
    if (held.format != number::FormatId::U8 || held.shape != shape) {
      return base::usage_error(fmt::format("tensor {} is {}{} where {}{} is stored as U8{}", spec.name,
                                           number::format(held.format).name, text_of(held.shape), format.name,
                                           text_of(spec.shape), text_of(shape)));
    }
    held = {spec.format, spec.shape};
  }
  return base::Ok{};
}

/// A case whose elements are read by `read` once its header is judged.
template <typename Read>
base::Result<Case> case_from(const Read& read) {
  Case value;
  base::Result<files::Archive> archive = read([&](files::Header& header) -> base::Status {
    base::Result<Case> described = case_of(std::move(header.metadata));
    if (!described) return described.error();
    value = *std::move(described);
    // An optional input that the file does not hold is absent.
    value.operation.set_variant(operation::variant_with(
        value.operation.signature(), [&](const std::string& name) { return header.tensors.contains(name); }));
    // The operation comes first: the shapes that the packed layouts are made of must be known to be sane.
    if (const base::Status status = validate(value.operation); !status) return status;
    pack_missing_layouts(value);
    if (const base::Status status = name_stored(value, header.tensors); !status) return status;
    return validate_described(value, header.tensors);
  });
  if (!archive) return archive.error();
  value.tensors = std::move(archive->tensors);
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    if (number::format(spec.format).fills_bytes()) continue;
    tensor::Tensor& elements = value.tensors.at(spec.name);
    elements = *tensor::from_stored(elements, spec.format, spec.shape);
  }
  if (const base::Status status = validate_elements(value); !status) return status.error();
  return value;
}

}  // namespace

base::Result<Case> parse(std::span<const std::byte> file) {
  return case_from([&](const files::HeaderCheck& check) { return files::parse_safetensors(file, check); });
}

base::Result<Case> load(const std::string& path) {
  base::Result<files::InputFile> file = files::InputFile::open(path);
  if (!file) {
    const std::string cure = file.error().kind == base::ErrorKind::Usage
                                 ? "; name a case file, as `negzero check` saves them under findings/"
                                 : "; make it readable or name another file";
    return base::Error{file.error().kind, file.error().message + cure};
  }
  base::Result<Case> value =
      case_from([&](const files::HeaderCheck& check) { return files::read_safetensors(*file, check); });
  if (!value && value.error().kind == base::ErrorKind::Usage) {
    return base::usage_error(fmt::format("{}: {}; mend the file or fetch it again", path, value.error().message));
  }
  return value;
}

base::Status save(const std::string& path, const Case& value) {
  if (const base::Status status = validate(value); !status) {
    return base::Error{status.error().kind, path + ": not a valid case to write: " + status.error().message};
  }
  return files::write_file_atomically(path, write(value));
}

}  // namespace negzero::case_file

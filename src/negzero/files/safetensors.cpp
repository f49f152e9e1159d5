// Reading and writing the container: header first, every number checked before it is used.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <negzero/files/json_writer.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/tensor/half_bytes.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::files {
namespace {

using Kind = JsonValue::Kind;
using base::Result;
using base::usage_error;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's reference reader
constexpr std::string_view kMetadataKey = "__metadata__";

/// A tensor as the header describes it; its bytes are data[begin, end).
struct Entry {
  std::string name;
  number::FormatId format;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

bool is_storage(const number::Format& format) { return format.unused_bits == 0 && format.fills_bytes(); }

std::string storage_names() {
  std::string names;
  for (const number::Format& format : number::all_formats()) {
    if (is_storage(format)) names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  return names;
}

/// Why a tensor is none.
base::Error wrong_tensor(std::string_view name, std::string_view why) {
  return usage_error(fmt::format("safetensors: tensor {}{}", in_quotes(name), why));
}

/// Reads a field that is a list of numbers from 0 up.
Result<std::vector<std::uint64_t>> read_unsigned(const JsonValue& tensor, std::string_view field) {
  const JsonValue& list = *tensor.find(field);
  if (!list.is(Kind::Array)) return wrong_tensor(tensor.key, fmt::format(": {} is not a list", field));
  std::vector<std::uint64_t> result;
  result.reserve(list.size);
  for (const JsonValue& value : list) {
    if (!value.is(Kind::Unsigned)) {
      return wrong_tensor(tensor.key, fmt::format(": {} holds something else than integers from 0 up", field));
    }
    result.push_back(value.number);
  }
  return result;
}

Result<Entry> read_entry(const JsonValue& tensor) {
  const auto refuse = [&](std::string_view why) { return wrong_tensor(tensor.key, why); };
  if (!tensor.is(Kind::Object)) return refuse(" is not an object");
  for (const JsonValue& field : tensor) {
    if (field.key != "dtype" && field.key != "shape" && field.key != "data_offsets") {
      return refuse(fmt::format(": unknown field {}; a tensor has dtype, shape, data_offsets", in_quotes(field.key)));
    }
  }
  if (tensor.size != 3) return refuse(": it needs dtype, shape and data_offsets");

  Entry entry;
  entry.name = tensor.key;
  const JsonValue& dtype = *tensor.find("dtype");
  const std::optional<number::FormatId> format =
      dtype.is(Kind::String) ? number::parse_format(dtype.text) : std::nullopt;
  if (!format || !is_storage(number::format(*format))) {
    const std::string text = dtype.is(Kind::String) ? in_quotes(dtype.text) : "that is no string";
    return refuse(fmt::format(": dtype {} is none of {}", text, storage_names()));
  }
  entry.format = *format;

  const Result<std::vector<std::uint64_t>> shape = read_unsigned(tensor, "shape");
  if (!shape) return shape.error();
  if (shape->size() > tensor::kMaxRank)
    return refuse(fmt::format(": rank {} exceeds {}", shape->size(), tensor::kMaxRank));
  entry.shape.reserve(shape->size());
  for (const std::uint64_t extent : *shape) {
    if (extent > static_cast<std::uint64_t>(tensor::kMaxElements)) {
      return refuse(fmt::format(": extent {} exceeds {}", extent, tensor::kMaxElements));
    }
    entry.shape.push_back(static_cast<std::int64_t>(extent));
  }
  const std::int64_t count = tensor::count_elements(entry.shape);
  if (count > tensor::kMaxElements) return refuse(fmt::format(": more than {} elements", tensor::kMaxElements));

  const Result<std::vector<std::uint64_t>> offsets = read_unsigned(tensor, "data_offsets");
  if (!offsets) return offsets.error();
  if (offsets->size() != 2) return refuse(": data_offsets are not two numbers");
  entry.begin = (*offsets)[0];
  entry.end = (*offsets)[1];
  const std::uint64_t needed =
      static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(number::format(*format).bytes());
  if (entry.end < entry.begin || entry.end - entry.begin != needed) {
    return refuse(fmt::format(": data_offsets [{}, {}] do not span the {} bytes of its shape and dtype", entry.begin,
                              entry.end, needed));
  }
  return entry;
}

/// A header that keeps the rules of the format.
struct Parsed {
  Header header;
  std::vector<Entry> entries;    ///< in the order of their data
  std::uint64_t data_bytes = 0;  ///< of all of them, one behind the other
};

/// The length that the first bytes of a file give its header.
Result<std::uint64_t> header_length(std::span<const std::byte> start, std::optional<std::uint64_t> file_bytes) {
  if (start.size() < kLengthBytes) {
    return usage_error(fmt::format("safetensors: {} bytes are too few for the length of a header", start.size()));
  }
  const std::uint64_t length = tensor::load_word(start.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    return usage_error(fmt::format("safetensors: header length {} exceeds {}", length, kMaxHeaderBytes));
  }
  if (file_bytes && length > *file_bytes - kLengthBytes) {
    return usage_error(fmt::format("safetensors: header length {} exceeds the file of {} bytes (is it truncated?)",
                                   length, *file_bytes));
  }
  return length;
}

base::Error wrong_end(std::uint64_t end, std::uint64_t data_bytes, bool at_least) {
  return usage_error(fmt::format("safetensors: the tensors end at byte {} of the data, which has {}{} bytes{}", end,
                                 at_least ? "at least " : "", data_bytes,
                                 end > data_bytes ? " (is the file truncated?)" : ""));
}

/// Parses the text of a header. `data_bytes` lie behind it in the file, where that is known.
Result<Parsed> parse_header(std::string_view text, std::optional<std::uint64_t> data_bytes) {
  const Result<JsonDocument> document = parse_strict_json(text, "safetensors: header", {.depth = 3});
  if (!document) return document.error();
  const JsonValue& header = document->root();
  if (!header.is(Kind::Object)) return usage_error("safetensors: header: it is not an object");

  Parsed parsed;
  for (const JsonValue& value : header) {
    if (value.key == kMetadataKey) {
      if (!value.is(Kind::Object)) return usage_error("safetensors: __metadata__ is not an object");
      for (const JsonValue& word : value) {
        if (!word.is(Kind::String)) {
          return usage_error(fmt::format("safetensors: __metadata__ key {} holds no string", in_quotes(word.key)));
        }
        parsed.header.metadata.emplace_hint(parsed.header.metadata.end(), word.key, word.text);
      }
      continue;
    }
    Result<Entry> entry = read_entry(value);
    if (!entry) return entry.error();
    parsed.header.tensors.emplace(entry->name, Declared{entry->format, entry->shape});
    parsed.entries.push_back(*std::move(entry));
  }

  std::sort(parsed.entries.begin(), parsed.entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  for (const Entry& entry : parsed.entries) {
    if (entry.begin != parsed.data_bytes) {
      return usage_error(fmt::format("safetensors: tensor {} begins at byte {} of the data, not at {}: {}",
                                     in_quotes(entry.name), entry.begin, parsed.data_bytes,
                                     entry.begin < parsed.data_bytes ? "tensors overlap" : "there is a hole"));
    }
    parsed.data_bytes = entry.end;
  }
  if (data_bytes && parsed.data_bytes != *data_bytes) return wrong_end(parsed.data_bytes, *data_bytes, false);
  return parsed;
}

/// parse_header(), then `check`.
Result<Parsed> accept_header(std::span<const std::byte> text, std::optional<std::uint64_t> data_bytes,
                             const HeaderCheck& check) {
  Result<Parsed> parsed =
      parse_header({reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(text.size())}, data_bytes);
  if (!parsed || !check) return parsed;
  if (const base::Status status = check(parsed->header); !status) return status.error();
  return parsed;
}

/// The archive whose elements `fill` puts into each tensor, in the order of the data.
template <typename Fill>
Result<Archive> archive_of(Parsed parsed, const Fill& fill) {
  Archive archive;
  archive.metadata = std::move(parsed.header.metadata);
  for (Entry& entry : parsed.entries) {
    tensor::Tensor tensor(entry.format, std::move(entry.shape));
    if (const base::Status status = fill(entry, tensor.bytes()); !status) return status.error();
    archive.tensors.emplace(std::move(entry.name), std::move(tensor));
  }
  return archive;
}

Result<Archive> archive_in(Parsed parsed, std::span<const std::byte> data) {
  return archive_of(std::move(parsed), [&](const Entry& entry, std::span<std::byte> to) -> base::Status {
    const std::span<const std::byte> bytes = data.subspan(static_cast<std::size_t>(entry.begin), to.size());
    std::copy(bytes.begin(), bytes.end(), to.begin());
    return base::Ok{};
  });
}

}  // namespace

Result<Archive> parse_safetensors(std::span<const std::byte> file, const HeaderCheck& check) {
  const Result<std::uint64_t> length = header_length(file, file.size());
  if (!length) return length.error();
  const std::span<const std::byte> rest = file.subspan(kLengthBytes);
  const std::span<const std::byte> data = rest.subspan(static_cast<std::size_t>(*length));
  Result<Parsed> parsed = accept_header(rest.first(static_cast<std::size_t>(*length)), data.size(), check);
  if (!parsed) return parsed.error();
  return archive_in(*std::move(parsed), data);
}

Result<Archive> read_safetensors(InputFile& file, const HeaderCheck& check) try {
  const Result<std::vector<std::byte>> start = file.read_up_to(kLengthBytes);
  if (!start) return start.error();
  const Result<std::uint64_t> length = header_length(*start, file.size_bytes());
  if (!length) return length.error();
  const Result<std::vector<std::byte>> text = file.read_up_to(*length);
  if (!text) return text.error();
  if (text->size() < *length) {
    return usage_error(fmt::format("safetensors: header length {} exceeds the file of {} bytes (is it truncated?)",
                                   *length, kLengthBytes + text->size()));
  }
  std::optional<std::uint64_t> data_bytes = file.size_bytes();
  if (data_bytes) *data_bytes -= kLengthBytes + *length;
  Result<Parsed> parsed = accept_header(*text, data_bytes, check);
  if (!parsed) return parsed.error();

  const std::uint64_t end = parsed->data_bytes;
  if (!data_bytes) {
    const Result<std::vector<std::byte>> data = file.read_up_to(end + 1);
    if (!data) return data.error();
    if (data->size() != end) return wrong_end(end, data->size(), data->size() > end);
    return archive_in(*std::move(parsed), *data);
  }
  return archive_of(*std::move(parsed), [&](const Entry& entry, std::span<std::byte> to) -> base::Status {
    const Result<std::size_t> got = file.read(to);
    if (!got) return got.error();
    if (*got < to.size()) return wrong_end(end, entry.begin + *got, false);
    return base::Ok{};
  });
} catch (const std::bad_alloc&) {
  return base::infrastructure_error(file.path() + ": does not fit into memory");
}

std::vector<std::byte> write_safetensors(const std::map<std::string, tensor::Tensor>& tensors,
                                         const std::map<std::string, std::string>& metadata) {
  struct Placed {
    std::string_view name;
    const tensor::Tensor* tensor;
    std::size_t begin = 0;
  };
  std::vector<Placed> placed;  // by name
  std::map<std::string_view, tensor::Tensor> stored;
  for (const auto& [name, tensor] : tensors) {
    const bool is_itself = tensor.format().fills_bytes();
    placed.push_back({name, is_itself ? &tensor : &stored.emplace(name, tensor::as_stored(tensor)).first->second});
  }
  std::vector<Placed*> order;  // of the data
  for (Placed& each : placed) order.push_back(&each);
  std::stable_sort(order.begin(), order.end(), [](const Placed* a, const Placed* b) {
    return a->tensor->element_bytes() > b->tensor->element_bytes();
  });
  std::size_t position = 0;
  for (Placed* each : order) {
    each->begin = position;
    position += each->tensor->bytes().size();
  }

  JsonWriter header;
  header.open('{');
  const auto write_tensor = [&](const Placed& each) {
    header.key(each.name).open('{').key("data_offsets").open('[');
    header.integer(each.begin).integer(each.begin + each.tensor->bytes().size()).close(']');
    header.key("dtype").string(each.tensor->format().name).key("shape").integers(each.tensor->shape()).close('}');
  };
  const auto behind = std::ranges::upper_bound(placed, kMetadataKey, {}, &Placed::name);
  std::for_each(placed.begin(), behind, write_tensor);
  if (!metadata.empty()) {
    header.key(kMetadataKey).open('{');
    for (const auto& [key, text] : metadata) header.key(key).string(text);
    header.close('}');
  }
  std::for_each(behind, placed.end(), write_tensor);
  std::string text = header.close('}').take();
  text.append((8 - text.size() % 8) % 8, ' ');

  std::vector<std::byte> file(kLengthBytes + text.size() + position);
  tensor::store_word(file.data(), kLengthBytes, text.size());
  std::memcpy(file.data() + kLengthBytes, text.data(), text.size());
  std::byte* to = file.data() + kLengthBytes + text.size();
  for (const Placed* each : order) {
    const std::span<const std::byte> bytes = each->tensor->bytes();
    to = std::copy(bytes.begin(), bytes.end(), to);
  }
  return file;
}

}  // namespace negzero::files

// Reading and writing the container: header first, every number checked before it is used.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/safetensors.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::tensor {
namespace {

using Json = nlohmann::json;
using base::Result;
using base::usage_error;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's reference reader
constexpr const char* kMetadataKey = "__metadata__";

/// A tensor as the header describes it; its bytes are data[begin, end).
struct Entry {
  std::string name;
  number::FormatId format;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

bool is_storage(const number::Format& format) { return format.unused_bits == 0; }

std::string storage_names() {
  std::string names;
  for (const number::Format& format : number::all_formats()) {
    if (is_storage(format)) names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  return names;
}

Result<std::vector<std::uint64_t>> read_unsigned(const Json& list, const std::string& what) {
  if (!list.is_array()) return usage_error(what + " is not a list");
  std::vector<std::uint64_t> result;
  result.reserve(list.size());
  for (const Json& value : list) {
    if (!value.is_number_unsigned()) return usage_error(what + " holds something else than integers from 0 up");
    result.push_back(value.get<std::uint64_t>());
  }
  return result;
}

Result<Entry> read_entry(const std::string& name, const Json& value) {
  const std::string what = "safetensors: tensor " + in_quotes(name);
  if (!value.is_object()) return usage_error(what + " is not an object");
  for (const auto& [key, field] : value.items()) {
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      return usage_error(
          fmt::format("{}: unknown field {}; a tensor has dtype, shape, data_offsets", what, in_quotes(key)));
    }
  }
  if (value.size() != 3) return usage_error(what + ": it needs dtype, shape and data_offsets");

  Entry entry;
  entry.name = name;
  const Json& dtype = value.at("dtype");
  const std::optional<number::FormatId> format =
      dtype.is_string() ? number::parse_format(dtype.get_ref<const std::string&>()) : std::nullopt;
  if (!format || !is_storage(number::format(*format))) {
    const std::string text = dtype.is_string() ? in_quotes(dtype.get_ref<const std::string&>()) : "that is no string";
    return usage_error(fmt::format("{}: dtype {} is none of {}", what, text, storage_names()));
  }
  entry.format = *format;

  const Result<std::vector<std::uint64_t>> shape = read_unsigned(value.at("shape"), what + ": shape");
  if (!shape) return shape.error();
  if (shape->size() > kMaxRank) {
    return usage_error(fmt::format("{}: rank {} exceeds {}", what, shape->size(), kMaxRank));
  }
  for (const std::uint64_t extent : *shape) {
    if (extent > static_cast<std::uint64_t>(kMaxElements)) {
      return usage_error(fmt::format("{}: extent {} exceeds {}", what, extent, kMaxElements));
    }
    entry.shape.push_back(static_cast<std::int64_t>(extent));
  }
  const std::int64_t count = count_elements(entry.shape);
  if (count > kMaxElements) return usage_error(fmt::format("{}: more than {} elements", what, kMaxElements));

  const Result<std::vector<std::uint64_t>> offsets = read_unsigned(value.at("data_offsets"), what + ": data_offsets");
  if (!offsets) return offsets.error();
  if (offsets->size() != 2) return usage_error(what + ": data_offsets are not two numbers");
  entry.begin = (*offsets)[0];
  entry.end = (*offsets)[1];
  const std::uint64_t needed =
      static_cast<std::uint64_t>(count) * (static_cast<std::uint64_t>(number::format(*format).bits) / 8);
  if (entry.end < entry.begin || entry.end - entry.begin != needed) {
    return usage_error(fmt::format("{}: data_offsets [{}, {}] do not span the {} bytes of its shape and dtype", what,
                                   entry.begin, entry.end, needed));
  }
  return entry;
}

}  // namespace

Result<Archive> parse_safetensors(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes) {
    return usage_error(fmt::format("safetensors: {} bytes are too few for the length of a header", file.size()));
  }
  const std::uint64_t header_bytes = load_word(file.data(), kLengthBytes);
  if (header_bytes > kMaxHeaderBytes) {
    return usage_error(fmt::format("safetensors: header length {} exceeds {}", header_bytes, kMaxHeaderBytes));
  }
  if (header_bytes > file.size() - kLengthBytes) {
    return usage_error(fmt::format("safetensors: header length {} exceeds the file of {} bytes (is it truncated?)",
                                   header_bytes, file.size()));
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes,
                              static_cast<std::size_t>(header_bytes));
  const std::span<const std::byte> data = file.subspan(kLengthBytes + static_cast<std::size_t>(header_bytes));
  Result<Json> header = parse_strict_json(text, "safetensors: header", {.depth = 3});
  if (!header) return header.error();
  if (!header->is_object()) return usage_error("safetensors: header: it is not an object");

  Archive archive;
  std::vector<Entry> entries;
  for (auto& [name, value] : header->items()) {
    if (name == kMetadataKey) {
      if (!value.is_object()) return usage_error("safetensors: __metadata__ is not an object");
      for (auto& [key, word] : value.items()) {
        if (!word.is_string()) {
          return usage_error(fmt::format("safetensors: __metadata__ key {} holds no string", in_quotes(key)));
        }
        archive.metadata.emplace(key, std::move(word.get_ref<std::string&>()));
      }
      continue;
    }
    Result<Entry> entry = read_entry(name, value);
    if (!entry) return entry.error();
    entries.push_back(*std::move(entry));
  }

  // Only after the data is known to be exactly the tensors, one behind the other, is memory spent on them.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) {
      return usage_error(fmt::format("safetensors: tensor {} begins at byte {} of the data, not at {}: {}",
                                     in_quotes(entry.name), entry.begin, position,
                                     entry.begin < position ? "tensors overlap" : "there is a hole"));
    }
    position = entry.end;
  }
  if (position != data.size()) {
    return usage_error(fmt::format("safetensors: the tensors end at byte {} of the data, which has {} bytes{}",
                                   position, data.size(), position > data.size() ? " (is the file truncated?)" : ""));
  }
  for (Entry& entry : entries) {
    Tensor tensor(entry.format, std::move(entry.shape));
    const std::span<const std::byte> bytes = data.subspan(static_cast<std::size_t>(entry.begin), tensor.bytes().size());
    std::copy(bytes.begin(), bytes.end(), tensor.bytes().begin());
    archive.tensors.emplace(std::move(entry.name), std::move(tensor));
  }
  return archive;
}

std::vector<std::byte> write_safetensors(const Archive& archive) {
  Json header = Json::object();
  if (!archive.metadata.empty()) header[kMetadataKey] = archive.metadata;
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& named : archive.tensors) order.push_back(&named);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->second.element_bytes() > b->second.element_bytes(); });
  std::size_t position = 0;
  for (const auto* named : order) {
    const auto& [name, tensor] = *named;
    const std::size_t end = position + tensor.bytes().size();
    header[name] = {{"dtype", tensor.format().name}, {"shape", tensor.shape()}, {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');

  std::vector<std::byte> file(kLengthBytes + text.size() + position);
  store_word(file.data(), kLengthBytes, text.size());
  std::memcpy(file.data() + kLengthBytes, text.data(), text.size());
  std::byte* to = file.data() + kLengthBytes + text.size();
  for (const auto* named : order) {
    const std::span<const std::byte> bytes = named->second.bytes();
    to = std::copy(bytes.begin(), bytes.end(), to);
  }
  return file;
}

}  // namespace negzero::tensor

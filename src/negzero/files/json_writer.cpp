// Writes JSON without spaces, from left to right.

#include <nlohmann/json.hpp>

#include <negzero/files/json_writer.hpp>
#include <negzero/files/strict_json.hpp>

namespace negzero::files {
namespace {

std::string as_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

JsonWriter::JsonWriter() = default;
JsonWriter::~JsonWriter() = default;

JsonWriter& JsonWriter::open(char bracket) {
  bracket == '{' ? to_.StartObject() : to_.StartArray();
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  bracket == '}' ? to_.EndObject() : to_.EndArray();
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  if (!is_utf8(text)) return string(as_utf8(text));
  to_.String(text.empty() ? "" : text.data(), static_cast<rapidjson::SizeType>(text.size()));
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  to_.Bool(value);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) {
  to_.Uint64(value);
  return *this;
}

JsonWriter& JsonWriter::signed_integer(std::int64_t value) {
  to_.Int64(value);
  return *this;
}

JsonWriter& JsonWriter::integers(std::span<const std::int64_t> values) {
  open('[');
  for (const std::int64_t value : values) integer(value);
  return close(']');
}

std::string JsonWriter::take() const { return {text_.GetString(), text_.GetSize()}; }

}  // namespace negzero::files

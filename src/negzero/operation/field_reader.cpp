// Fields of JSON objects: every access checks the type first.

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/operation/field_reader.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::operation {
namespace {

using Json = nlohmann::json;
using tensor::in_quotes;

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

std::optional<std::int64_t> signed_integer(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return value.get<std::int64_t>();
}

std::optional<std::uint64_t> parse_whole(std::string_view digits, int base) noexcept {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value, base);
  if (code != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

FieldReader::FieldReader(const Json& document, std::string what, std::initializer_list<std::string_view> known,
                         std::optional<std::string>& error)
    : object_(document.is_object() ? document : empty_object()), what_(std::move(what)), error_(error) {
  if (error_) return;
  if (!document.is_object()) {
    error_ = what_ + " is not an object";
    return;
  }
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      error_ = fmt::format("{}: unknown field {}; valid: {}", what_, in_quotes(key), fmt::join(known, ", "));
      return;
    }
  }
}

void FieldReader::fail(std::string_view key, const std::string& why) {
  if (!error_) error_ = fmt::format("{}: field {} {}", what_, key, why);
}

bool FieldReader::has(std::string_view key) const { return object_.contains(key); }

const Json* FieldReader::find(std::string_view key) {
  if (error_) return nullptr;
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  fail(key, "is missing");
  return nullptr;
}

std::int64_t FieldReader::integer(std::string_view key) {
  const Json* const value = find(key);
  if (value == nullptr) return 0;
  const std::optional<std::int64_t> result = signed_integer(*value);
  if (!result) fail(key, "is not a signed 64-bit integer");
  return result.value_or(0);
}

std::vector<std::int64_t> FieldReader::integers(std::string_view key) {
  std::vector<std::int64_t> result;
  const Json* const list = find(key);
  if (list == nullptr) return result;
  if (!list->is_array()) fail(key, "is not a list");
  for (const Json& value : *list) {
    const std::optional<std::int64_t> entry = signed_integer(value);
    if (!entry) fail(key, "holds something else than signed 64-bit integers");
    if (!ok()) return {};
    result.push_back(*entry);
  }
  return result;
}

bool FieldReader::boolean(std::string_view key) {
  const Json* const value = find(key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) fail(key, "is neither true nor false");
  return value->is_boolean() && value->get<bool>();
}

std::string FieldReader::text(std::string_view key) {
  const Json* const value = find(key);
  if (value == nullptr) return {};
  if (!value->is_string()) fail(key, "is not a string");
  return value->is_string() ? value->get<std::string>() : std::string{};
}

std::uint64_t FieldReader::decimal(std::string_view key) {
  const std::string found = text(key);
  const std::optional<std::uint64_t> result = parse_decimal(found);
  if (!result) fail(key, fmt::format("= {} is not a decimal number of 64 bits", in_quotes(found)));
  return result.value_or(0);
}

const Json& FieldReader::child(std::string_view key) {
  const Json* const value = find(key);
  return value == nullptr ? empty_object() : *value;
}

void FieldReader::unknown_word(std::string_view key, const std::string& found, const std::string& list) {
  fail(key, fmt::format("= {} is none of {}", in_quotes(found), list));
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return parse_whole(text, 10);
}

std::optional<std::uint64_t> parse_hex(std::string_view text) noexcept {
  if (!text.starts_with("0x") || text.size() > 18) return std::nullopt;
  return parse_whole(text.substr(2), 16);
}

}  // namespace negzero::operation

// Fields of JSON objects: every access checks the type first.

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <negzero/files/field_reader.hpp>

namespace negzero::files {
namespace {

using Kind = JsonValue::Kind;

constexpr JsonValue kEmptyObject{.kind = Kind::Object};

std::optional<std::int64_t> signed_integer(const JsonValue& value) {
  const bool fits = value.is(Kind::Negative) ||
                    (value.is(Kind::Unsigned) &&
                     value.number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits) return std::nullopt;
  return static_cast<std::int64_t>(value.number);
}

std::optional<std::uint64_t> parse_whole(std::string_view digits, int base) noexcept {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value, base);
  if (code != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

FieldReader::FieldReader(const JsonValue& document, std::string_view what,
                         std::initializer_list<std::string_view> known, std::optional<std::string>& error,
                         std::optional<std::string_view> member)
    : object_(document.is(Kind::Object) ? document : kEmptyObject), what_(what), error_(error), member_(member) {
  check(document, known);
}

FieldReader::FieldReader(const JsonValue& document, std::string_view what, std::span<const std::string> known,
                         std::optional<std::string>& error)
    : object_(document.is(Kind::Object) ? document : kEmptyObject), what_(what), error_(error) {
  check(document, known);
}

template <typename Names>
void FieldReader::check(const JsonValue& document, const Names& known) {
  if (error_) return;
  if (!document.is(Kind::Object)) {
    error_ = where() + " is not an object";
    return;
  }
  for (const JsonValue& field : object_) {
    if (std::find(known.begin(), known.end(), field.key) == known.end()) {
      error_ = fmt::format("{}: unknown field {}; valid: {}", where(), in_quotes(field.key), fmt::join(known, ", "));
      return;
    }
  }
}

std::string FieldReader::where() const {
  return member_ ? fmt::format("{} {}", what_, in_quotes(*member_)) : std::string(what_);
}

void FieldReader::fail(std::string_view key, std::string_view why) {
  if (!error_) error_ = fmt::format("{}: field {} {}", where(), key, why);
}

bool FieldReader::has(std::string_view key) const { return object_.find(key) != nullptr; }

const JsonValue* FieldReader::find(std::string_view key) {
  if (error_) return nullptr;
  const JsonValue* const found = object_.find(key);
  if (found == nullptr) fail(key, "is missing");
  return found;
}

std::int64_t FieldReader::integer(std::string_view key) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return 0;
  const std::optional<std::int64_t> result = signed_integer(*value);
  if (!result) fail(key, "is not a signed 64-bit integer");
  return result.value_or(0);
}

std::vector<std::int64_t> FieldReader::integers(std::string_view key) {
  std::vector<std::int64_t> result;
  const JsonValue* const list = find(key);
  if (list == nullptr) return result;
  if (!list->is(Kind::Array)) fail(key, "is not a list");
  result.reserve(list->size);
  for (const JsonValue& value : *list) {
    const std::optional<std::int64_t> entry = signed_integer(value);
    if (!entry) fail(key, "holds something else than signed 64-bit integers");
    if (!ok()) return {};
    result.push_back(*entry);
  }
  return result;
}

bool FieldReader::boolean(std::string_view key) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return false;
  if (!value->is(Kind::Boolean)) fail(key, "is neither true nor false");
  return value->is(Kind::Boolean) && value->number != 0;
}

std::string_view FieldReader::text(std::string_view key) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return {};
  if (!value->is(Kind::String)) fail(key, "is not a string");
  return value->text;
}

std::uint64_t FieldReader::decimal(std::string_view key) {
  const std::string_view found = text(key);
  const std::optional<std::uint64_t> result = parse_decimal(found);
  if (!result) fail(key, fmt::format("= {} is not a decimal number of 64 bits", in_quotes(found)));
  return result.value_or(0);
}

const JsonValue& FieldReader::child(std::string_view key) {
  const JsonValue* const value = find(key);
  return value == nullptr ? kEmptyObject : *value;
}

void FieldReader::unknown_word(std::string_view key, std::string_view found, std::string_view list) {
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

}  // namespace negzero::files

// The strict reader: values in the order of the text, linked as children.

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/tensor/json_lexer.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::tensor {
namespace {

using Kind = JsonValue::Kind;
using Token = JsonToken;

/// Builds a document from tokens. What returns false has set `error_`.
class JsonParser {
 public:
  JsonParser(std::string_view text, const JsonBounds& bounds) : bounds_(bounds), lexer_(text, unescaped_) {
    // A value takes two bytes, itself and a comma or the other bracket, but for the last one and what is still open. So
    // one reservation keeps pointers to values valid.
    values_.reserve(std::min(text.size() / 2 + bounds.depth + 1, bounds.values));
  }

  base::Result<JsonDocument> parsed(std::string_view what) {
    JsonValue* root = nullptr;
    const bool is_read = read(lexer_.next(), 0, root) && (lexer_.next() == Token::End || misplaced());
    if (!is_read) return base::usage_error(fmt::format("{}: {}", what, error_));
    return JsonDocument(std::move(values_), std::move(unescaped_));
  }

 private:
  template <typename... Args>
  bool fail(fmt::format_string<Args...> why, Args&&... args) {
    error_ = fmt::format(why, std::forward<Args>(args)...);
    return false;
  }
  /// The last token cannot stand where it does.
  bool misplaced() { return fail("it is not JSON (byte {})", lexer_.position()); }

  bool add(const JsonValue& value, JsonValue*& to) {
    if (values_.size() == bounds_.values) return fail("it holds more than {} values", bounds_.values);
    to = &values_.emplace_back(value);
    return true;
  }

  /// Reads the value that begins with `token`, within `depth` arrays and objects.
  bool read(Token token, std::size_t depth, JsonValue*& to) {
    switch (token) {
      case Token::Value:
      case Token::String:
        return add(lexer_.value(), to);
      case Token::Real:
        return fail("{} is not a 64-bit integer", in_quotes(lexer_.digits()));
      case Token::BeginArray:
        return enter(Kind::Array, depth, to) && read_array(*to, depth + 1);
      case Token::BeginObject:
        return enter(Kind::Object, depth, to) && read_object(*to, depth + 1);
      default:
        return misplaced();
    }
  }

  bool enter(Kind kind, std::size_t depth, JsonValue*& to) {
    if (depth == bounds_.depth) return fail("it nests deeper than {} levels", bounds_.depth);
    return add({.kind = kind}, to);
  }

  bool read_array(JsonValue& array, std::size_t depth) {
    JsonValue** end = &array.first;
    for (Token token = lexer_.next(); array.size > 0 || token != Token::EndArray; token = lexer_.next()) {
      if (!read(token, depth, *end)) return false;
      end = &(*end)->next;
      ++array.size;
      const Token behind = lexer_.next();
      if (behind == Token::EndArray) break;
      if (behind != Token::Comma) return misplaced();
    }
    return true;
  }

  bool read_object(JsonValue& object, std::size_t depth) {
    // Keys that ascend, as those of every file that negzero writes, need no more than the list. Once one does not, all
    // of them are in the map.
    std::map<std::string_view, JsonValue*> sorted;
    std::string_view last;  // key
    JsonValue** end = &object.first;
    for (Token token = lexer_.next(); object.size > 0 || token != Token::EndObject; token = lexer_.next()) {
      if (token != Token::String) return misplaced();
      const std::string_view key = lexer_.value().text;
      if (sorted.empty() && object.size > 0 && key <= last) {
        for (JsonValue* child = object.first; child != nullptr; child = child->next) sorted.emplace(child->key, child);
      }
      if (sorted.contains(key)) return fail("the key {} stands twice in one object", in_quotes(key));
      if (lexer_.next() != Token::Colon) return misplaced();
      JsonValue* child = nullptr;
      if (!read(lexer_.next(), depth, child)) return false;
      child->key = last = key;
      ++object.size;
      if (sorted.empty()) {
        *end = child;
        end = &child->next;
      } else {
        sorted.emplace(key, child);
      }
      const Token behind = lexer_.next();
      if (behind == Token::EndObject) break;
      if (behind != Token::Comma) return misplaced();
    }
    if (sorted.empty()) return true;
    end = &object.first;
    for (const auto& [key, child] : sorted) {
      *end = child;
      end = &child->next;
    }
    *end = nullptr;
    return true;
  }

  std::vector<JsonValue> values_;
  std::vector<char> unescaped_;
  JsonBounds bounds_;
  JsonLexer lexer_;
  std::string error_;
};

}  // namespace

base::Result<JsonDocument> parse_strict_json(std::string_view text, std::string_view what, const JsonBounds& bounds) {
  if (text.empty() || (text.front() != '{' && text.front() != '[')) {
    return base::usage_error(fmt::format("{}: it does not start with {{ or [", what));
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return base::usage_error(fmt::format("{}: it holds a NUL byte (byte {})", what, nul));
  }
  return JsonParser(text, bounds).parsed(what);
}

const JsonValue* JsonValue::find(std::string_view name) const noexcept {
  for (const JsonValue& child : *this) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

nlohmann::json to_nlohmann(const JsonValue& value) {
  using Json = nlohmann::json;
  switch (value.kind) {
    case Kind::Null:
      return nullptr;
    case Kind::Boolean:
      return value.number != 0;
    case Kind::Unsigned:
      return value.number;
    case Kind::Negative:
      return static_cast<std::int64_t>(value.number);
    case Kind::String:
      return std::string(value.text);
    case Kind::Array: {
      Json array = Json::array();
      for (const JsonValue& child : value) array.push_back(to_nlohmann(child));
      return array;
    }
    case Kind::Object:
      break;
  }
  Json object = Json::object();
  for (const JsonValue& child : value) object[std::string(child.key)] = to_nlohmann(child);
  return object;
}

Utf8Prefix utf8_prefix(std::string_view text) noexcept {
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text.front());
  if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4) return {};
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k) {
    if (k == text.size()) return {k, false};
    const auto byte = static_cast<unsigned char>(text[k]);
    // The second byte of E0, ED, F0 and F4 excludes long forms, surrogates and values above U+10FFFF (RFC 3629 4).
    const unsigned low = k > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = k > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) return {k, false};
  }
  return {length, true};
}

std::string_view plain_prefix(std::string_view text) noexcept {
  static constexpr auto kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t c = 0; c < plain.size(); ++c) plain[c] = stands_in_json(static_cast<char>(c));
    return plain;
  }();
  std::size_t size = 0;
  while (size < text.size() && kPlain[static_cast<unsigned char>(text[size])]) ++size;
  return text.substr(0, size);
}

bool is_utf8(std::string_view text) noexcept {
  for (;;) {
    text.remove_prefix(plain_prefix(text).size());
    if (text.empty()) return true;
    const Utf8Prefix character = utf8_prefix(text);
    if (!character.whole) return false;
    text.remove_prefix(character.bytes);
  }
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  std::string result = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace negzero::tensor

// The strict reader: RapidJSON's events, checked one by one while the document is built.

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <rapidjson/reader.h>

#include <negzero/base/nearest.hpp>
#include <negzero/files/strict_json.hpp>

namespace negzero::files {
namespace {

using Kind = JsonValue::Kind;

/// Receives the events of RapidJSON's reader. Every handler returns false to stop, with an error.
class Builder {
 public:
  Builder(std::string_view text, const JsonBounds& bounds)
      : bounds_(bounds), original_(text), text_(text.begin(), text.end()) {
    text_.push_back('\0');
    // A value takes two bytes, itself and a comma or the other bracket, but for the last one and what is still open. So
    // one reservation keeps pointers to values valid.
    values_.reserve(std::min(text.size() / 2 + bounds.depth + 1, bounds.values));
  }

  base::Result<JsonDocument> parsed(std::string_view what) {
    // In place: strings become views of the text. Iterative: depth costs no stack.
    rapidjson::InsituStringStream stream(text_.data());
    rapidjson::Reader reader;
    constexpr unsigned kFlags =
        rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;
    const auto result = reader.Parse<kFlags>(stream, *this);
    if (!result.IsError()) return JsonDocument(std::move(values_), std::move(text_));
    if (is_no_integer_) {
      const std::string_view number = original_.substr(result.Offset());
      fail("{} is not a 64-bit integer", in_quotes(number.substr(0, number.find_first_not_of("0123456789+-.eE"))));
    } else if (error_.empty()) {
      fail("it is not JSON (byte {})", result.Offset() + 1);
    }
    return base::usage_error(fmt::format("{}: {}", what, error_));
  }

  bool Null() { return add({.kind = Kind::Null}); }
  bool Bool(bool value) { return add({.kind = Kind::Boolean, .number = value ? 1u : 0u}); }
  bool Int(int value) { return Int64(value); }
  bool Uint(unsigned value) { return Uint64(value); }
  bool Int64(std::int64_t value) {
    return add({.kind = value < 0 ? Kind::Negative : Kind::Unsigned, .number = static_cast<std::uint64_t>(value)});
  }
  bool Uint64(std::uint64_t value) { return add({.kind = Kind::Unsigned, .number = value}); }
  bool Double(double value) {
    if (bounds_.reals) return add({.kind = Kind::Real, .number = std::bit_cast<std::uint64_t>(value)});
    is_no_integer_ = true;
    return false;
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }  // Of a flag that is not set.
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return is_utf8({text, size}) && add({.kind = Kind::String, .text = {text, size}});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_ = {text, size};
    return is_utf8(key_);
  }
  bool StartObject() { return open(Kind::Object); }
  bool StartArray() { return open(Kind::Array); }
  bool EndObject(rapidjson::SizeType) { return (open_.back().ascends || sort(*open_.back().value)) && close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

 private:
  /// An array or object that has not ended.
  struct Open {
    JsonValue* value;
    JsonValue* last = nullptr;  ///< child
    bool ascends = true;        ///< the keys do, so far: those of every file that negzero writes
  };

  template <typename... Args>
  bool fail(fmt::format_string<Args...> why, Args&&... args) {
    error_ = fmt::format(why, std::forward<Args>(args)...);
    return false;
  }

  bool add(const JsonValue& value) {
    if (values_.size() == bounds_.values) return fail("it holds more than {} values", bounds_.values);
    JsonValue& added = values_.emplace_back(value);
    if (open_.empty()) return true;
    Open& parent = open_.back();
    if (parent.value->is(Kind::Object)) {
      added.key = key_;
      parent.ascends = parent.ascends && (parent.last == nullptr || parent.last->key < key_);
    }
    (parent.last == nullptr ? parent.value->first : parent.last->next) = &added;
    parent.last = &added;
    ++parent.value->size;
    return true;
  }

  bool open(Kind kind) {
    if (open_.size() == bounds_.depth) return fail("it nests deeper than {} levels", bounds_.depth);
    if (!add({.kind = kind})) return false;
    open_.push_back({&values_.back()});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  /// Links the children of an object by key.
  bool sort(JsonValue& object) {
    std::vector<JsonValue*> children;
    for (JsonValue* child = object.first; child != nullptr; child = child->next) children.push_back(child);
    std::ranges::sort(children, {}, &JsonValue::key);
    const auto twice = std::ranges::adjacent_find(children, {}, &JsonValue::key);
    if (twice != children.end()) return fail("the key {} stands twice in one object", in_quotes((*twice)->key));
    JsonValue** end = &object.first;
    for (JsonValue* const child : children) {
      *end = child;
      end = &child->next;
    }
    *end = nullptr;
    return true;
  }

  JsonBounds bounds_;
  std::string_view original_;
  std::vector<char> text_;
  std::vector<JsonValue> values_;
  std::vector<Open> open_;
  std::string_view key_;        ///< of the next value, in an object
  bool is_no_integer_ = false;  ///< the number that was read last: one with a fraction, an exponent, or beyond 64 bits
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
  return Builder(text, bounds).parsed(what);
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
    case Kind::Real:
      return std::bit_cast<double>(value.number);
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

void require_known(const nlohmann::json& json, const std::string& what, std::initializer_list<std::string_view> known) {
  if (!json.is_object()) throw std::invalid_argument(what + " is no object");
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw std::invalid_argument(what + " has a field \"" + key + "\" that is not known; " +
                                base::did_you_mean(key, known));
  }
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    // Eight characters of ASCII at once: nearly all texts hold nothing else.
    std::uint64_t word = 0;
    if (text.size() - i >= sizeof word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & 0x8080808080808080) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || text.size() - i < length) return false;
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      // The second byte of E0, ED, F0 and F4 excludes long forms, surrogates and values above U+10FFFF (RFC 3629 4).
      const unsigned low = k > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
      const unsigned high = k > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
      if (byte < low || byte > high) return false;
    }
    i += length;
  }
  return true;
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

}  // namespace negzero::files

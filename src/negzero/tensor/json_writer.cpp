// JSON from left to right: what is put into the text is final.

#include <algorithm>
#include <array>
#include <charconv>

#include <negzero/tensor/json_writer.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::tensor {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

void append_number(std::string& to, auto value) {
  char digits[20];  // the longest: -9223372036854775808 and 18446744073709551615
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Puts a character of ASCII that does not stand in a string as it is at `to`: two bytes, or kMostBytes.
constexpr std::size_t kMostBytes = 6;
char* put_escape(char* to, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  *to++ = '\\';
  switch (c) {
    case '"':
    case '\\':
      return *to++ = c, to;
    case '\b':
      return *to++ = 'b', to;
    case '\f':
      return *to++ = 'f', to;
    case '\n':
      return *to++ = 'n', to;
    case '\r':
      return *to++ = 'r', to;
    case '\t':
      return *to++ = 't', to;
    default:
      to = std::ranges::copy(std::string_view("u00"), to).out;
      *to++ = kDigits[static_cast<std::size_t>(c) >> 4];
      return *to++ = kDigits[static_cast<std::size_t>(c) & 15], to;
  }
}

}  // namespace

JsonWriter& JsonWriter::open(char bracket) {
  begin_value();
  text_ += bracket;
  is_behind_value_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  is_behind_value_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  string(name);
  text_ += ':';
  is_behind_value_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  begin_value();
  text_ += '"';
  const std::string_view plain = plain_prefix(text);
  text_ += plain;
  text.remove_prefix(plain.size());
  while (!text.empty()) {
    // In pieces: appending to the text costs as much as a dozen characters.
    std::array<char, 256> piece;
    char* to = piece.data();
    while (!text.empty() && to + kMostBytes <= piece.data() + piece.size()) {
      const char c = text.front();
      if (static_cast<unsigned char>(c) >= 0x80) {
        const Utf8Prefix character = utf8_prefix(text);
        to = std::ranges::copy(character.whole ? text.substr(0, character.bytes) : kReplacement, to).out;
        text.remove_prefix(std::max<std::size_t>(character.bytes, 1));
        continue;
      }
      if (stands_in_json(c)) {
        *to++ = c;
      } else {
        to = put_escape(to, c);
      }
      text.remove_prefix(1);
    }
    text_.append(piece.data(), to);
  }
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  begin_value();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::integers(std::span<const std::int64_t> values) {
  open('[');
  for (const std::int64_t value : values) integer(value);
  return close(']');
}

JsonWriter& JsonWriter::signed_integer(std::int64_t value) {
  begin_value();
  append_number(text_, value);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) {
  begin_value();
  append_number(text_, value);
  return *this;
}

void JsonWriter::begin_value() {
  if (is_behind_value_) text_ += ',';
  is_behind_value_ = true;
}

}  // namespace negzero::tensor

// JSON from left to right: what is put into the text is final.

#include <charconv>

#include <negzero/tensor/json_writer.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::tensor {
namespace {

void append_number(std::string& to, auto value) {
  char digits[20];  // the longest: -9223372036854775808 and 18446744073709551615
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// A character that does not stand in a string as it is.
void append_escape(std::string& to, unsigned char c) {
  constexpr std::string_view kCharacters = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt", kDigits = "0123456789abcdef";
  to += '\\';
  if (const std::size_t which = kCharacters.find(static_cast<char>(c)); which != kCharacters.npos) {
    to += kLetters[which];
  } else {
    to += "u00";
    to += kDigits[c >> 4];
    to += kDigits[c & 15];
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
  while (!text.empty()) {
    const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; };
    std::size_t run = 0;
    while (run < text.size() && is_plain(static_cast<unsigned char>(text[run]))) ++run;
    text_.append(text, 0, run);
    text.remove_prefix(run);
    if (text.empty()) break;
    const auto c = static_cast<unsigned char>(text.front());
    if (c < 0x80) {
      append_escape(text_, c);
      text.remove_prefix(1);
      continue;
    }
    const Utf8Prefix character = utf8_prefix(text);
    text_.append(character.whole ? text.substr(0, character.bytes) : "\xef\xbf\xbd");
    text.remove_prefix(character.bytes > 0 ? character.bytes : 1);
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

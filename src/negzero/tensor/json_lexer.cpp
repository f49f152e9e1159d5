// Tokens, byte by byte: every byte that breaks one is counted, so that an error can name it.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include <negzero/tensor/json_lexer.hpp>

namespace negzero::tensor {

JsonToken JsonLexer::next() {
  while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  begin_ = at_;
  switch (peek()) {
    case '{':
      return take(JsonToken::BeginObject);
    case '}':
      return take(JsonToken::EndObject);
    case '[':
      return take(JsonToken::BeginArray);
    case ']':
      return take(JsonToken::EndArray);
    case ':':
      return take(JsonToken::Colon);
    case ',':
      return take(JsonToken::Comma);
    case '"':
      return string();
    case 't':
      return word("true", {.kind = JsonValue::Kind::Boolean, .number = 1});
    case 'f':
      return word("false", {.kind = JsonValue::Kind::Boolean, .number = 0});
    case 'n':
      return word("null", {.kind = JsonValue::Kind::Null});
    case kEnd:
      return take(JsonToken::End);
    default:
      return number();
  }
}

JsonToken JsonLexer::word(std::string_view letters, const JsonValue& meaning) {
  for (const char letter : letters) {
    if (peek() != letter) return broken();
    ++at_;
  }
  value_ = meaning;
  return JsonToken::Value;
}

bool JsonLexer::skip_digits() {
  const std::size_t before = at_;
  while (peek() >= '0' && peek() <= '9') ++at_;
  return at_ > before;
}

JsonToken JsonLexer::number() {
  const bool negative = peek() == '-';
  if (negative) ++at_;
  if (peek() == '0') {
    ++at_;
  } else if (!skip_digits()) {
    return broken();
  }
  const std::size_t whole = at_;
  if (peek() == '.') {
    ++at_;
    if (!skip_digits()) return broken();
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (!skip_digits()) return broken();
  }
  const char *const first = text_.data() + begin_, *const last = text_.data() + at_;
  std::int64_t below = 0;
  std::uint64_t above = 0;
  const auto parsed = negative ? std::from_chars(first, last, below) : std::from_chars(first, last, above);
  if (whole != at_ || parsed.ec != std::errc{}) return real();
  // "-0" is no integer below 0.
  value_ = below < 0 ? JsonValue{.kind = JsonValue::Kind::Negative, .number = static_cast<std::uint64_t>(below)}
                     : JsonValue{.kind = JsonValue::Kind::Unsigned, .number = above};
  return JsonToken::Value;
}

/// A number beyond every double is broken, not merely no integer.
JsonToken JsonLexer::real() const {
  return std::isfinite(std::strtod(std::string(digits()).c_str(), nullptr)) ? JsonToken::Real : JsonToken::Broken;
}

JsonToken JsonLexer::string() {
  const std::size_t begin = ++at_;
  at_ += plain_prefix(text_.substr(at_)).size();
  if (peek() == '"') {
    value_ = {.kind = JsonValue::Kind::String, .text = text_.substr(begin, at_ - begin)};
    return take(JsonToken::String);
  }
  // No string is longer than its text, so this one allocation keeps the views of earlier ones valid.
  if (unescaped_.empty()) unescaped_.resize(text_.size());
  char* const start = unescaped_end_ == nullptr ? unescaped_.data() : unescaped_end_;
  char* end = std::copy(text_.data() + begin, text_.data() + at_, start);
  for (int c = peek(); c != '"'; c = peek()) {
    if (c == '\\') {
      ++at_;
      if (!escape(end)) return JsonToken::Broken;
    } else if (c >= 0x80) {
      const Utf8Prefix character = utf8_prefix(text_.substr(at_));
      end = std::copy_n(text_.data() + at_, character.bytes, end);
      at_ += character.bytes;
      if (!character.whole) return broken();
    } else if (c >= 0x20) {
      ++at_;
      *end++ = static_cast<char>(c);
    } else {
      return broken();
    }
  }
  unescaped_end_ = end;
  value_ = {.kind = JsonValue::Kind::String, .text = std::string_view(start, static_cast<std::size_t>(end - start))};
  return take(JsonToken::String);
}

/// The character behind a backslash, put at `end`.
bool JsonLexer::escape(char*& end) {
  const int c = peek();
  ++at_;
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return *end++ = static_cast<char>(c), true;
    case 'b':
      return *end++ = '\b', true;
    case 'f':
      return *end++ = '\f', true;
    case 'n':
      return *end++ = '\n', true;
    case 'r':
      return *end++ = '\r', true;
    case 't':
      return *end++ = '\t', true;
    case 'u':
      return unicode_escape(end);
    default:
      return false;
  }
}

bool JsonLexer::hexadecimal(std::uint32_t& code) {
  code = 0;
  for (int digit = 0; digit < 4; ++digit) {
    const int c = peek();
    ++at_;
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (value < 0) return false;
    code = code * 16 + static_cast<std::uint32_t>(value);
  }
  return true;
}

/// The digits behind \u, and a second escape where they are the first half of a pair.
bool JsonLexer::unicode_escape(char*& end) {
  std::uint32_t code = 0;
  if (!hexadecimal(code)) return false;
  if (code >= 0xdc00 && code < 0xe000) return false;
  if (code >= 0xd800 && code < 0xdc00) {
    for (const char expected : {'\\', 'u'}) {
      const int c = peek();
      ++at_;
      if (c != expected) return false;
    }
    std::uint32_t low = 0;
    if (!hexadecimal(low) || low < 0xdc00 || low >= 0xe000) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  const auto push = [&](std::uint32_t byte) { *end++ = static_cast<char>(byte); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    push(0xe0 | code >> 12);
    push(0x80 | (code >> 6 & 0x3f));
  } else {
    push(0xf0 | code >> 18);
    push(0x80 | (code >> 12 & 0x3f));
    push(0x80 | (code >> 6 & 0x3f));
  }
  if (code >= 0x80) push(0x80 | (code & 0x3f));
  return true;
}

}  // namespace negzero::tensor

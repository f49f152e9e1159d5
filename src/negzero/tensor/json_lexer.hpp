// The tokens of JSON, and what breaks them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <negzero/tensor/strict_json.hpp>

namespace negzero::tensor {

enum class JsonToken : std::uint8_t {
  BeginObject,
  EndObject,
  BeginArray,
  EndArray,
  Colon,
  Comma,
  Value,   ///< a word or an integer
  String,  ///< a value, or a key
  Real,    ///< a number that is no 64-bit integer
  End,     ///< of the text
  Broken,  ///< no token: the byte before the position cannot stand there
};

/// Takes a text apart, once from left to right. Requires a text without NUL bytes.
class JsonLexer {
 public:
  /// Strings with escapes go to `unescaped`, which comes empty, one behind the other; views of them stay valid.
  JsonLexer(std::string_view text, std::vector<char>& unescaped) : text_(text), unescaped_(unescaped) {}

  [[nodiscard]] JsonToken next();
  /// Bytes taken so far; the end of the text counts as one more.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  /// What the last Value or String is.
  [[nodiscard]] const JsonValue& value() const noexcept { return value_; }
  /// The last Real.
  [[nodiscard]] std::string_view digits() const noexcept { return text_.substr(begin_, at_ - begin_); }

 private:
  static constexpr int kEnd = -1;
  [[nodiscard]] int peek() const noexcept { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : kEnd; }
  JsonToken take(JsonToken token) noexcept { return ++at_, token; }
  JsonToken broken() noexcept { return take(JsonToken::Broken); }

  JsonToken word(std::string_view letters, const JsonValue& meaning);
  bool skip_digits();
  JsonToken number();
  [[nodiscard]] JsonToken real() const;
  JsonToken string();
  // Each puts a character at `end`; false where the text is broken.
  bool escape(char*& end);
  bool unicode_escape(char*& end);
  bool hexadecimal(std::uint32_t& code);

  std::string_view text_;
  std::vector<char>& unescaped_;
  char* unescaped_end_ = nullptr;  // of the strings in it
  std::size_t at_ = 0, begin_ = 0;
  JsonValue value_;
};

}  // namespace negzero::tensor

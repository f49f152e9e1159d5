// Writes JSON without spaces, as one text from left to right.

#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace negzero::tensor {

/// Puts commas and escapes; keys and nesting are its caller's affair. A text is canonical where keys ascend.
///
///     writer.open('{').key("shape").open('[').integer(4).close(']').close('}').take()   {"shape":[4]}
class JsonWriter {
 public:
  JsonWriter() { text_.reserve(256); }

  JsonWriter& open(char bracket);  ///< '{' or '['
  JsonWriter& close(char bracket);
  JsonWriter& key(std::string_view name);
  /// Bytes that are no UTF-8 become U+FFFD. Escaped are quotes, backslashes and characters below U+0020.
  JsonWriter& string(std::string_view text);
  JsonWriter& boolean(bool value);
  JsonWriter& integers(std::span<const std::int64_t> values);  ///< a list

  JsonWriter& integer(std::unsigned_integral auto value) { return unsigned_integer(value); }
  JsonWriter& integer(std::signed_integral auto value) { return signed_integer(value); }

  [[nodiscard]] std::string take() noexcept { return std::move(text_); }

 private:
  JsonWriter& signed_integer(std::int64_t value);
  JsonWriter& unsigned_integer(std::uint64_t value);
  void begin_value();

  std::string text_;
  bool is_behind_value_ = false;
};

}  // namespace negzero::tensor

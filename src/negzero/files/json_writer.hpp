// Writes JSON without spaces, from left to right.

#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace negzero::files {

/// Puts commas and escapes; keys and nesting are its caller's affair. A text is canonical where keys ascend.
///
///     writer.open('{').key("shape").open('[').integer(4).close(']').close('}').take()   {"shape":[4]}
class JsonWriter {
 public:
  JsonWriter();
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& open(char bracket);  ///< '{' or '['
  JsonWriter& close(char bracket);
  JsonWriter& key(std::string_view name) { return string(name); }
  /// Bytes that are no UTF-8 become U+FFFD.
  JsonWriter& string(std::string_view text);
  JsonWriter& boolean(bool value);
  JsonWriter& integer(std::unsigned_integral auto value) { return unsigned_integer(value); }
  JsonWriter& integer(std::signed_integral auto value) { return signed_integer(value); }
  JsonWriter& integers(std::span<const std::int64_t> values);  ///< a list

  [[nodiscard]] std::string take() const;

 private:
  JsonWriter& unsigned_integer(std::uint64_t value);
  JsonWriter& signed_integer(std::int64_t value);

  rapidjson::StringBuffer text_;
  rapidjson::Writer<rapidjson::StringBuffer> to_{text_};
};

}  // namespace negzero::files

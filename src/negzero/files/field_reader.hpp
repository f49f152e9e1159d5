// Reads the fields of JSON objects from strangers, keeping the first thing that is wrong.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <negzero/files/strict_json.hpp>

namespace negzero::files {

/// One object of a document from parse_strict_json(). Reading on after an error is safe: it gives defaults, and only
/// the first error is kept, so that a reader of many fields looks once, at the end.
class FieldReader {
 public:
  /// `what` names the object in errors; where the object is a member whose name comes from the document, `member` is
  /// put behind it, in quotes. A field that is none of `known` is an error. All but `known` must outlive the reader.
  FieldReader(const JsonValue& document, std::string_view what, std::initializer_list<std::string_view> known,
              std::optional<std::string>& error, std::optional<std::string_view> member = {});
  FieldReader(const JsonValue& document, std::string_view what, std::span<const std::string> known,
              std::optional<std::string>& error);

  /// An integer of 64 bits with sign.
  [[nodiscard]] std::int64_t integer(std::string_view key);
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key);
  [[nodiscard]] bool boolean(std::string_view key);
  [[nodiscard]] std::string_view text(std::string_view key);
  /// Decimal text of 64 bits without sign, since JSON readers elsewhere pass numbers through a double.
  [[nodiscard]] std::uint64_t decimal(std::string_view key);
  /// The object or list that is there; an empty object after an error.
  [[nodiscard]] const JsonValue& child(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const;

  /// A word that `parse` knows (text -> optional of an enumerator); `list` holds the valid ones, for the message.
  template <typename Parse>
  [[nodiscard]] auto word(std::string_view key, const Parse& parse, std::string_view list) {
    const std::string_view found = text(key);
    const auto value = parse(found);
    if (!value) unknown_word(key, found, list);
    return value.value_or(typename std::remove_cvref_t<decltype(value)>::value_type{});
  }

  /// Records an error about a field, unless there is one already.
  void fail(std::string_view key, std::string_view why);
  [[nodiscard]] bool ok() const { return !error_; }

 private:
  template <typename Names>
  void check(const JsonValue& document, const Names& known);
  const JsonValue* find(std::string_view key);
  void unknown_word(std::string_view key, std::string_view found, std::string_view list);
  [[nodiscard]] std::string where() const;

  const JsonValue& object_;
  std::string_view what_;
  std::optional<std::string>& error_;
  std::optional<std::string_view> member_;
};

/// Reads decimal digits without sign or leading zeros, at most 2^64 - 1; or nothing.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept;
/// Reads 0x and 1 to 16 hexadecimal digits; or nothing.
[[nodiscard]] std::optional<std::uint64_t> parse_hex(std::string_view text) noexcept;

}  // namespace negzero::files

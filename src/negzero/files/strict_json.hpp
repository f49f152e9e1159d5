// JSON from strangers: no duplicate keys, no numbers but 64-bit integers unless reals are asked for, bounded depth and
// size.

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <negzero/base/result.hpp>

namespace negzero::files {

/// Bounds on what parse_strict_json() builds. A value costs about 100 bytes of memory, so `values` bounds that too.
struct JsonBounds {
  std::size_t depth = 8;                      ///< nested arrays and objects
  std::size_t values = std::size_t{1} << 20;  ///< values of every kind, keys not counted
  bool reals = false;                         ///< numbers that are no 64-bit integers are no error
};

/// One value of a document. Its children are a list: `first`, then `next` of each.
struct JsonValue {
  enum class Kind : std::uint8_t {
    Null,
    Boolean,
    Unsigned,  ///< every integer from 0 up
    Negative,  ///< every integer below 0, in two's complement
    Real,      ///< every other number, where JsonBounds has them
    String,
    Array,
    Object,  ///< its children ascend by key
  };
  Kind kind = Kind::Null;
  std::uint64_t number = 0;  ///< of integers; 0 or 1 of a Boolean; the bits of a Real rounded to F64
  std::string_view text{};   ///< of a String, without escapes
  std::string_view key{};    ///< of a child of an Object
  std::size_t size = 0;      ///< how many children
  JsonValue* first = nullptr;
  JsonValue* next = nullptr;

  [[nodiscard]] bool is(Kind wanted) const noexcept { return kind == wanted; }
  /// The child of that key, or nullptr. Takes time in proportion to the children.
  [[nodiscard]] const JsonValue* find(std::string_view name) const noexcept;

  /// Walks the children: for (const JsonValue& child : value).
  struct Iterator {
    const JsonValue* at;
    const JsonValue& operator*() const noexcept { return *at; }
    Iterator& operator++() noexcept { return at = at->next, *this; }
    friend bool operator==(const Iterator&, const Iterator&) = default;
  };
  [[nodiscard]] Iterator begin() const noexcept { return {first}; }
  [[nodiscard]] Iterator end() const noexcept { return {nullptr}; }
};

/// What a text holds.
class JsonDocument {
 public:
  /// Values that point at one another, the root first, and the characters of their strings.
  JsonDocument(std::vector<JsonValue> values, std::vector<char> text)
      : values_(std::move(values)), text_(std::move(text)) {}
  JsonDocument(JsonDocument&&) = default;
  JsonDocument& operator=(JsonDocument&&) = default;

  [[nodiscard]] const JsonValue& root() const noexcept { return values_.front(); }

 private:
  std::vector<JsonValue> values_;
  std::vector<char> text_;
};

/// Parses UTF-8 text that is one JSON object or array. `what` names the text in errors, which are usage errors.
///
/// Stricter than JSON: a key that comes twice in one object, a number with a fraction or an exponent, an integer
/// outside 64 bits (but for reals), a byte order mark and a NUL byte are errors. Integers never pass through a double.
[[nodiscard]] base::Result<JsonDocument> parse_strict_json(std::string_view text, std::string_view what,
                                                           const JsonBounds& bounds = {});

/// A copy of a value for readers to whom nlohmann's conversions are worth their time.
[[nodiscard]] nlohmann::json to_nlohmann(const JsonValue& value);

/// Throws std::invalid_argument where `json`, which is called `what`, is no object or has a field that is none of
/// `known`.
void require_known(const nlohmann::json& json, const std::string& what, std::initializer_list<std::string_view> known);

/// Whether `text` is UTF-8 from start to end.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// `text` for a message: in double quotes, one line of printable ASCII, cut after 64 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace negzero::files

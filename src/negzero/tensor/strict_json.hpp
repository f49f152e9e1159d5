// JSON from strangers: no duplicate keys, no numbers but 64-bit integers, bounded depth and size.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <negzero/base/result.hpp>

namespace negzero::tensor {

/// Bounds on what parse_strict_json() builds. A value costs about 100 bytes of memory, so `values` bounds that too.
struct JsonBounds {
  std::size_t depth = 8;                      ///< nested arrays and objects
  std::size_t values = std::size_t{1} << 20;  ///< values of every kind, keys not counted
};

/// Parses UTF-8 text that is one JSON object or array. `what` names the text in errors, which are usage errors.
///
/// Stricter than JSON: a key that stands twice in one object, a number with a fraction or an exponent, an integer
/// outside 64 bits, a byte order mark and a NUL byte are errors. Integers never pass through a double: those below 0
/// are of type number_integer, the others of type number_unsigned. Objects come back sorted by key.
[[nodiscard]] base::Result<nlohmann::json> parse_strict_json(std::string_view text, const std::string& what,
                                                             const JsonBounds& bounds = {});

/// Whether `text` is UTF-8 (RFC 3629: shortest form, no surrogates, at most U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// `text` for a message: in double quotes, one line of printable ASCII, cut after 64 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace negzero::tensor

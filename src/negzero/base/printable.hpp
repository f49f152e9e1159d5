// Text from strangers (file names, metadata, a kernel's own words) made fit for a terminal.
//
// A terminal obeys what it is given: escape sequences move the cursor and rename the window, newlines forge lines of
// ours, marks of direction show a text in another order than it has. Everything of the kind becomes one harmless
// character.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace negzero::base {

/// One character of UTF-8 at the start of `text`: its code point and how many bytes it has; code point Character::kNone
/// and one byte where none is there (RFC 3629: long forms, surrogates and values above U+10FFFF are none). Requires a
/// text that is not empty.
struct Character {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t code = kNone;
  std::size_t size_bytes = 1;
};
[[nodiscard]] inline Character first_character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t code = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, size};
}

/// Whether a terminal may obey a character instead of showing it: C0, DEL, C1, separators of lines and paragraphs, and
/// marks that change the direction of text (Unicode 15, Bidi_Control).
[[nodiscard]] constexpr bool is_obeyed(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/// Text of several lines: newlines stay; every other character that a terminal would obey, and every byte that is no
/// UTF-8, becomes `instead`.
[[nodiscard]] inline std::string printable(std::string_view text, char instead = '?') {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool stays = next.code == '\n' || (next.code != Character::kNone && !is_obeyed(next.code));
    stays ? result.append(text.substr(0, next.size_bytes)) : result.append(1, instead);
    text.remove_prefix(next.size_bytes);
  }
  return result;
}

/// printable() of a text that stands inside a line: newlines go too.
[[nodiscard]] inline std::string one_line(std::string_view text, char instead = '?') {
  std::string result = printable(text, instead);
  std::ranges::replace(result, '\n', instead);
  return result;
}

/// What a stranger has said, as a word of a line of ours: between double quotes, in which quotes, backslashes and all
/// that a terminal would obey are written as in C (\n, \x1b), as is what is no UTF-8. A reader, a program too, sees
/// where it begins and where it ends. Of more than `most` bytes the first are there, and " ..." follows the closing
/// quote.
[[nodiscard]] inline std::string quoted(std::string_view text, std::size_t most) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string result = "\"";
  bool is_all = true;
  for (std::size_t used = 0; !text.empty();) {
    const Character next = first_character(text);
    used += next.size_bytes;
    if (used > most) {
      is_all = false;
      break;
    }
    if (next.code == '"' || next.code == '\\') {
      result += {'\\', text[0]};
    } else if (next.code == '\n') {
      result += "\\n";
    } else if (next.code == Character::kNone || is_obeyed(next.code)) {
      for (const char c : text.substr(0, next.size_bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      }
    } else {
      result.append(text.substr(0, next.size_bytes));
    }
    text.remove_prefix(next.size_bytes);
  }
  return result + (is_all ? "\"" : "\" ...");
}

/// A JSON document that says the same, with \u and four digits for what a terminal would obey. Newlines stay: outside
/// its texts a document has no other such character. Requires valid JSON.
[[nodiscard]] inline std::string printable_json(std::string_view document) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string result;
  result.reserve(document.size());
  while (!document.empty()) {
    const Character next = first_character(document);
    if (next.code == '\n' || next.code == Character::kNone || !is_obeyed(next.code)) {
      result.append(document.substr(0, next.size_bytes));
    } else {
      result += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) result += kDigits[next.code >> shift & 15];
    }
    document.remove_prefix(next.size_bytes);
  }
  return result;
}

}  // namespace negzero::base

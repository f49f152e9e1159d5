// Text of strangers inside markup: names, printed output, messages, lines of source.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/report/escape.hpp>

namespace negzero::report {

namespace {

/// Code points that are no characters (Unicode 15, 23.7); XML 1.0 forbids two of them, HTML calls all of them errors.
constexpr bool is_noncharacter(std::uint32_t code) {
  return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

constexpr bool is_alphanumeric(std::uint32_t code) {
  return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
}

/// The text with every character written by `write(code)`, made printable first.
template <typename Write>
std::string each_character(std::string_view text, const Write& write) {
  std::string spaced(text);
  std::ranges::replace(spaced, '\t', ' ');
  const std::string printable = base::printable(spaced);
  std::string result;
  for (std::string_view rest = printable; !rest.empty();) {
    const base::Character next = base::first_character(rest);
    result += write(is_noncharacter(next.code) ? '?' : next.code);
    rest.remove_prefix(next.size_bytes);
  }
  return result;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  return each_character(text, [](std::uint32_t code) -> std::string {
    switch (code) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '"':
        return "&quot;";
      case '\'':
        return "&#39;";
      default:
        return code >= 0x20 && code < 0x7f ? std::string(1, static_cast<char>(code)) : fmt::format("&#{};", code);
    }
  });
}

std::string markdown_code(std::string_view text) {
  const auto write = [](std::uint32_t code) {
    const bool plain = is_alphanumeric(code) || code == ' ' || code == '.' || code == ',';
    return plain ? std::string(1, static_cast<char>(code)) : fmt::format("&#{};", code);
  };
  return "<code>" + each_character(base::one_line(text), write) + "</code>";
}

std::string markdown_block(std::string_view text) {
  std::string body = base::printable(text);
  if (!body.ends_with('\n')) body += '\n';
  std::size_t longest = 2, run = 0;
  for (const char c : body) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "text\n" + body + fence + "\n";
}

std::string uri_path(std::string_view path) {
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = is_alphanumeric(byte) || c == '/' || c == '-' || c == '.' || c == '_' || c == '~';
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

}  // namespace negzero::report

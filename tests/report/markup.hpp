// A checker for the markup of reports.

#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace negzero::report_test {

/// Whether it is "#N" for a character that XML 1.0 (section 2.2, Char) and HTML allow.
inline bool is_reference(std::string_view entity) {
  unsigned code = 0;
  if (!entity.starts_with('#')) return false;
  const auto parsed = std::from_chars(entity.data() + 1, entity.data() + entity.size(), code);
  if (parsed.ec != std::errc{} || parsed.ptr != entity.data() + entity.size()) return false;
  const bool is_control = (code < 0x20 && code != '\n') || (code >= 0x7f && code < 0xa0);
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return !is_control && !is_surrogate && (code & 0xfffe) != 0xfffe && code <= 0x10ffff;
}

/// What is wrong with a document of XML, or of HTML that is written as XML, or nothing: a checker for the part of both
/// that a report needs, written apart from the writers. Elements nest, attributes are quoted, no < or bare & in text
/// (but in a style sheet), only ASCII and references to characters that XML 1.0 allows.
inline std::string defect(const std::string& xml) {
  std::vector<std::string> open;
  const auto text_defect = [](std::string_view text) -> std::string {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c == '<') return "a bare <";
      if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') return "a character that XML forbids";
      if (c >= 0x7f) return "a byte outside ASCII";
      if (c != '&') continue;
      const std::size_t end = text.find(';', i);
      if (end == std::string_view::npos) return "an entity without end";
      const std::string_view entity = text.substr(i + 1, end - i - 1);
      const bool known = entity == "amp" || entity == "lt" || entity == "gt" || entity == "quot";
      if (!known && !is_reference(entity)) return "an unknown entity";
    }
    return "";
  };
  std::size_t at = xml.find('>');
  const bool declared = xml.starts_with("<?xml ") || xml.starts_with("<!DOCTYPE html>\n");
  if (!declared || at == std::string::npos) return "no declaration";
  ++at;
  bool root = false;
  while (at < xml.size()) {
    const std::size_t tag = xml.find('<', at);
    const std::string_view text = std::string_view(xml).substr(at, tag == std::string::npos ? tag : tag - at);
    if (const std::string wrong = text_defect(text); !wrong.empty()) return wrong;
    if (open.empty() && text.find_first_not_of(" \n") != std::string_view::npos) return "text outside the root";
    if (tag == std::string::npos) break;
    // The end of the tag is the first > outside quotes.
    std::size_t end = tag;
    bool quoted = false;
    for (; end < xml.size() && (quoted || xml[end] != '>'); ++end) quoted = quoted != (xml[end] == '"');
    if (end == xml.size()) return "a tag without end";
    std::string inside = xml.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1)) return "a wrong closing tag: " + inside;
      open.pop_back();
      continue;
    }
    const bool empty = inside.ends_with('/');
    if (empty) inside.pop_back();
    const std::string name = inside.substr(0, inside.find(' '));
    if (open.empty() && std::exchange(root, true)) return "two roots";
    for (std::size_t quote = inside.find('"'); quote != std::string::npos;) {
      const std::size_t close = inside.find('"', quote + 1);
      if (inside[quote - 1] != '=' || close == std::string::npos) return "an attribute without value";
      if (const std::string wrong = text_defect(inside.substr(quote + 1, close - quote - 1)); !wrong.empty())
        return wrong;
      quote = inside.find('"', close + 1);
    }
    if (!empty) open.push_back(name);
    if (name == "style") at = xml.find("</style>", at);
  }
  return open.empty() ? "" : "an element without end: " + open.back();
}

/// How often a part is in a text.
inline std::size_t count(const std::string& xml, const std::string& part) {
  std::size_t result = 0;
  for (std::size_t at = xml.find(part); at != std::string::npos; at = xml.find(part, at + 1)) ++result;
  return result;
}

}  // namespace negzero::report_test

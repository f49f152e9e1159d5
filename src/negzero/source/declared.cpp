// Looks at the tokens before a word: a type is a word, or the end of template arguments, then signs of pointers.

#include <algorithm>

#include <negzero/source/declared.hpp>

namespace negzero::source {
namespace {

/// Whether a type, or what is no expression, can end with the word at `i`.
bool is_word_of_a_type(const Code& code, std::size_t i) {
  return code.is_word(i) && !is_statement_word(code.text_of(i)) && code.text_of(i) != "operator";
}

/// The first token of the statement, or of the parameter, that has the token at `i`: nothing in brackets counts.
std::size_t start_of(const Code& code, std::size_t i) {
  while (i > 0) {
    const std::size_t last = i - 1;
    const std::string_view sign = code.is_sign(last) ? code.text_of(last) : "";
    if (sign == ";" || sign == "{" || sign == "(" || sign == "[" || sign == ",") break;
    if (sign == "}" || sign == ")" || sign == "]") {
      // A '}' ends the statement before, and what follows "if (...)" is one of its own: both stop here.
      if (sign != "]" || code.partner_of(last) == kNone) break;
      i = code.partner_of(last);
      continue;
    }
    --i;
  }
  return i;
}

/// Whether the tokens from `i` up to `end` are a type: words, "::", template arguments, then '*', '&' and const.
bool is_type(const Code& code, std::size_t i, std::size_t end) {
  if (i >= end) return false;
  bool has_pointer = false, ends_name = false;  // a name is complete, so that another word is another specifier
  for (; i < end; ++i) {
    if (code.is_sign(i, "<") && ends_name) {
      i = code.angle_end_of(i);
      if (i == kNone || i >= end) return false;
    } else if (code.is_sign(i, "*") || code.is_sign(i, "&")) {
      if (!ends_name) return false;
      has_pointer = true;
    } else if (code.is_sign(i, "::")) {
      if (has_pointer) return false;
    } else if (is_word_of_a_type(code, i)) {
      const std::string_view word = code.text_of(i);
      const bool qualifies = word == "const" || word == "volatile" || word.starts_with("__restrict");
      if (has_pointer && !qualifies) return false;
      ends_name = true;
    } else {
      return false;
    }
  }
  return ends_name;
}

/// Whether a declaration's later declarator follows the ',' at `comma`: "float a, b".
bool is_in_a_list(const Code& code, std::size_t comma) {
  std::size_t i = comma;
  while (i > 0) {
    const std::size_t last = i - 1;
    const std::string_view sign = code.is_sign(last) ? code.text_of(last) : "";
    if (sign == "(" || sign == "[") return false;
    if (sign == ";" || sign == "{") break;
    if (sign == ")" || sign == "]" || sign == "}") {
      const std::size_t open = code.partner_of(last);
      if (open == kNone) return false;
      // A block ends the statement before. A list in braces follows '=' or a name.
      if (sign == "}" && !code.is_sign(Code::before(open), "=") && !code.is_word(Code::before(open))) break;
      i = open;
      continue;
    }
    --i;
  }
  // Its first declarator is declared: a type, then a name and what a declarator has behind it.
  for (std::size_t at = i + 1; at < comma; ++at) {
    if (!code.is_word(at)) continue;
    const bool ends = code.is_sign(at + 1, ",") || code.is_sign(at + 1, "=") || code.is_sign(at + 1, "[") ||
                      code.is_sign(at + 1, "(") || code.is_sign(at + 1, "{");
    if (ends) return is_type(code, i, at);
  }
  return false;
}

/// Whether the bracket that has the token at `i`, or is it, is of parameters rather than of arguments.
bool has_parameters_around(const Code& code, std::size_t i) {
  while (i != kNone && !code.is_sign(i, "(")) {
    if (code.is_sign(i, ";") || code.is_sign(i, "{") || code.is_sign(i, "[")) return false;
    const bool closes = code.is_sign(i, ")") || code.is_sign(i, "]") || code.is_sign(i, "}");
    if (closes && code.partner_of(i) == kNone) return false;
    i = Code::before(closes ? code.partner_of(i) : i);
  }
  if (i == kNone) return false;
  const std::size_t name = Code::before(i);
  if (code.is_word(name, "for") || code.is_word(name, "catch")) return true;
  if (code.is_word(name, "if") || code.is_word(name, "while") || code.is_word(name, "switch")) return false;
  if (code.partner_of(i) != kNone && code.is_sign(code.partner_of(i) + 1, "{")) return true;
  return is_word_of_a_type(code, name) && is_word_of_a_type(code, Code::before(name));
}

}  // namespace

bool is_declared_at(const Code& code, std::size_t i) {
  std::size_t last = Code::before(i);
  if (is_word_of_a_type(code, last)) return true;
  bool has_pointer = false;
  while (code.is_sign(last, "*") || code.is_sign(last, "&")) {
    has_pointer = true;
    last = Code::before(last);
  }
  if (code.is_sign(last, ",") && is_in_a_list(code, last)) return true;
  if (code.is_sign(last, ">") || code.is_sign(last, ">>>")) {
    const std::size_t open = code.angle_begin_of(last);
    return open != kNone && is_type(code, start_of(code, i), i);
  }
  if (!has_pointer || last == kNone) return false;
  // "a * x" is a declaration as a statement and as a parameter, a product elsewhere.
  const std::size_t start = start_of(code, i);
  if (!is_type(code, start, i)) return false;
  const std::size_t opener = Code::before(start);
  if (code.is_sign(opener, "(") || code.is_sign(opener, ",")) return has_parameters_around(code, opener);
  return opener == kNone || code.is_sign(opener, ";") || code.is_sign(opener, "{") || code.is_sign(opener, "}");
}

bool is_member_at(const Code& code, std::size_t i) {
  const std::size_t last = Code::before(i);
  if (code.is_sign(last, ".") || code.is_sign(last, "->")) return true;
  if (!code.is_sign(last, "::")) return false;
  const std::size_t scope = Code::before(last);
  return code.is_sign(scope, ">") || code.is_sign(scope, ">>>") ||
         (code.is_word(scope) && !is_statement_word(code.text_of(scope)));
}

std::vector<std::size_t> units_declaring(std::string_view word, const Code& code, const std::vector<Unit>& units,
                                         std::span<const std::size_t> known) {
  std::vector<std::size_t> result;
  std::size_t i = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    bool declares = false;
    while (i < code.size() && code.begin_of(i) < units[unit].begin) ++i;
    for (; i < code.size() && code.begin_of(i) < units[unit].end; ++i) {
      if (declares || !code.is_word(i, word) || is_member_at(code, i) || !is_declared_at(code, i)) continue;
      declares = std::ranges::find(known, code.end_of(i)) == known.end();
    }
    if (declares) result.push_back(unit);
  }
  return result;
}

std::size_t unit_at(const std::vector<Unit>& units, std::size_t place) {
  const auto after = std::ranges::upper_bound(units, place, {}, &Unit::begin);
  if (after == units.begin()) return units.size();
  return place < (after - 1)->end ? static_cast<std::size_t>(after - 1 - units.begin()) : units.size();
}

}  // namespace negzero::source

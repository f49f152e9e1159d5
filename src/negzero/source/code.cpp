// Brackets are paired once, by a stack that forgives those that have no partner.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/source/code.hpp>

namespace negzero::source {
namespace {

char opener_of(char close) { return close == ')' ? '(' : close == ']' ? '[' : '{'; }

}  // namespace

std::size_t asm_open(const Code& code, std::size_t i) {
  if (!code.is_any_word(i, {"asm", "__asm__", "__asm"})) return kNone;
  const std::size_t open = i + (code.is_any_word(i + 1, {"volatile", "__volatile__", "__volatile"}) ? 2 : 1);
  return code.is_sign(open, "(") && code.is_literal(open + 1) ? open : kNone;
}

bool is_statement_word(std::string_view word) {
  constexpr std::string_view kWords[] = {"return", "else",      "do",       "case",     "throw",  "new",
                                         "delete", "co_return", "co_yield", "co_await", "sizeof", "goto",
                                         "and",    "or",        "not",      "typeid",   "default"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

Code::Code(std::string_view text, std::vector<Token> tokens)
    : text_(text), tokens_(std::move(tokens)), partners_(tokens_.size(), kNone) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::Sign) continue;
    const char c = tokens_[i].text.front();
    if (c == '(' || c == '[' || c == '{') open.push_back(i);
    if (c != ')' && c != ']' && c != '}') continue;
    // A '}' ends all that is open in its braces; the others end nothing that has braces around them.
    std::size_t depth = open.size();
    while (depth > 0 && text_of(open[depth - 1]).front() != opener_of(c)) {
      if (c != '}' && text_of(open[depth - 1]) == "{") depth = 1;
      --depth;
    }
    if (depth == 0) continue;
    partners_[i] = open[depth - 1];
    partners_[open[depth - 1]] = i;
    open.resize(depth - 1);
  }
}

std::size_t Code::angle_end_of(std::size_t i) const {
  int depth = 0;
  for (; i < size(); ++i) {
    if (!is_sign(i)) continue;
    const std::string_view sign = text_of(i);
    if (sign == "(" || sign == "[" || sign == "{") {
      i = partner_of(i);
      if (i == kNone) return kNone;
      continue;
    }
    if (sign == ")" || sign == "]" || sign == "}" || sign == ";" || sign == "<<<") return kNone;
    depth += sign == "<" ? 1 : sign == ">" ? -1 : sign == ">>>" ? -3 : 0;
    if (depth <= 0) return depth == 0 ? i : kNone;
  }
  return kNone;
}

std::size_t Code::angle_begin_of(std::size_t i) const {
  int depth = 0;
  for (; i != kNone; i = before(i)) {
    if (!is_sign(i)) continue;
    const std::string_view sign = text_of(i);
    if (sign == ")" || sign == "]" || sign == "}") {
      i = partner_of(i);
      if (i == kNone) return kNone;
      continue;
    }
    if (sign == "(" || sign == "[" || sign == "{" || sign == ";" || sign == "<<<") return kNone;
    depth += sign == ">" ? 1 : sign == ">>>" ? 3 : sign == "<" ? -1 : 0;
    if (depth <= 0) return depth == 0 ? i : kNone;
  }
  return kNone;
}

std::size_t Code::index_at(std::size_t place) const {
  const auto starts_before = [&](const Token& token) {
    return static_cast<std::size_t>(token.text.data() - text_.data()) < place;
  };
  return static_cast<std::size_t>(std::ranges::partition_point(tokens_, starts_before) - tokens_.begin());
}

std::string Code::joined(std::size_t begin, std::size_t end) const {
  std::string result;
  for (std::size_t i = begin; i < std::min(end, size()); ++i) {
    if (i > begin && begin_of(i) != end_of(i - 1)) result += ' ';
    result += text_of(i);
  }
  return result;
}

std::size_t Code::line_of(std::size_t i) const {
  return static_cast<std::size_t>(std::ranges::count(text_.substr(0, begin_of(i)), '\n')) + 1;
}

std::string Code::note(std::size_t i, std::string_view what) const {
  const std::size_t line_begin = text_.substr(0, begin_of(i)).rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}: {}", line_of(i), begin_of(i) - line_begin + 1, what);
}

}  // namespace negzero::source

// Tokens of a line.

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include <negzero/notation/line_reader.hpp>

namespace negzero::notation {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

bool is_operation_name(std::string_view name) {
  char before = '.';
  for (const char c : name) {
    if (before == '.' ? !is_letter(c) : !is_word(c) && c != '.') return false;
    before = c;
  }
  return before != '.';
}

void LineReader::fail(const std::string& what) const {
  throw Mistake{fmt::format("{} at '{}'", what, line_.substr(std::min(at_, line_.size()))), at_};
}

void LineReader::skip() {
  while (at_ < line_.size() && line_[at_] == ' ') ++at_;
}

bool LineReader::take(std::string_view token) {
  if (!is_at(token)) return false;
  at_ += token.size();
  skip();
  return true;
}

bool LineReader::take_word(std::string_view word) {
  if (!is_at(word) || (rest().size() > word.size() && is_word(rest()[word.size()]))) return false;
  return take(word);
}

void LineReader::expect(std::string_view token) {
  if (!take(token)) fail(fmt::format("expected '{}'", token));
}

formula::Formula LineReader::formula() {
  formula::Formula::Prefix prefix = formula::Formula::parse_prefix(rest());
  at_ += prefix.end;
  if (!prefix.mistake.empty()) fail(prefix.mistake);
  return std::move(prefix.formula);
}

std::string LineReader::word(std::string_view what) {
  std::size_t end = at_;
  if (end < line_.size() && is_letter(line_[end])) {
    while (end < line_.size() && is_word(line_[end])) ++end;
  }
  if (end == at_) fail(fmt::format("expected {}", what));
  std::string found(line_.substr(at_, end - at_));
  word_at_ = std::exchange(at_, end);
  skip();
  return found;
}

}  // namespace negzero::notation

// Tokens of a line.

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include <negzero/notation/line_reader.hpp>

namespace negzero::notation {
namespace {

/// A sign that begins as another one does is before it.
constexpr Comparison kComparisons[] = {Comparison::AtMost, Comparison::AtLeast, Comparison::Equal, Comparison::Below,
                                       Comparison::Above};

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

std::int64_t LineReader::number() {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const std::size_t begin = at_;
  std::int64_t value = 0;
  while (at_ < line_.size() && line_[at_] >= '0' && line_[at_] <= '9' && value < kMost) {
    value = 10 * value + (line_[at_++] - '0');
  }
  if (at_ == begin || value >= kMost || (at_ < line_.size() && is_word(line_[at_]))) {
    at_ = begin;
    fail("expected a whole number below 2^53");
  }
  skip();
  return value;
}

formula::Formula LineReader::formula() {
  const std::size_t begin = at_;
  formula::Formula::Prefix prefix = formula::Formula::parse_prefix(rest());
  at_ += prefix.end;
  if (!prefix.mistake.empty()) fail(prefix.mistake);
  for (const std::string& name : prefix.formula.names()) {
    if (!is_letter(name.front())) throw Mistake{fmt::format("{}: a name begins with a letter", name), begin};
  }
  return std::move(prefix.formula);
}

Relation LineReader::relation() {
  const std::size_t begin = at_;
  Relation relation{.left = formula()};
  const auto* const sign = std::ranges::find_if(kComparisons, [&](Comparison each) { return take(sign_of(each)); });
  if (sign == std::end(kComparisons)) fail("expected =, <=, <, >= or >");
  relation.comparison = *sign;
  relation.right = formula();
  if (relation.names().empty()) throw Mistake{relation.to_string() + " is no relation of extents", begin};
  return relation;
}

base::Result<Relation> parse_relation(std::string_view text) {
  LineReader reader(text, 0);
  try {
    Relation relation = reader.relation();
    if (!reader.is_at_end()) reader.fail("unexpected text");
    return relation;
  } catch (const Mistake& mistake) {
    return base::usage_error(fmt::format("'{}', column {}: {}", text, mistake.at.value_or(0) + 1, mistake.what));
  }
}

std::size_t column_of(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == text.size() || !is_word(text[end]))) return at + 1;
  }
  return 1;
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

// The lexical part of [lex.phases] of C++20, as far as it decides where tokens end.

#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include <negzero/source/token.hpp>

namespace negzero::source {
namespace {

constexpr std::array<std::string_view, 4> kLongSigns{"<<<", ">>>", "::", "->"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Bytes beyond ASCII are letters, as those of UTF-8 are.
bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool goes_on_word(char c) { return begins_word(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    std::vector<Token> result;
    bool is_fresh = true, is_directive = false;  // nothing but space on the line so far
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      const TokenKind kind = next();
      const std::string_view token = text_.substr(begin, at_ - begin);
      if (kind == TokenKind::Space) {
        const bool ends_line = ends_a_line(token);
        result.push_back({kind, token, is_directive && !ends_line});
        if (ends_line) {
          is_fresh = true;
          is_directive = false;
        }
        continue;
      }
      is_directive = is_directive || (is_fresh && token == "#");
      is_fresh = false;
      result.push_back({kind, token, is_directive});
    }
    return result;
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void go_to(std::size_t place) { at_ = place == kNone ? text_.size() : place; }

  /// The length of a spliced line's end here: a backslash with a newline behind it; 0: there is none.
  [[nodiscard]] std::size_t splice() const {
    if (peek(0) != '\\') return 0;
    return peek(1) == '\n' ? 2 : peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  /// Whether space is the end of a line that is not spliced. A comment is one space, over several lines too.
  static bool ends_a_line(std::string_view space) { return space == "\n" || space == "\r\n"; }

  TokenKind next() {
    const char c = peek(0);
    if (const std::size_t length = splice()) {
      at_ += length;
      return TokenKind::Space;
    }
    if (is_blank(c)) {
      // An end of a line is a token by itself.
      if (c == '\n' || (c == '\r' && peek(1) == '\n')) {
        at_ += c == '\n' ? 1 : 2;
      } else {
        while (is_blank(peek(0)) && peek(0) != '\n' && !(peek(0) == '\r' && peek(1) == '\n')) ++at_;
      }
      return TokenKind::Space;
    }
    if (rest().starts_with("//")) return line_comment();
    if (rest().starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      go_to(end == kNone ? kNone : end + 2);
      return TokenKind::Space;
    }
    if (const std::size_t prefix = literal_prefix(); prefix != kNone) return literal(prefix);
    if (begins_word(c)) {
      while (goes_on_word(peek(0))) ++at_;
      return TokenKind::Word;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    for (const std::string_view sign : kLongSigns) {
      if (!rest().starts_with(sign)) continue;
      at_ += sign.size();
      return TokenKind::Sign;
    }
    ++at_;
    return TokenKind::Sign;
  }

  TokenKind line_comment() {
    while (at_ < text_.size() && peek(0) != '\n') {
      const std::size_t spliced = splice();
      at_ += spliced > 0 ? spliced : 1;
    }
    return TokenKind::Space;
  }

  /// How many characters of a prefix stand before a literal's quote here; kNone: there is no literal.
  [[nodiscard]] std::size_t literal_prefix() const {
    for (const std::string_view prefix : {"", "u8", "u", "U", "L", "R", "u8R", "uR", "UR", "LR"}) {
      if (!rest().starts_with(prefix)) continue;
      const char quote = peek(prefix.size());
      if (quote == '"' || (quote == '\'' && !prefix.ends_with('R'))) return prefix.size();
    }
    return kNone;
  }

  TokenKind literal(std::size_t prefix) {
    const bool is_raw = prefix > 0 && peek(prefix - 1) == 'R';
    at_ += prefix;
    if (is_raw && raw_string()) return TokenKind::Literal;
    const char quote = peek(0);
    for (++at_; at_ < text_.size() && peek(0) != quote && peek(0) != '\n';) {
      const std::size_t spliced = splice();
      at_ += spliced > 0 ? spliced : peek(0) == '\\' && peek(1) != '\0' && peek(1) != '\n' ? 2 : 1;
    }
    if (peek(0) == quote) ++at_;
    return TokenKind::Literal;
  }

  /// R"delimiter( ... )delimiter", from its quote on. Says whether it is one: delimiters have up to 16 characters.
  bool raw_string() {
    constexpr std::size_t kMostDelimiter = 16;
    const std::size_t open = text_.find('(', at_);
    if (open == kNone || open - at_ - 1 > kMostDelimiter) return false;
    const std::string_view delimiter = text_.substr(at_ + 1, open - at_ - 1);
    if (delimiter.find_first_of(" \\)\t\v\f\n\"") != kNone) return false;
    const std::string closing = fmt::format("){}\"", delimiter);
    const std::size_t end = text_.find(closing, open);
    go_to(end == kNone ? kNone : end + closing.size());
    return true;
  }

  /// A preprocessing number ([lex.ppnumber]): a digit, and then letters, digits, dots, signs behind an exponent's
  /// letter, and separators with a digit or a letter behind them.
  TokenKind number() {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = peek(0), before = text_[at_ - 1];
      const bool is_exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      const bool goes_on = goes_on_word(c) || c == '.' || ((c == '+' || c == '-') && is_exponent) ||
                           (c == '\'' && goes_on_word(peek(1)));
      if (!goes_on) break;
    }
    return TokenKind::Number;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).tokens(); }

bool has_word(std::string_view text, std::string_view word) {
  const auto is_it = [&](const Token& token) { return token.kind == TokenKind::Word && token.text == word; };
  return std::ranges::any_of(tokens_of(text), is_it);
}

}  // namespace negzero::source

// Tokens but space, with their brackets paired: what every part of the source step reads.

#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/token.hpp>

namespace negzero::source {

/// Tokens of a text that follow one another once space is left out. An index beyond the last one is no word and no
/// sign, so that a reader looks ahead without asking how far it may.
class Code {
 public:
  /// Requires: the tokens are views of `text`, in order, and none is space.
  Code(std::string_view text, std::vector<Token> tokens);

  [[nodiscard]] std::size_t size() const noexcept { return tokens_.size(); }
  [[nodiscard]] std::string_view text_of(std::size_t i) const { return i < size() ? tokens_[i].text : ""; }
  [[nodiscard]] bool is_sign(std::size_t i) const { return i < size() && tokens_[i].kind == TokenKind::Sign; }
  [[nodiscard]] bool is_sign(std::size_t i, std::string_view sign) const { return is_sign(i) && text_of(i) == sign; }
  [[nodiscard]] bool is_word(std::size_t i) const { return i < size() && tokens_[i].kind == TokenKind::Word; }
  [[nodiscard]] bool is_word(std::size_t i, std::string_view word) const { return is_word(i) && text_of(i) == word; }
  /// Whether it is one of these words.
  [[nodiscard]] bool is_any_word(std::size_t i, std::initializer_list<std::string_view> words) const {
    return std::ranges::any_of(words, [&](std::string_view word) { return is_word(i, word); });
  }
  [[nodiscard]] bool is_literal(std::size_t i) const { return i < size() && tokens_[i].kind == TokenKind::Literal; }

  /// Returns where a token begins, and where it ends, in characters of the text.
  [[nodiscard]] std::size_t begin_of(std::size_t i) const {
    return static_cast<std::size_t>(tokens_[i].text.data() - text_.data());
  }
  [[nodiscard]] std::size_t end_of(std::size_t i) const { return begin_of(i) + tokens_[i].text.size(); }

  /// Returns the index before `i`; kNone before the first one.
  [[nodiscard]] static std::size_t before(std::size_t i) { return i == 0 ? kNone : i - 1; }

  /// Returns the bracket that closes, or opens, the one at `i`: of ( [ {. kNone: it has none, or is no bracket.
  [[nodiscard]] std::size_t partner_of(std::size_t i) const { return i < size() ? partners_[i] : kNone; }

  /// Returns the '>' (or ">>>") that ends the template arguments which begin with the '<' at `i`; kNone: none does.
  [[nodiscard]] std::size_t angle_end_of(std::size_t i) const;
  /// Returns the '<' of the template arguments that end at `i` with '>' or ">>>"; kNone: there is none.
  [[nodiscard]] std::size_t angle_begin_of(std::size_t i) const;

  /// Returns the first token that begins at `place` or behind it; size() if there is none.
  [[nodiscard]] std::size_t index_at(std::size_t place) const;

  /// Returns the tokens [begin, end) with a blank between those that space parts in the text.
  [[nodiscard]] std::string joined(std::size_t begin, std::size_t end) const;

  /// Returns "line L, column C: what", the place of a token.
  [[nodiscard]] std::string note(std::size_t i, std::string_view what) const;
  /// Returns the number of the line that has a token, from 1.
  [[nodiscard]] std::size_t line_of(std::size_t i) const;

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partners_;
};

/// Returns the '(' of the asm statement that begins at `i`, where a literal follows it; kNone: none begins there.
[[nodiscard]] std::size_t asm_open(const Code& code, std::size_t i);

/// Whether a word cannot end a type or a name, although a declaration or a launch may follow it: "return", "else".
[[nodiscard]] bool is_statement_word(std::string_view word);

}  // namespace negzero::source

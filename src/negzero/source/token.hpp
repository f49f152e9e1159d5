// Splits CUDA C++ text into tokens: where each lies, and whether a preprocessor directive has it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace negzero::source {

/// No place in a text, and no number of a token.
inline constexpr std::size_t kNone = std::string_view::npos;

enum class TokenKind : std::uint8_t {
  Word,     ///< an identifier or a keyword
  Number,   ///< a preprocessing number: 1e-5f, 0x1p3, 1'000
  Literal,  ///< a string or a character with its prefix, raw strings too
  Sign,     ///< a punctuator: "::", "->", "<<<" and ">>>" whole, all others one character each
  Space,    ///< blanks, ends of lines, spliced ones too, and comments
};

struct Token {
  TokenKind kind = TokenKind::Space;
  std::string_view text;      ///< of the source
  bool is_directive = false;  ///< from a '#' that begins a line to the end of that line
};

/// Returns the tokens of a text, which is what they are when put together again. Takes any bytes: an unfinished literal
/// ends with its line, an unfinished comment or raw string with the text. What a token views must outlive it.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

/// Whether one of the words of a text of C++ is `word`.
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);

[[nodiscard]] inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}
/// struct, class, union or enum.
[[nodiscard]] inline bool is_class_word(std::string_view word) {
  return is_one_of(word, {"struct", "class", "union", "enum"});
}

}  // namespace negzero::source

// Splits CUDA C++ text into tokens: where each lies, and whether a preprocessor directive has it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace negzero::source {

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

}  // namespace negzero::source

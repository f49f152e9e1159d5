// Deletes token by token, so that a directive is seen and the end of a line stays.

#include <algorithm>

#include <negzero/source/left_out.hpp>

namespace negzero::source {
namespace {

/// Whether a directive is of those that belong to the code around it.
bool goes_with_code(std::span<const Token> directive) {
  int words = 0;
  for (const Token& token : directive) {
    if (token.kind == TokenKind::Space) continue;
    if (++words == 2) return token.text == "include" || token.text == "pragma";
  }
  return false;
}

}  // namespace

std::vector<Edit> left_out(std::string_view text, const Unit& unit) {
  const std::vector<Token> tokens = tokens_of(text.substr(unit.begin, unit.end - unit.begin));
  std::vector<Edit> result;
  const auto erase = [&](std::string_view piece) {
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t end = std::min(piece.find_first_of("\r\n", at), piece.size());
      const std::size_t place = static_cast<std::size_t>(piece.data() - text.data()) + at;
      const bool goes_on = !result.empty() && result.back().at + result.back().length == place;
      if (end > at && goes_on) result.back().length += end - at;
      if (end > at && !goes_on) result.push_back({place, end - at, ""});
      at = end + 1;
    }
  };
  for (std::size_t i = 0; i < tokens.size();) {
    std::size_t end = i;
    while (end < tokens.size() && tokens[end].is_directive) ++end;
    const bool is_kept = end > i && !goes_with_code(std::span(tokens).subspan(i, end - i));
    end = std::max(end, i + 1);
    for (; i < end; ++i) {
      if (!is_kept) erase(tokens[i].text);
    }
  }
  return result;
}

}  // namespace negzero::source

// The declarations of a text of C++ that something reaches by their names.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/as_code/pieces.hpp>
#include <negzero/source/token.hpp>
#include <negzero/source/units.hpp>

namespace negzero::as_code {

namespace {

using source::Token;
using source::TokenKind;

/// Where the comment begins whose lines end right above the line of `begin`; that line's own begin where there is none,
/// or `begin` where something is before it in its line.
std::size_t comment_above(std::string_view text, std::size_t begin) {
  const auto line_at = [&](std::size_t place) { return place == 0 ? 0 : text.rfind('\n', place - 1) + 1; };
  std::size_t first = line_at(begin);
  if (text.substr(first, begin - first).find_first_not_of(" \t") != std::string_view::npos) return begin;
  while (first > 0) {
    const std::size_t above = line_at(first - 1);
    const std::size_t start = text.find_first_not_of(" \t", above);
    if (text.substr(start, 2) != "//") break;
    first = above;
  }
  return first;
}

/// The #define that begins at token `i`; `end` is behind its last token.
Piece macro_at(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  Piece piece{.is_macro = true};
  int words = 0;
  for (; i < end; ++i) {
    piece.text += tokens[i].text;
    if (tokens[i].kind == TokenKind::Word && ++words == 2) piece.name = tokens[i].text;
  }
  while (piece.text.ends_with('\n')) piece.text.pop_back();
  return piece;
}

}  // namespace

std::vector<Piece> pieces_of(std::string_view text) {
  const std::vector<Token> tokens = source::tokens_of(text);
  std::vector<std::pair<std::size_t, Piece>> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_directive) continue;
    std::size_t end = i + 1;
    while (end < tokens.size() && tokens[end].is_directive && tokens[end].text != "#") ++end;
    const bool is_define = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                       tokens.begin() + static_cast<std::ptrdiff_t>(std::min(i + 3, end)),
                                       [](const Token& token) { return token.text == "define"; });
    const auto place = static_cast<std::size_t>(tokens[i].text.data() - text.data());
    if (is_define) found.emplace_back(place, macro_at(tokens, i, end));
    i = end - 1;
  }
  for (const source::Unit& unit : source::units_of(text, tokens).units) {
    const std::size_t begin = comment_above(text, unit.begin);
    std::string own(text.substr(begin, unit.end - begin));
    // A comment behind it in its line is of it.
    const std::string_view rest = text.substr(unit.end, text.find('\n', unit.end) - unit.end);
    if (const std::size_t at = rest.find_first_not_of(' '); rest.substr(std::min(at, rest.size()), 2) == "//")
      own += rest;
    found.emplace_back(unit.begin, Piece{std::move(own), unit.name, unit.scope, false});
  }
  std::ranges::sort(found, {}, [](const auto& each) { return each.first; });
  std::vector<Piece> pieces;
  for (auto& [place, piece] : found) pieces.push_back(std::move(piece));
  return pieces;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  for (const Token& token : source::tokens_of(text)) {
    if (token.kind == TokenKind::Word) words.emplace(token.text);
  }
  return words;
}

std::vector<Piece> reached(const std::vector<Piece>& pieces, const std::set<std::string>& words) {
  std::vector<bool> is_reached(pieces.size());
  std::set<std::string> open = words;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (is_reached[i] || !open.contains(pieces[i].name) || pieces[i].text.starts_with("static_assert")) continue;
      is_reached[i] = grows = true;
      open.merge(words_of(pieces[i].text));
    }
  }
  std::vector<Piece> result;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (is_reached[i]) result.push_back(pieces[i]);
  }
  return result;
}

std::string text_of(const std::vector<Piece>& pieces, std::string_view inner, std::string_view last) {
  std::string text, scope;
  const auto leave = [&] {
    if (scope.empty()) return;
    if (scope == inner) text += "\n}  // namespace";
    text += fmt::format("\n}}  // namespace {}\n", scope);
    scope.clear();
  };
  const auto enter = [&](std::string_view to) {
    if (scope == to) return;
    leave();
    scope = to;
    if (!scope.empty()) text += fmt::format("\nnamespace {} {{\n", scope);
    if (scope == inner) text += "namespace {\n";
  };
  for (const Piece& piece : pieces) {
    if (piece.is_macro) {
      text += "\n" + piece.text + "\n";
      continue;
    }
    enter(piece.scope);
    text += "\n" + piece.text + "\n";
  }
  enter(inner);
  text += last;
  leave();
  return text;
}

}  // namespace negzero::as_code

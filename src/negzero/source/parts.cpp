// Goes through the tokens once, with a stack of the conditionals that are open.

#include <algorithm>
#include <array>
#include <optional>

#include <negzero/source/parts.hpp>

namespace negzero::source {
namespace {

/// How many more of ( [ { are opened than closed.
using Balance = std::array<int, 3>;

struct Branch {
  std::size_t begin = 0, end = 0;  // tokens
  bool is_dead = false;            // of "#if 0"
  Balance balance{};
};

using Conditional = std::vector<Branch>;

class Reader {
 public:
  Reader(std::string_view text, std::span<const Token> tokens)
      : text_(text), tokens_(tokens), is_dead_(tokens.size()), is_other_branch_(tokens.size()) {}

  Parts parts() {
    std::vector<Macro> macros;
    for (std::size_t i = 0; i < tokens_.size();) {
      if (!tokens_[i].is_directive) {
        is_dead_[i] = is_dead();
        if (!is_dead()) count(tokens_[i]);
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < tokens_.size() && tokens_[i].is_directive) ++i;
      directive(begin, i, macros);
    }
    return {Code(text_, kept(false)), Code(text_, kept(true)), std::move(macros)};
  }

 private:
  [[nodiscard]] bool is_dead() const {
    return std::ranges::any_of(open_, [](const Conditional& c) { return c.back().is_dead; });
  }

  void count(const Token& token) {
    if (token.kind != TokenKind::Sign || open_.empty()) return;
    constexpr std::string_view kOpen = "([{", kClose = ")]}";
    Balance& balance = open_.back().back().balance;
    if (const std::size_t at = kOpen.find(token.text.front()); at != kOpen.npos) ++balance[at];
    if (const std::size_t at = kClose.find(token.text.front()); at != kClose.npos) --balance[at];
  }

  [[nodiscard]] std::vector<Token> solid(std::size_t begin, std::size_t end) const {
    std::vector<Token> result;
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens_[i].kind != TokenKind::Space) result.push_back(tokens_[i]);
    }
    return result;
  }

  void directive(std::size_t begin, std::size_t end, std::vector<Macro>& macros) {
    const std::vector<Token> words = solid(begin, end);
    if (words.size() < 2) return;
    const std::string_view word = words[1].text;
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      const bool never = word == "if" && words.size() == 3 && words[2].text == "0";
      open_.push_back({Branch{end, end, never, {}}});
    } else if ((word == "else" || word.starts_with("elif")) && !open_.empty()) {
      open_.back().back().end = begin;
      open_.back().push_back({end, end, false, {}});
    } else if (word == "endif" && !open_.empty()) {
      open_.back().back().end = begin;
      close();
    } else if (word == "define" && !is_dead()) {
      if (auto macro = macro_of(begin, end)) macros.push_back(std::move(*macro));
    }
  }

  /// Ends the innermost conditional: decides which of its branches count, and how it changes the one around it.
  void close() {
    const Conditional closed = std::move(open_.back());
    open_.pop_back();
    const auto first = std::ranges::find(closed, false, &Branch::is_dead);
    if (first == closed.end()) return;
    const auto is_unbalanced = [](const Branch& branch) { return branch.balance != Balance{}; };
    if (std::ranges::none_of(first, closed.end(), is_unbalanced)) return;
    for (auto branch = first + 1; branch != closed.end(); ++branch) {
      for (std::size_t i = branch->begin; i < branch->end; ++i) is_other_branch_[i] = true;
    }
    if (open_.empty()) return;
    for (std::size_t i = 0; i < first->balance.size(); ++i) open_.back().back().balance[i] += first->balance[i];
  }

  [[nodiscard]] std::optional<Macro> macro_of(std::size_t begin, std::size_t end) const {
    const auto is_space = [&](std::size_t i) { return i < end && tokens_[i].kind == TokenKind::Space; };
    std::size_t i = begin;
    for (int words = 0; i < end && words < 2; ++i) words += is_space(i) ? 0 : 1;  // "#" and "define"
    while (is_space(i)) ++i;
    if (i >= end || tokens_[i].kind != TokenKind::Word) return std::nullopt;
    const std::string_view name = tokens_[i].text;
    const bool has_parameters = i + 1 < end && tokens_[i + 1].text == "(";
    std::vector<std::string_view> parameters;
    for (++i; has_parameters && i < end;) {
      const Token& token = tokens_[i++];
      if (token.kind == TokenKind::Word) parameters.push_back(token.text);
      if (token.text == ")") break;
    }
    return Macro{name, has_parameters, std::move(parameters), Code(text_, solid(i, end))};
  }

  [[nodiscard]] std::vector<Token> kept(bool is_balanced) const {
    std::vector<Token> result;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::Space || tokens_[i].is_directive || is_dead_[i]) continue;
      if (!is_balanced || !is_other_branch_[i]) result.push_back(tokens_[i]);
    }
    return result;
  }

  std::string_view text_;
  std::span<const Token> tokens_;
  std::vector<bool> is_dead_, is_other_branch_;
  std::vector<Conditional> open_;
};

}  // namespace

Parts parts_of(std::string_view text, std::span<const Token> tokens) { return Reader(text, tokens).parts(); }

}  // namespace negzero::source

// Finds the kernel's name backwards from "<<<", and ">>>" forwards.

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <negzero/source/launches.hpp>

namespace negzero::source {
namespace {

bool opens(const Token& token) { return token.text == "(" || token.text == "[" || token.text == "{"; }
bool closes(const Token& token) { return token.text == ")" || token.text == "]" || token.text == "}"; }

/// Tokens but space, and the ways that a launch goes through them. Places count them; kNone: there is none.
class Launches {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Launches(std::string_view text, std::span<const Token> tokens) : text_(text) {
    for (const Token& token : tokens) {
      if (token.kind != TokenKind::Space) tokens_.push_back(token);
    }
  }

  base::Result<std::vector<Edit>> edits() {
    std::vector<Edit> result;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!is_sign(i, "<<<")) continue;
      const std::size_t begin = kernel_before(i), end = end_of(i);
      if (begin == kNone) return mistake(i, "there is no kernel before '<<<'");
      if (end == kNone) return mistake(i, "'<<<' has no '>>>'");
      if (!is_sign(end + 1, "(")) return mistake(end, "'>>>' has no arguments in parentheses behind it");
      result.push_back({place_of(begin), 0, "::negzero::launch_of([&](auto... nz_a) { "});
      result.push_back({place_of(i), 3, "(nz_a...); }, "});
      result.push_back({place_of(end), 3, ")"});
    }
    // A launch inside the configuration of another one lies between its edits.
    std::ranges::stable_sort(result, {}, &Edit::at);
    return result;
  }

 private:
  [[nodiscard]] bool is_sign(std::size_t place, std::string_view sign) const {
    return place < tokens_.size() && tokens_[place].kind == TokenKind::Sign && tokens_[place].text == sign;
  }
  [[nodiscard]] bool is_word(std::size_t place) const {
    return place < tokens_.size() && tokens_[place].kind == TokenKind::Word;
  }
  [[nodiscard]] std::size_t place_of(std::size_t place) const {
    return static_cast<std::size_t>(tokens_[place].text.data() - text_.data());
  }
  [[nodiscard]] static std::size_t before(std::size_t place) { return place == 0 ? kNone : place - 1; }

  [[nodiscard]] base::Error mistake(std::size_t token, std::string_view what) const {
    const std::string_view head = text_.substr(0, place_of(token));
    const auto line = std::ranges::count(head, '\n') + 1;
    const std::size_t line_begin = head.rfind('\n') + 1;  // npos + 1 is 0
    return base::usage_error(fmt::format("line {}, column {}: {}", line, head.size() - line_begin + 1, what));
  }

  /// The bracket that the one at `place` closes.
  [[nodiscard]] std::size_t open_of(std::size_t place) const {
    int depth = 0;
    for (; place != kNone; place = before(place)) {
      if (tokens_[place].kind != TokenKind::Sign) continue;
      depth += closes(tokens_[place]) ? 1 : opens(tokens_[place]) ? -1 : 0;
      if (depth == 0) return place;
    }
    return kNone;
  }

  /// The '<' of the template arguments that end at `place` with '>' or ">>>".
  [[nodiscard]] std::size_t angle_of(std::size_t place) const {
    int depth = 0;
    for (; place != kNone; place = before(place)) {
      const Token& token = tokens_[place];
      if (token.kind != TokenKind::Sign) continue;
      if (closes(token)) {
        place = open_of(place);
        if (place == kNone) return kNone;
        continue;
      }
      if (opens(token) || token.text == ";" || token.text == "<<<") return kNone;
      depth += token.text == ">" ? 1 : token.text == ">>>" ? 3 : token.text == "<" ? -1 : 0;
      if (depth <= 0) return depth == 0 ? place : kNone;
    }
    return kNone;
  }

  /// Where a name begins that ends before `place`: with its template arguments.
  [[nodiscard]] std::size_t name_before(std::size_t place) const {
    std::size_t at = before(place);
    if (is_sign(at, ">") || is_sign(at, ">>>")) {
      at = angle_of(at);
      if (at == kNone) return kNone;
      at = before(at);
    }
    return is_word(at) ? at : kNone;
  }

  /// Where the kernel begins that is launched at `launch`: a name with qualifiers, or something in parentheses.
  [[nodiscard]] std::size_t kernel_before(std::size_t launch) const {
    std::size_t begin = name_before(launch);
    if (is_sign(before(launch), ")")) {
      begin = open_of(before(launch));
      // A function, or a macro, that gives the kernel.
      const std::size_t called = begin == kNone ? kNone : name_before(begin);
      if (called != kNone && !is_keyword(called)) begin = called;
    }
    while (begin != kNone) {
      std::size_t sign = before(begin);
      if (is_word(sign) && tokens_[sign].text == "template") sign = before(sign);
      if (!is_sign(sign, "::") && !is_sign(sign, ".") && !is_sign(sign, "->")) break;
      const std::size_t outer = name_before(sign);
      if (outer == kNone || is_keyword(outer)) return is_sign(sign, "::") ? sign : kNone;
      begin = outer;
    }
    return begin != kNone && is_word(begin) && is_keyword(begin) ? kNone : begin;
  }

  /// Whether that word ends no name: "return ::kernel<<<".
  [[nodiscard]] bool is_keyword(std::size_t place) const {
    constexpr std::string_view kWords[] = {"return", "else", "do", "case", "throw", "new", "delete", "co_return"};
    return std::ranges::find(kWords, tokens_[place].text) != std::end(kWords);
  }

  /// The ">>>" of the launch that begins at `launch`. A directive's launch ends in it.
  [[nodiscard]] std::size_t end_of(std::size_t launch) const {
    int depth = 0;
    for (std::size_t i = launch + 1; i < tokens_.size(); ++i) {
      if (tokens_[i].is_directive != tokens_[launch].is_directive) return kNone;
      if (tokens_[i].kind != TokenKind::Sign) continue;
      depth += opens(tokens_[i]) ? 1 : closes(tokens_[i]) ? -1 : 0;
      const bool is_another = depth == 0 && tokens_[i].text == "<<<";
      if (depth < 0 || is_another || tokens_[i].text == ";") return kNone;
      if (depth == 0 && tokens_[i].text == ">>>") return i;
    }
    return kNone;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
};

}  // namespace

base::Result<std::vector<Edit>> launch_edits(std::string_view text, std::span<const Token> tokens) {
  return Launches(text, tokens).edits();
}

}  // namespace negzero::source

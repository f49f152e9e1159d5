// Reads a formula by recursive descent.

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <negzero/formula/formula.hpp>

namespace negzero::formula {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// What keeps a text from being a formula.
struct Mistake {
  std::string what;
  std::size_t at;
};

}  // namespace

class Formula::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { skip(); }

  /// Throws a Mistake.
  std::vector<Node> all() {
    sum();
    if (at_ != text_.size()) fail("expected +, -, *, /, % or the end");
    return std::move(nodes_);
  }
  /// The same of a longer text: `end` is where it goes on.
  std::vector<Node> first(std::size_t& end) {
    sum();
    end = at_;
    return std::move(nodes_);
  }

 private:
  struct Function {
    std::string_view name;
    Kind kind;
    std::int64_t least, most;  ///< operands
  };
  static constexpr std::int64_t kAny = kMostText;
  static constexpr std::array<Function, 4> kFunctions{{{"ceil_div", Kind::CeilDiv, 2, 2},
                                                       {"ceil_log2", Kind::CeilLog2, 1, 1},
                                                       {"min", Kind::Min, 2, kAny},
                                                       {"max", Kind::Max, 2, kAny}}};

  [[noreturn]] void fail(std::string what) const { throw Mistake{std::move(what), at_}; }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char token) {
    if (at_ == text_.size() || text_[at_] != token) return false;
    ++at_;
    skip();
    return true;
  }
  void expect(char token) {
    if (!take(token)) fail(fmt::format("expected {}", token));
  }

  void sum() {
    product();
    for (;;) {
      const Kind kind = take('+') ? Kind::Add : take('-') ? Kind::Subtract : Kind::Number;
      if (kind == Kind::Number) return;
      product();
      nodes_.push_back({kind, 2, {}});
    }
  }
  void product() {
    factor();
    for (;;) {
      const Kind kind = take('*') ? Kind::Multiply : take('/') ? Kind::Divide : take('%') ? Kind::Modulo : Kind::Number;
      if (kind == Kind::Number) return;
      factor();
      nodes_.push_back({kind, 2, {}});
    }
  }
  void factor() {
    if (at_ < text_.size() && is_digit(text_[at_])) return number();
    if (at_ < text_.size() && is_letter(text_[at_])) return name();
    if (!take('(')) fail("expected a number, a name, a function or (");
    enter();
    sum();
    --nested_;
    expect(')');
  }
  void number() {
    std::int64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) fail("the number exceeds 64 bits");
    if (stop != end && is_letter(*stop)) fail("a name begins with a letter");
    at_ = static_cast<std::size_t>(stop - text_.data());
    skip();
    nodes_.push_back({Kind::Number, value, {}});
  }
  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    skip();
    if (at_ == text_.size() || text_[at_] != '(') return nodes_.push_back({Kind::Name, 0, std::string(word)});
    for (const Function& function : kFunctions) {
      if (function.name == word) return call(function);
    }
    at_ = begin;
    fail(fmt::format("{} is no function; there are ceil_div, ceil_log2, min and max", word));
  }
  void call(const Function& function) {
    expect('(');
    enter();
    std::int64_t count = 0;
    do {
      if (count == function.most) break;
      sum();
      ++count;
    } while (take(','));
    --nested_;
    if (count < function.least || (count == function.most && at_ < text_.size() && text_[at_] != ')')) {
      fail(fmt::format("{} takes {}{}", function.name, function.least == 1 ? "one number" : "two numbers",
                       function.most == kAny ? " or more" : ""));
    }
    expect(')');
    nodes_.push_back({function.kind, count, {}});
  }
  void enter() {
    if (++nested_ > kMostNested) fail(fmt::format("more than {} brackets within brackets", kMostNested));
  }

  std::string_view text_;
  std::size_t at_ = 0, nested_ = 0;
  std::vector<Node> nodes_{};
};

base::Result<Formula> Formula::parse(std::string_view text) {
  if (text.size() > kMostText) {
    return base::usage_error(fmt::format("a formula has at most {} bytes, not {}", kMostText, text.size()));
  }
  try {
    Formula formula;
    formula.nodes_ = Parser(text).all();
    return formula;
  } catch (const Mistake& mistake) {
    return base::usage_error(fmt::format("\"{}\", column {}: {}", text, mistake.at + 1, mistake.what));
  }
}

Formula::Prefix Formula::parse_prefix(std::string_view text) {
  Prefix prefix;
  try {
    prefix.formula.nodes_ = Parser(text).first(prefix.end);
    if (prefix.end > kMostText) throw Mistake{fmt::format("a formula has at most {} bytes", kMostText), 0};
  } catch (const Mistake& mistake) {
    prefix = {.end = mistake.at, .mistake = mistake.what};
  }
  return prefix;
}

}  // namespace negzero::formula

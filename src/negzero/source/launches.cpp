// Finds the kernel's name backwards from "<<<", and ">>>" forwards.

#include <algorithm>
#include <string>

#include <negzero/source/launches.hpp>
#include <negzero/source/parts.hpp>

namespace negzero::source {
namespace {

/// The launches of code, and the ways that one goes through its tokens.
class Launches {
 public:
  Launches(const Code& code, Prepared& result) : code_(code), result_(result) {}

  void read() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_.is_sign(i, "<<<")) launch(i);
    }
  }

 private:
  void launch(std::size_t i) {
    const std::size_t begin = kernel_before(i), end = end_of(i);
    const auto note = [&](std::size_t at, std::string_view what) { result_.notes.push_back(code_.note(at, what)); };
    if (begin == kNone) return note(i, "there is no kernel before '<<<'");
    if (end == kNone) return note(i, "'<<<' has no '>>>'");
    if (!code_.is_sign(end + 1, "(")) return note(end, "'>>>' has no arguments in parentheses behind it");
    result_.edits.push_back({code_.begin_of(begin), 0, "::negzero::launch_of([=](auto... nz_a) { "});
    result_.edits.push_back({code_.begin_of(i), 3, "(nz_a...); }, "});
    result_.edits.push_back({code_.begin_of(end), 3, ")"});
  }

  /// Where a name begins that ends before `place`: with its template arguments.
  [[nodiscard]] std::size_t name_before(std::size_t place) const {
    std::size_t at = Code::before(place);
    if (code_.is_sign(at, ">") || code_.is_sign(at, ">>>")) {
      at = code_.angle_begin_of(at);
      if (at == kNone) return kNone;
      at = Code::before(at);
    }
    return code_.is_word(at) ? at : kNone;
  }

  /// The same of a name with indices behind it.
  [[nodiscard]] std::size_t element_before(std::size_t place) const {
    while (place != kNone && code_.is_sign(Code::before(place), "]")) place = code_.partner_of(Code::before(place));
    return place == kNone ? kNone : name_before(place);
  }

  /// Where the kernel begins that is launched at `launch`: a name with qualifiers, or something in parentheses.
  [[nodiscard]] std::size_t kernel_before(std::size_t launch) const {
    std::size_t begin = element_before(launch);
    if (code_.is_sign(Code::before(launch), ")")) {
      begin = code_.partner_of(Code::before(launch));
      // A function, or a macro, that gives the kernel.
      const std::size_t called = begin == kNone ? kNone : name_before(begin);
      if (called != kNone && !is_keyword(called)) begin = called;
    }
    while (begin != kNone) {
      std::size_t sign = Code::before(begin);
      if (code_.is_word(sign, "template")) sign = Code::before(sign);
      if (!code_.is_sign(sign, "::") && !code_.is_sign(sign, ".") && !code_.is_sign(sign, "->")) break;
      const std::size_t outer = element_before(sign);
      if (outer == kNone || is_keyword(outer)) return code_.is_sign(sign, "::") ? sign : kNone;
      begin = outer;
    }
    return begin != kNone && code_.is_word(begin) && is_keyword(begin) ? kNone : begin;
  }

  /// Whether that word ends no name: "return ::kernel<<<".
  [[nodiscard]] bool is_keyword(std::size_t place) const { return is_statement_word(code_.text_of(place)); }

  /// The ">>>" of the launch that begins at `launch`.
  [[nodiscard]] std::size_t end_of(std::size_t launch) const {
    for (std::size_t i = launch + 1; i < code_.size(); ++i) {
      if (!code_.is_sign(i)) continue;
      const std::string_view sign = code_.text_of(i);
      if (sign == ">>>") return i;
      if (sign == ";" || sign == "<<<" || sign == ")" || sign == "]" || sign == "}") return kNone;
      if (sign != "(" && sign != "[" && sign != "{") continue;
      i = code_.partner_of(i);
      if (i == kNone) return kNone;
    }
    return kNone;
  }

  const Code& code_;
  Prepared& result_;
};

}  // namespace

Prepared launch_edits(std::string_view text, std::span<const Token> tokens) {
  const Parts parts = parts_of(text, tokens);
  Prepared result;
  Launches(parts.code, result).read();
  for (const Macro& macro : parts.macros) Launches(macro.body, result).read();
  // A launch inside the configuration of another one lies between its edits.
  put_in_order(result.edits);
  return result;
}

}  // namespace negzero::source

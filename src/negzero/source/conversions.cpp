// Finds asm statements of that one instruction.

#include <algorithm>
#include <string>

#include <negzero/source/conversions.hpp>
#include <negzero/source/parts.hpp>

namespace negzero::source {
namespace {

/// Whether a literal is the instruction, but for blanks and ends of lines that it spells.
bool is_conversion(std::string_view literal) {
  std::string bare;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal.substr(i).starts_with("\\n") || literal.substr(i).starts_with("\\t")) {
      ++i;
    } else if (literal[i] != ' ') {
      bare += literal[i];
    }
  }
  return bare == "\"cvt.rni.sat.s8.f32%0,%1;\"";
}

}  // namespace

Prepared conversion_edits(std::string_view text, std::span<const Token> tokens) {
  const Parts parts = parts_of(text, tokens);
  const Code& code = parts.code;
  Prepared result;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::size_t open = asm_open(code, i);
    if (open == kNone || !is_conversion(code.text_of(open + 1)) || !code.is_sign(open + 2, ":") ||
        !code.is_literal(open + 3) || !code.is_sign(open + 4, "(")) {
      continue;
    }
    const std::string_view constraint = code.text_of(open + 3);
    const std::size_t target = code.partner_of(open + 4), last = code.partner_of(open);
    if ((constraint != "\"=r\"" && constraint != "\"=h\"") || target == kNone || last == kNone ||
        !code.is_sign(target + 1, ":") || !code.is_literal(target + 2) || code.text_of(target + 2) != "\"f\"" ||
        !code.is_sign(target + 3, "(") || code.partner_of(target + 3) + 1 != last) {
      continue;
    }
    const std::size_t first = code.begin_of(i), assigned = code.begin_of(open + 4);
    const std::size_t behind = code.end_of(target), value = code.begin_of(target + 3);
    if (text.substr(first, value - first).find('\n') != std::string_view::npos) continue;
    result.edits.push_back({first, assigned - first, ""});
    result.edits.push_back({behind, value - behind, " = ::negzero::cvt_rni_sat_s8_f32"});
    result.edits.push_back({code.begin_of(last), 1, ""});
  }
  return result;
}

}  // namespace negzero::source

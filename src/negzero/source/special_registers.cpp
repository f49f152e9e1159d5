// Finds asm statements that move one register.

#include <algorithm>
#include <string>

#include <negzero/source/parts.hpp>
#include <negzero/source/special_registers.hpp>

namespace negzero::source {
namespace {

constexpr std::string_view kRegisters[] = {"laneid",      "lanemask_lt", "lanemask_le",
                                           "lanemask_eq", "lanemask_ge", "lanemask_gt"};

bool take_word(std::string_view& rest, std::string_view prefix) {
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

/// The register of "mov.u32 %0, %%NAME;", or nothing. Compilers take one '%' for the two that the language asks for.
std::string_view register_of(std::string_view literal) {
  if (!take_word(literal, "\"") || !take_word(literal, "mov.u32") || !take_word(literal, "%0") ||
      !take_word(literal, ","))
    return {};
  if (!take_word(literal, "%%") && !take_word(literal, "%")) return {};
  const std::string_view name = literal.substr(0, literal.find_first_of(" ;\""));
  return std::ranges::find(kRegisters, name) != std::end(kRegisters) && literal.ends_with('"') &&
                 literal.substr(name.size()).find_first_not_of(" ;\"") == std::string_view::npos
             ? name
             : std::string_view{};
}

}  // namespace

Prepared special_register_edits(std::string_view text, std::span<const Token> tokens) {
  const Parts parts = parts_of(text, tokens);
  const Code& code = parts.code;
  Prepared result;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::size_t open = asm_open(code, i);
    if (open == kNone || !code.is_sign(open + 2, ":") || code.text_of(open + 3) != "\"=r\"" ||
        !code.is_sign(open + 4, "(")) {
      continue;
    }
    const std::string_view name = register_of(code.text_of(open + 1));
    const std::size_t end = code.partner_of(open + 4);
    if (name.empty() || end == kNone || end + 1 != code.partner_of(open)) continue;
    const std::size_t first = code.begin_of(i), target = code.begin_of(open + 4);
    if (text.substr(first, target - first).find('\n') != std::string_view::npos) continue;
    result.edits.push_back({first, target - first, ""});
    result.edits.push_back({code.begin_of(end + 1), 1, " = ::negzero::special_register_" + std::string(name) + "()"});
  }
  return result;
}

}  // namespace negzero::source

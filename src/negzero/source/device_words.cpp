// Renames word by word. What declares a word is found once for each of the four.

#include <algorithm>
#include <utility>

#include <negzero/source/declared.hpp>
#include <negzero/source/device_words.hpp>
#include <negzero/source/parts.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {
namespace {

constexpr std::pair<std::string_view, std::string_view> kCures[] = {
    {"threadIdx", "::negzero::thread_index()"},
    {"blockIdx", "::negzero::block_index()"},
    {"blockDim", "::negzero::block_dim()"},
    {"gridDim", "::negzero::grid_dim()"},
};

/// Whether the word at `i` is initialised in a list of members, or called: "Launch(dim3 g) : gridDim(g) {}".
bool is_called_at(const Code& code, std::size_t i) { return code.is_sign(i + 1, "(") || code.is_sign(i + 1, "{"); }

bool declares(const Code& body, std::string_view word) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body.is_word(i, word) && is_declared_at(body, i)) return true;
  }
  return false;
}

void rename(const Code& code, std::size_t i, std::string_view call, std::vector<Edit>& edits) {
  // "::threadIdx" has its own "::".
  if (code.is_sign(Code::before(i), "::")) call.remove_prefix(2);
  edits.push_back({code.begin_of(i), code.text_of(i).size(), std::string(call)});
}

/// As a macro it would change what headers of the standard library write: __attribute__((__noinline__)).
void attribute_edits(const Code& code, std::vector<Edit>& edits) {
  constexpr std::string_view kWord = "__noinline__";
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is_word(i, kWord) || code.is_sign(Code::before(i), "(") || code.is_sign(Code::before(i), ",")) continue;
    edits.push_back({code.begin_of(i), kWord.size(), "__attribute__((noinline))"});
  }
}

}  // namespace

Prepared device_word_edits(std::string_view text, std::span<const Token> tokens) {
  const Parts parts = parts_of(text, tokens);
  const std::vector<Unit> units = units_of(text, tokens).units;
  Prepared result;
  for (const auto& [word, call] : kCures) {
    const std::vector<std::size_t> own = units_declaring(word, parts.code, units);
    for (std::size_t i = 0; i < parts.code.size(); ++i) {
      if (!parts.code.is_word(i, word) || is_member_at(parts.code, i) || is_called_at(parts.code, i)) continue;
      const std::size_t unit = unit_at(units, parts.code.begin_of(i));
      if (!std::ranges::binary_search(own, unit)) rename(parts.code, i, call, result.edits);
    }
    for (const Macro& macro : parts.macros) {
      if (std::ranges::find(macro.parameters, word) != macro.parameters.end()) continue;
      if (declares(macro.body, word)) continue;
      for (std::size_t i = 0; i < macro.body.size(); ++i) {
        const bool is_pasted = macro.body.is_sign(Code::before(i), "#") || macro.body.is_sign(i + 1, "#");
        if (!macro.body.is_word(i, word) || is_member_at(macro.body, i) || is_pasted) continue;
        rename(macro.body, i, call, result.edits);
      }
    }
  }
  attribute_edits(parts.code, result.edits);
  for (const Macro& macro : parts.macros) attribute_edits(macro.body, result.edits);
  put_in_order(result.edits);
  return result;
}

}  // namespace negzero::source

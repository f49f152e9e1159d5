// Edits each declaration, then the uses of those that lie outside functions.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <negzero/source/declared.hpp>
#include <negzero/source/parts.hpp>
#include <negzero/source/shared.hpp>
#include <negzero/source/shared_declaration.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {
namespace {

/// A variable at namespace scope: from `begin` on, until there is another one of its name.
struct Variable {
  std::size_t begin = 0;  // a character
  bool is_extern = false;
};
using Variables = std::map<std::string_view, std::vector<Variable>>;

class SharedMemory {
 public:
  SharedMemory(std::string_view text, std::span<const Token> tokens)
      : parts_(parts_of(text, tokens)), units_(units_of(text, tokens)), words_(shared_words_of(parts_.macros)) {}

  Prepared edits() {
    declarations(parts_.code, false);
    for (const Macro& macro : parts_.macros) {
      if (!words_.contains(macro.name)) declarations(macro.body, true);
    }
    for (const auto& [name, variables] : variables_) uses(name, variables);
    put_in_order(result_.edits);
    return std::move(result_);
  }

 private:
  void declarations(const Code& code, bool is_macro) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (!code.is_word(i)) continue;
      const auto word = words_.find(code.text_of(i));
      // A macro that says no more than another one's parameter, #__shared__, is text.
      if (word == words_.end() || (is_macro && code.is_sign(Code::before(i), "#"))) continue;
      const SharedDeclaration found = shared_declaration_at(code, i, words_, is_macro);
      if (!found.mistake.empty()) {
        result_.notes.push_back(code.note(found.mistake_at, found.mistake));
      } else if (found.is_only_a_type) {
        replace(code, i, "");
      } else {
        replace(code, i, word->second.text);
        declaration(code, found, is_macro);
      }
    }
  }

  void declaration(const Code& code, const SharedDeclaration& found, bool is_macro) {
    const bool is_in_function = is_macro || has_function_at(code.begin_of(found.begin));
    std::string after = found.end < code.size() ? "" : ";";
    for (const SharedName& name : found.names) {
      const std::string text = code.joined(name.begin, name.end);
      insert(code.begin_of(name.begin), is_macro ? "negzero_type_##" : "negzero_type_");
      if (is_in_function) {
        after += fmt::format(" {}({});", found.is_extern ? "NEGZERO_DYNAMIC_SHARED_NAME" : "NEGZERO_SHARED_NAME", text);
      } else {
        if (!found.is_extern) after += fmt::format(" NEGZERO_SHARED_TAG({});", text);
        variables_[code.text_of(name.begin)].push_back({code.end_of(name.begin), found.is_extern});
      }
    }
    for (const std::size_t i : found.deleted) replace(code, i, "");
    for (const std::size_t i : found.alignments) {
      replace(code, i, "__attribute__((aligned");
      insert(code.end_of(code.partner_of(i + 1)), "))");
    }
    if (found.end < code.size()) return insert(code.end_of(found.end), after);
    if (after.ends_with(';')) after.pop_back();
    insert(code.end_of(code.size() - 1), after);
  }

  [[nodiscard]] bool has_function_at(std::size_t place) const {
    // Behind what cannot be read, a declaration is taken for one of a function: nearly all are.
    if (unit_at(units_.units, place) == units_.units.size()) return true;
    return std::ranges::any_of(units_.bodies,
                               [&](const Extent& body) { return body.begin <= place && place < body.end; });
  }

  void uses(std::string_view name, const std::vector<Variable>& variables) {
    std::vector<std::size_t> known;
    for (const Variable& variable : variables) known.push_back(variable.begin);
    const std::vector<std::size_t> own = units_declaring(name, parts_.code, units_.units, known);
    const auto variable_at = [&](std::size_t place) {
      const auto after = std::ranges::upper_bound(variables, place, {}, &Variable::begin);
      return after == variables.begin() ? nullptr : &*(after - 1);
    };
    const auto use = [&](const Code& code, std::size_t i) {
      const Variable* variable = variable_at(code.begin_of(i));
      const std::size_t last = Code::before(i);
      if (variable == nullptr || code.is_sign(last, ".") || code.is_sign(last, "->")) return;
      if (is_member_at(code, i)) {
        return result_.notes.push_back(code.note(i, "shared memory at namespace scope must be used without a scope"));
      }
      if (code.is_sign(last, "::")) replace(code, last, "");
      replace(code, i,
              fmt::format("{}({})", variable->is_extern ? "NEGZERO_DYNAMIC_SHARED_OF" : "NEGZERO_SHARED_OF", name));
    };
    for (std::size_t i = 0; i < parts_.code.size(); ++i) {
      if (!parts_.code.is_word(i, name)) continue;
      const std::size_t unit = unit_at(units_.units, parts_.code.begin_of(i));
      if (!std::ranges::binary_search(own, unit)) use(parts_.code, i);
    }
    for (const Macro& macro : parts_.macros) {
      if (std::ranges::find(macro.parameters, name) != macro.parameters.end()) continue;
      for (std::size_t i = 0; i < macro.body.size(); ++i) {
        const bool is_pasted = macro.body.is_sign(Code::before(i), "#") || macro.body.is_sign(i + 1, "#");
        if (macro.body.is_word(i, name) && !is_pasted && !is_declared_at(macro.body, i)) use(macro.body, i);
      }
    }
  }

  void insert(std::size_t at, std::string text) { result_.edits.push_back({at, 0, std::move(text)}); }
  void replace(const Code& code, std::size_t i, std::string text) {
    result_.edits.push_back({code.begin_of(i), code.text_of(i).size(), std::move(text)});
  }

  Parts parts_;
  Units units_;
  SharedWords words_;
  Variables variables_;
  Prepared result_;
};

}  // namespace

Prepared shared_edits(std::string_view text, std::span<const Token> tokens) {
  return SharedMemory(text, tokens).edits();
}

}  // namespace negzero::source

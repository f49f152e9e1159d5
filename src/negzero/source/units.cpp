// Reads declarations one after another, skipping all that is in brackets.

#include <algorithm>
#include <set>
#include <utility>

#include <negzero/source/parts.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {
namespace {

constexpr int kMostNested = 100;  // classes in classes

/// Words that have parentheses behind them before the name of a function.
bool is_attribute(std::string_view word) {
  return is_one_of(word, {"alignas", "__align__", "__attribute__", "__builtin_align__", "__launch_bounds__", "decltype",
                          "__declspec", "__cluster_dims__", "__maxnreg__", "explicit", "requires", "noexcept",
                          "__block_size__", "__typeof__", "typeof"});
}
bool goes_on_behind_parameters(std::string_view word) {
  return is_one_of(word, {"const", "noexcept", "override", "final", "try", "requires", "volatile", "mutable"});
}

/// Words that put code on a device, and those that make it a kernel: with the macros whose bodies have them.
struct DeviceWords {
  std::set<std::string_view> device{"__device__", "__global__", "__constant__", "__shared__"}, kernel{"__global__"};

  explicit DeviceWords(const std::vector<Macro>& macros) {
    for (const Macro& macro : macros) {
      for (auto* words : {&device, &kernel}) {
        if (has(*words, macro.body, 0, macro.body.size())) words->insert(macro.name);
      }
    }
  }

  static bool has(const std::set<std::string_view>& words, const Code& code, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (code.is_word(i) && words.contains(code.text_of(i))) return true;
    }
    return false;
  }
};

/// One declaration: tokens [begin, end). A function's body is [body, end); kNone: it has none.
struct UnitDeclaration {
  std::size_t begin = 0, end = 0, body = kNone;
  std::size_t members = kNone;  // the '{' of a class
  std::string_view name;
};

class UnitReader {
 public:
  explicit UnitReader(const Parts& parts) : code_(parts.balanced), words_(parts.macros) {}

  Units units() {
    std::vector<std::string> scopes;
    for (std::size_t i = 0; i < code_.size();) {
      if (code_.is_sign(i, ";") || code_.is_sign(i, "}")) {
        if (code_.is_sign(i, "}") && !scopes.empty()) scopes.pop_back();
        ++i;
        continue;
      }
      if (const std::size_t open = block_at(i); open != kNone) {
        scopes.push_back(name_of_block(i, open));
        i = open + 1;
        continue;
      }
      const UnitDeclaration found = declaration(i, code_.size());
      if (found.end == kNone) break;
      add(found, scopes);
      add_bodies(found, 0);
      i = found.end;
    }
    return std::move(result_);
  }

 private:
  /// The '{' of the namespace or the extern "C" that begins at `i`.
  [[nodiscard]] std::size_t block_at(std::size_t i) const {
    if (code_.is_word(i, "extern") && code_.is_literal(i + 1) && code_.is_sign(i + 2, "{")) return i + 2;
    if (code_.is_word(i, "inline")) ++i;
    if (!code_.is_word(i, "namespace")) return kNone;
    while (i < code_.size() && !code_.is_sign(i, "{") && !code_.is_sign(i, ";") && !code_.is_sign(i, "=")) ++i;
    return code_.is_sign(i, "{") ? i : kNone;
  }

  [[nodiscard]] std::string name_of_block(std::size_t i, std::size_t open) const {
    std::string name;
    bool is_namespace = false;
    for (; i < open; ++i) {
      if (code_.is_sign(i, "[") || code_.is_sign(i, "(")) {
        i = std::min(code_.partner_of(i), open);
      } else if (code_.is_word(i, "namespace")) {
        is_namespace = true;
      } else if (is_namespace && (code_.is_sign(i, "::") || (code_.is_word(i) && code_.text_of(i) != "inline"))) {
        name += code_.text_of(i);
      }
    }
    return name;
  }

  /// The declaration that begins at `begin`. Its `end` is kNone where it cannot be read.
  [[nodiscard]] UnitDeclaration declaration(std::size_t begin, std::size_t most) const {
    UnitDeclaration found{begin, kNone, kNone, kNone, {}};
    bool is_function = false, has_value = false, has_members_of = false, has_initialisers = false;
    std::string_view class_name, last_word;
    for (std::size_t i = begin; i < most; ++i) {
      const std::string_view text = code_.text_of(i);
      if (code_.is_word(i, "template") && code_.is_sign(i + 1, "<")) {
        const std::size_t end = code_.angle_end_of(i + 1);
        if (end != kNone) i = end;
      } else if (code_.is_word(i, "operator")) {
        i = operator_end(i);
        last_word = "operator";
      } else if (code_.is_word(i)) {
        if (has_members_of && class_name.empty() && !is_attribute(text) && !is_class_word(text)) class_name = text;
        // struct ALIGNED(16) name: a macro's name was taken for it.
        if (has_members_of && code_.is_sign(i - 1, ")") && !goes_on_behind_parameters(text)) class_name = text;
        if (is_class_word(text) && !has_value) has_members_of = true;
        if (!has_value && !is_function && found.members == kNone) last_word = text;
      } else if (text == ";") {
        found.end = i + 1;
        if (!is_function && !class_name.empty() && last_word.empty()) last_word = class_name;
        if (found.members != kNone) last_word = class_name;
        found.name = last_word;
        return found;
      } else if (text == "=") {
        has_value = true;
      } else if (text == ":" && is_function) {
        has_initialisers = true;
      } else if (text == ")" || text == "]" || text == "}") {
        // Nothing opened it. A class's last declaration may lack its ';'.
        return found;
      } else if (text == "(" || text == "[") {
        const std::size_t end = code_.partner_of(i);
        if (end == kNone || end >= most) return found;
        const bool has_name = i > begin && (code_.is_word(i - 1) || code_.is_sign(i - 1) /* > of operators */);
        if (text == "(" && has_name && !has_value && !is_attribute(code_.text_of(i - 1))) {
          if (i == begin + 1 && is_call_of_a_macro(end)) {
            found.end = end + 1;
            found.name = code_.text_of(begin);
            return found;
          }
          is_function = true;
        }
        i = end;
      } else if (text == "{") {
        const std::size_t end = code_.partner_of(i);
        if (end == kNone || end >= most) return found;
        if (is_requirement(i)) {
          i = end;
          continue;
        }
        const bool is_class = has_members_of && !has_value && !ends_function_head(i, is_function);
        if (is_class) {
          if (found.members == kNone) found.members = i;
        } else if (is_function && !has_value) {
          const bool is_initialiser =
              has_initialisers && (code_.is_word(i - 1) || code_.is_sign(i - 1, ">")) && !code_.is_word(i - 1, "try");
          if (!is_initialiser) {
            if (found.body == kNone) found.body = i;
            if (!code_.is_word(end + 1, "catch")) {
              found.end = end + 1;
              found.name = last_word;
              return found;
            }
          }
        } else if (!has_value && !code_.is_sign(end + 1)) {
          // A block that a macro's name begins.
          found.end = end + 1;
          found.name = last_word;
          return found;
        }
        i = end;
      }
    }
    return found;
  }

  /// Whether the '{' at `i` is of a requires-expression in a clause: "requires requires {" or "requires requires (T x)
  /// {".
  [[nodiscard]] bool is_requirement(std::size_t i) const {
    if (i == 0) return false;
    const std::size_t open = code_.is_sign(i - 1, ")") ? code_.partner_of(i - 1) : i;
    return open != kNone && open > 1 && code_.is_word(open - 1, "requires") && code_.is_word(open - 2, "requires");
  }

  /// Where the name of an operator ends that begins with that word at `i`.
  [[nodiscard]] std::size_t operator_end(std::size_t i) const {
    if (code_.is_sign(i + 1, "(") && code_.is_sign(i + 2, ")")) return i + 2;
    while (code_.is_sign(i + 1) && !code_.is_sign(i + 1, "(") && !code_.is_sign(i + 1, ";")) ++i;
    return i;
  }

  /// Whether what ends at `end` with ')' is a macro that is called without a ';'.
  [[nodiscard]] bool is_call_of_a_macro(std::size_t end) const {
    return code_.is_word(end + 1) && !goes_on_behind_parameters(code_.text_of(end + 1));
  }

  /// Whether the '{' at `i` is of a function's body rather than of a class: "struct S f() {" or "struct S : B {".
  [[nodiscard]] bool ends_function_head(std::size_t i, bool is_function) const {
    return is_function && (code_.is_sign(i - 1, ")") || goes_on_behind_parameters(code_.text_of(i - 1)));
  }

  void add(const UnitDeclaration& found, const std::vector<std::string>& scopes) {
    Unit unit{code_.begin_of(found.begin), code_.end_of(found.end - 1), false, false, std::string(found.name), {}};
    const std::size_t head_end = found.body != kNone && found.members == kNone ? found.body : found.end;
    unit.is_device = DeviceWords::has(words_.device, code_, found.begin, head_end);
    unit.is_kernel = DeviceWords::has(words_.kernel, code_, found.begin, head_end);
    for (const std::string& scope : scopes) {
      if (!scope.empty()) unit.scope += unit.scope.empty() ? scope : "::" + scope;
    }
    result_.units.push_back(std::move(unit));
  }

  void add_bodies(const UnitDeclaration& found, int depth) {
    if (found.members != kNone && depth < kMostNested) {
      const std::size_t end = code_.partner_of(found.members);
      for (std::size_t i = found.members + 1; i < end;) {
        if (code_.is_sign(i, ";") || code_.is_sign(i, ":")) {
          ++i;
          continue;
        }
        if (code_.is_word(i) && code_.is_sign(i + 1, ":")) {  // public:
          i += 2;
          continue;
        }
        const UnitDeclaration member = declaration(i, end);
        if (member.end == kNone) break;
        add_bodies(member, depth + 1);
        i = member.end;
      }
    }
    if (found.body != kNone) result_.bodies.push_back({code_.begin_of(found.body), code_.end_of(found.end - 1)});
  }

  const Code& code_;
  DeviceWords words_;
  Units result_;
};

}  // namespace

Units units_of(std::string_view text, std::span<const Token> tokens) {
  const Parts parts = parts_of(text, tokens);
  return UnitReader(parts).units();
}

}  // namespace negzero::source

// Follows calls from function to function by their names.

#include <algorithm>
#include <map>
#include <set>

#include <negzero/source/launchers.hpp>
#include <negzero/source/parts.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {
namespace {

/// What the body of a function names.
struct Names {
  std::set<std::string> launched, called;
};

/// The name before "<<<", which may have template arguments; empty: an expression is launched.
std::string name_before(const Code& code, std::size_t launch) {
  std::size_t last = Code::before(launch);
  if (code.is_sign(last, ">") || code.is_sign(last, ">>>")) last = Code::before(code.angle_begin_of(last));
  return last != kNone && code.is_word(last) ? std::string(code.text_of(last)) : "";
}

Names names_in(const Code& code, const Unit& unit) {
  Names result;
  for (std::size_t i = code.index_at(unit.begin); i < code.size() && code.begin_of(i) < unit.end; ++i) {
    if (code.is_sign(i, "<<<")) {
      if (std::string name = name_before(code, i); !name.empty()) result.launched.insert(std::move(name));
    } else if (code.is_word(i) && code.is_sign(i + 1, "(") && code.text_of(i) != unit.name) {
      result.called.emplace(code.text_of(i));
    }
  }
  return result;
}

}  // namespace

std::vector<Launcher> launchers_of(std::string_view text, std::span<const Token> tokens) {
  const Parts parts = parts_of(text, tokens);
  std::map<std::string, Names> functions;
  for (const Unit& unit : units_of(text, tokens).units) {
    if (unit.is_device || unit.name.empty()) continue;
    Names names = names_in(parts.balanced, unit);
    functions[unit.name].launched.merge(names.launched);
    functions[unit.name].called.merge(names.called);
  }
  // What a function calls launches for it.
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (auto& [name, names] : functions) {
      const std::size_t before = names.launched.size();
      for (const std::string& called : names.called) {
        const auto other = functions.find(called);
        if (other != functions.end())
          names.launched.insert(other->second.launched.begin(), other->second.launched.end());
      }
      has_more = has_more || names.launched.size() != before;
    }
  }
  std::vector<Launcher> result;
  for (KernelSignature& function : host_functions_of(text, tokens)) {
    const std::string name = short_name(function);
    const Names& names = functions[name];
    const auto calls_it = [&](const auto& other) {
      return other.first != name && other.first != "main" && !other.second.launched.empty() &&
             other.second.called.contains(name);
    };
    const bool has_pointer = std::ranges::any_of(function.parameters, &KernelParameter::is_pointer);
    if (names.launched.empty() || name == "main" || !has_pointer || !function.templates.empty()) continue;
    if (std::ranges::any_of(functions, calls_it)) continue;
    result.push_back({std::move(function), {names.launched.begin(), names.launched.end()}});
  }
  return result;
}

}  // namespace negzero::source

// Compares names with the words of C++ that are short enough to be one.

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include <negzero/source/line_names.hpp>

namespace negzero::source {
namespace {

// ISO C++20, [lex.key]: those of at most notation::kMostTensorName letters that have no underscore.
constexpr auto kCppWords = std::to_array<std::string_view>(
    {"alignas",   "alignof",   "and",      "asm",      "auto",    "bitand",  "bitor",    "bool",     "break",
     "case",      "catch",     "char",     "class",    "compl",   "concept", "const",    "continue", "decltype",
     "default",   "delete",    "do",       "double",   "else",    "enum",    "explicit", "export",   "extern",
     "false",     "float",     "for",      "friend",   "goto",    "if",      "inline",   "int",      "long",
     "mutable",   "namespace", "new",      "noexcept", "not",     "nullptr", "operator", "or",       "private",
     "protected", "public",    "register", "requires", "return",  "short",   "signed",   "sizeof",   "static",
     "struct",    "switch",    "template", "this",     "throw",   "true",    "try",      "typedef",  "typeid",
     "typename",  "union",     "unsigned", "using",    "virtual", "void",    "volatile", "while",    "xor"});

}  // namespace

std::optional<std::string> wrong_names(const notation::Signature& signature) {
  std::map<std::string_view, std::string_view> kinds;
  std::optional<std::string> why;
  const auto add = [&](std::string_view name, std::string_view kind) {
    if (why) return;
    const auto [known, is_new] = kinds.emplace(name, kind);
    if (name == "stream") {
      why = fmt::format("{} is called stream, which is the CUDA stream in a launch; give it another name", kind);
    } else if (std::ranges::find(kCppWords, name) != kCppWords.end()) {
      why = fmt::format("{} is called {}, a word of C++; give it another name", kind, name);
    } else if (!is_new) {
      why = fmt::format("{} and {} are both called {}, and a launch has one name for each; rename one of them",
                        known->second, kind, name);
    }
  };
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (tensor.role != notation::Role::Initial) add(tensor.name, "a tensor");
  }
  for (const std::string& extent : signature.extents) add(extent, "an extent");
  for (const notation::ScalarSignature& scalar : signature.scalars) add(scalar.name, "a scalar");
  if (why) why = fmt::format("operation {}: {}", signature.name, *why);
  return why;
}

}  // namespace negzero::source

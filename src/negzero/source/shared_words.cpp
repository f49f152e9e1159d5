// Reads the bodies of macros in order, so that one may be short for another.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/source/shared_words.hpp>

namespace negzero::source {
namespace {

/// What a macro's body is as a shared word; an empty text: it is none.
SharedWord shared_word_of(const Code& body, const SharedWords& known) {
  SharedWord result;
  bool is_shared = false;
  std::string rest;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::string_view word = body.text_of(i);
    if (const auto at = known.find(word); at != known.end() && body.is_word(i)) {
      is_shared = true;
      result.is_extern = result.is_extern || at->second.is_extern;
      rest += at->second.text.substr(std::string_view("typedef").size());
    } else if (body.is_word(i) && is_storage(word)) {
      result.is_extern = result.is_extern || word == "extern";
    } else if (body.is_word(i) && (word == "volatile" || word == "const" || word == "__volatile__")) {
      rest += fmt::format(" {}", word);
    } else if (body.is_word(i) && takes_parentheses(word) && body.is_sign(i + 1, "(") &&
               body.partner_of(i + 1) != kNone) {
      const std::size_t end = body.partner_of(i + 1);
      rest += word == "alignas" ? fmt::format(" __attribute__((aligned{}))", body.joined(i + 1, end + 1))
                                : fmt::format(" {}", body.joined(i, end + 1));
      i = end;
    } else {
      return {};
    }
  }
  if (is_shared) result.text = "typedef" + rest;
  return result;
}

}  // namespace

bool is_storage(std::string_view word) {
  return is_one_of(word, {"static", "extern", "inline", "__device__", "thread_local", "__inline__"});
}
bool takes_parentheses(std::string_view word) {
  return is_one_of(word, {"alignas", "__align__", "__attribute__", "__builtin_align__", "decltype", "__typeof__",
                          "typeof", "__declspec"});
}
SharedWords shared_words_of(const std::vector<Macro>& macros) {
  SharedWords result{{"__shared__", {"typedef", false}}};
  for (const Macro& macro : macros) {
    if (macro.has_parameters || macro.name == "__shared__") continue;
    SharedWord word = shared_word_of(macro.body, result);
    if (!word.text.empty()) result.emplace(macro.name, std::move(word));
  }
  return result;
}

}  // namespace negzero::source

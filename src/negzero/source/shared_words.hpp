// The words that put a variable in shared memory: __shared__, and macros that are short for it.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/parts.hpp>

namespace negzero::source {

/// Words that are __shared__ with other qualifiers, and what each becomes: "typedef", "typedef __align__(16)".
struct SharedWord {
  std::string text;
  bool is_extern = false;
};
using SharedWords = std::map<std::string_view, SharedWord>;

/// Returns __shared__ itself and the macros without parameters whose bodies have but qualifiers, one of them such a
/// word.
[[nodiscard]] SharedWords shared_words_of(const std::vector<Macro>& macros);

/// Whether a word is a storage class, or __device__: a type's declaration cannot have it.
[[nodiscard]] bool is_storage(std::string_view word);
/// Whether parentheses behind a word belong to it among specifiers: alignas(16), decltype(x).
[[nodiscard]] bool takes_parentheses(std::string_view word);

}  // namespace negzero::source

// Applies edits in one pass from the front.

#include <algorithm>
#include <tuple>

#include <negzero/source/edit.hpp>

namespace negzero::source {

std::string edited(std::string_view text, std::span<const Edit> edits) {
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    result += text.substr(at, edit.at - at);
    result += edit.text;
    at = edit.at + edit.length;
  }
  result += text.substr(at);
  return result;
}

void put_in_order(std::vector<Edit>& edits) {
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return std::tuple(edit.at, edit.length > 0); });
}

std::size_t place_before(std::span<const Edit> edits, std::size_t place) {
  std::size_t shifted = 0, original = 0;  // where the last edit ended, in the edited text and in the original one
  for (const Edit& edit : edits) {
    const std::size_t begin = shifted + (edit.at - original);
    if (place < begin) break;
    if (place < begin + edit.text.size()) return edit.at;
    shifted = begin + edit.text.size();
    original = edit.at + edit.length;
  }
  return original + (place - shifted);
}

}  // namespace negzero::source

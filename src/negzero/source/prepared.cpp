// Merges the edits of the parts, which are each in order.

#include <algorithm>
#include <iterator>

#include <negzero/source/conversions.hpp>
#include <negzero/source/device_words.hpp>
#include <negzero/source/launch_calls.hpp>
#include <negzero/source/launches.hpp>
#include <negzero/source/prepared.hpp>
#include <negzero/source/shared.hpp>
#include <negzero/source/special_registers.hpp>

namespace negzero::source {
Prepared host_edits(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  Prepared result;
  for (Prepared part :
       {shared_edits(text, tokens), launch_edits(text, tokens), device_word_edits(text, tokens),
        special_register_edits(text, tokens), launch_call_edits(text, tokens), conversion_edits(text, tokens)}) {
    std::ranges::move(part.edits, std::back_inserter(result.edits));
    std::ranges::move(part.notes, std::back_inserter(result.notes));
  }
  put_in_order(result.edits);
  // A shared variable that is called threadIdx has edits of two parts: the first one counts.
  std::vector<Edit> apart;
  std::size_t end = 0;
  for (Edit& edit : result.edits) {
    if (edit.at < end) continue;
    end = edit.at + edit.length;
    apart.push_back(std::move(edit));
  }
  result.edits = std::move(apart);
  return result;
}

}  // namespace negzero::source

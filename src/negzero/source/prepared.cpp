// Merges the edits of the parts, which are each in order.

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <negzero/source/device_words.hpp>
#include <negzero/source/launches.hpp>
#include <negzero/source/prepared.hpp>
#include <negzero/source/shared.hpp>
#include <negzero/source/special_registers.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {
namespace {

/// A launch in a kernel is an error whose text is this name.
void refuse_dynamic_parallelism(std::string_view text, std::span<const Token> tokens, std::vector<Edit>& launches) {
  constexpr std::string_view kLaunch = "::negzero::launch_of(";
  if (launches.empty()) return;
  for (const Unit& unit : units_of(text, tokens).units) {
    const bool is_host = text.substr(unit.begin, unit.end - unit.begin).find("__host__") != std::string_view::npos;
    if (!unit.is_device || is_host) continue;
    for (Edit& edit : launches) {
      if (edit.at < unit.begin || edit.at >= unit.end || !edit.text.starts_with(kLaunch)) continue;
      edit.text.replace(0, kLaunch.size(), "::negzero::dynamic_parallelism_is_not_there(");
    }
  }
}

}  // namespace

Prepared host_edits(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  Prepared result, launches = launch_edits(text, tokens);
  refuse_dynamic_parallelism(text, tokens, launches.edits);
  for (Prepared part : {shared_edits(text, tokens), std::move(launches), device_word_edits(text, tokens),
                        special_register_edits(text, tokens)}) {
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

// Fuzzes the source step: any bytes are tokens, and all edits keep every line.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/device_words.hpp>
#include <negzero/source/extension_text.hpp>
#include <negzero/source/launches.hpp>
#include <negzero/source/left_out.hpp>
#include <negzero/source/prepared.hpp>
#include <negzero/source/shared.hpp>
#include <negzero/source/signatures.hpp>
#include <negzero/source/units.hpp>

#include "require.hpp"

namespace {

using namespace negzero;

/// Requires of edits what Edit says, and returns the text with them.
std::string checked(std::string_view text, const std::vector<source::Edit>& edits) {
  std::size_t end = 0;
  for (const source::Edit& edit : edits) {
    fuzz::require(edit.at >= end && edit.at + edit.length <= text.size(), "edits do not overlap");
    fuzz::require(text.substr(edit.at, edit.length).find('\n') == std::string_view::npos, "no line's end is deleted");
    fuzz::require(edit.text.find('\n') == std::string::npos, "no line is added");
    end = edit.at + edit.length;
  }
  std::string after = source::edited(text, edits);
  fuzz::require(std::ranges::count(after, '\n') == std::ranges::count(text, '\n'), "lines keep their numbers");
  std::size_t last = 0;
  for (std::size_t place = 0; place <= after.size(); ++place) {
    const std::size_t before = source::place_before(edits, place);
    fuzz::require(before >= last && before <= text.size(), "places go forward");
    last = before;
  }
  return after;
}

void check(std::string_view text, const source::Prepared& prepared) {
  (void)source::tokens_of(checked(text, prepared.edits));
  for (const std::string& note : prepared.notes) fuzz::require(note.starts_with("line "), "a note names its place");
}

/// The lines of conditionals, which are kept whole.
std::string conditionals(std::string_view text) {
  std::string result;
  for (const source::Token& token : source::tokens_of(text)) {
    if (token.is_directive && token.text.find("if") != std::string_view::npos) result += token.text;
  }
  return result;
}

void check_units(std::string_view text, const std::vector<source::Token>& tokens) {
  const source::Units found = source::units_of(text, tokens);
  std::size_t end = 0;
  for (const source::Unit& unit : found.units) {
    fuzz::require(unit.begin >= end && unit.end > unit.begin && unit.end <= text.size(), "units are in order");
    fuzz::require(unit.is_device || !unit.is_kernel, "a kernel is of the device");
    end = unit.end;
  }
  for (const source::Extent& body : found.bodies) {
    fuzz::require(text.at(body.begin) == '{' && text.at(body.end - 1) == '}', "bodies are in braces");
  }
  // All units would take too long: each is checked by itself, whichever others there are.
  for (std::size_t i = 0; i < std::min<std::size_t>(found.units.size(), 3); ++i) {
    const source::Unit& unit = found.units[i];
    const std::string after = checked(text, source::left_out(text, unit));
    const std::string_view whole = text.substr(unit.begin, unit.end - unit.begin);
    if (whole.find("pragma") != std::string_view::npos || whole.find("include") != std::string_view::npos) continue;
    const std::string kept = after.substr(unit.begin, whole.size() - (text.size() - after.size()));
    fuzz::require(conditionals(kept) == conditionals(whole), "conditionals are kept");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<source::Token> tokens = source::tokens_of(text);
  std::string joined;
  for (const source::Token& token : tokens) joined += token.text;
  fuzz::require(joined == text, "tokens are the text");
  check(text, source::launch_edits(text, tokens));
  check(text, source::shared_edits(text, tokens));
  check(text, source::device_word_edits(text, tokens));
  check(text, source::host_edits(text));
  check_units(text, tokens);
  for (const source::KernelSignature& function : source::functions_of_tensors(text, tokens)) {
    fuzz::require(!function.name.empty() && function.line > 0, "a function has a name and a line");
  }
  if (const std::string extension = source::extension_text(text); !extension.empty()) {
    fuzz::require(std::ranges::count(extension, '\n') == std::ranges::count(text, '\n'), "lines of a module are kept");
  }
  for (const source::KernelSignature& kernel : source::kernels_of(text, tokens)) {
    fuzz::require(!kernel.name.empty() && kernel.line > 0, "a kernel has a name and a line");
  }
  return 0;
}

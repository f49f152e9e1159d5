// Fuzzes the source step: any bytes are tokens, and the edits of launches keep every line.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/launches.hpp>

#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace negzero;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<source::Token> tokens = source::tokens_of(text);
  std::string joined;
  for (const source::Token& token : tokens) joined += token.text;
  fuzz::require(joined == text, "tokens are the text");
  const auto edits = source::launch_edits(text, tokens);
  if (!edits) {
    fuzz::require(edits.error().message.starts_with("line "), "a mistake names its place");
    return 0;
  }
  const std::string after = source::edited(text, *edits);
  fuzz::require(std::ranges::count(after, '\n') == std::ranges::count(text, '\n'), "lines keep their numbers");
  std::size_t last = 0;
  for (std::size_t place = 0; place <= after.size(); ++place) {
    const std::size_t before = source::place_before(*edits, place);
    fuzz::require(before >= last && before <= text.size(), "places go forward");
    last = before;
  }
  return 0;
}

// Hints as lines for people.

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/contract/fields.hpp>
#include <negzero/judgement/hints.hpp>

namespace negzero::judgement {
namespace {

using verdict::Hint;

/// Lines for people.
constexpr std::size_t kMostLines = 3;

/// The fields that the words of a hint change.
std::vector<std::string_view> fields_of(std::string_view words) {
  constexpr std::string_view kAnd = " and ";
  std::vector<std::string_view> result;
  while (true) {
    result.push_back(words.substr(0, words.find(' ')));
    const std::size_t end = words.find(kAnd);
    if (end == std::string_view::npos) break;
    words.remove_prefix(end + kAnd.size());
  }
  std::ranges::sort(result);
  return result;
}

/// What people read of hints that have one line.
struct Spoken {
  int number = 0;
  std::vector<std::string> words{};
  std::vector<std::vector<std::string_view>> fields{};
};

std::string text_of(const Spoken& line) {
  std::string meanings;
  std::vector<std::string_view> said;
  for (const auto& fields : line.fields) {
    for (const std::string_view name : fields) {
      if (std::ranges::find(said, name) != said.end()) continue;
      said.push_back(name);
      meanings += fmt::format(" {}", std::ranges::find(contract::fields(), name, &contract::Field::name)->meaning);
    }
  }
  return fmt::format("permitted under {}: declare it if the kernel does that.{}", fmt::join(line.words, " or "),
                     meanings);
}

}  // namespace

std::vector<std::string> hint_lines(std::span<const Hint> hints) {
  std::vector<Spoken> lines;
  for (const Hint& hint : hints) {
    const auto fields = fields_of(hint.words);
    const bool is_loose = hint.words.ends_with(" \"either\"") || hint.words.ends_with(" \"any\"");
    // What needs no more fields than this one; in the same line fewer, or the same where this one leaves the value
    // open.
    const bool is_said = std::ranges::any_of(lines, [&](const Spoken& line) {
      return std::ranges::any_of(line.fields, [&](const auto& fewer) {
        const bool is_less = line.number != hint.line || fewer.size() < fields.size() || is_loose;
        return is_less && std::ranges::includes(fields, fewer);
      });
    });
    if (is_said) continue;
    if (lines.empty() || lines.back().number != hint.line) {
      if (lines.size() == kMostLines) break;
      lines.push_back({.number = hint.line});
    }
    lines.back().words.push_back(hint.words);
    lines.back().fields.push_back(fields);
  }
  std::vector<std::string> result;
  for (const Spoken& line : lines) result.push_back(text_of(line));
  return result;
}

}  // namespace negzero::judgement

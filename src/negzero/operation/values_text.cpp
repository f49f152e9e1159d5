// Ranges of values as text.

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <negzero/operation/values.hpp>

namespace negzero::operation {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// A number that is no NaN; nothing where the text is none.
std::optional<double> number_of(std::string_view text) {
  text = without_blanks(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || std::isnan(number)) return std::nullopt;
  return number;
}

/// "-1e4..1e4", ">= 0", "<= 1e4", "= 1": one bound or both.
bool read_bounds(std::string_view text, ValueRange& range) {
  const auto read = [](std::string_view from, double& end) {
    const auto number = number_of(from);
    if (number) end = *number;
    return number.has_value();
  };
  if (text.find("...") != std::string_view::npos) return false;
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    const std::string_view low = without_blanks(text.substr(0, dots)), high = without_blanks(text.substr(dots + 2));
    return (low.empty() || read(low, range.least)) && (high.empty() || read(high, range.greatest));
  }
  if (text.starts_with(">=")) return read(text.substr(2), range.least);
  if (text.starts_with("<=")) return read(text.substr(2), range.greatest);
  if (!read(text, range.least)) return false;
  range.greatest = range.least;
  return true;
}

}  // namespace

std::string describe(const ValueRange& range) {
  const bool is_bounded_below = !std::isinf(range.least), is_bounded_above = !std::isinf(range.greatest);
  std::string text = is_bounded_below && is_bounded_above ? fmt::format("from {} to {}", range.least, range.greatest)
                     : is_bounded_below                   ? fmt::format("at least {}", range.least)
                     : is_bounded_above                   ? fmt::format("at most {}", range.greatest)
                                                          : "any number";
  constexpr std::string_view kSpecials[] = {"", " or inf", " or -inf", " or an infinity"};
  text += kSpecials[static_cast<std::size_t>(range.infinities)];
  return range.nan ? text + " or NaN" : text;
}

base::Result<NamedRange> parse_range(std::string_view text) {
  const std::string_view whole = without_blanks(text);
  const auto wrong = [&](std::string_view why) {
    return base::usage_error(
        fmt::format("values '{}': {}; write x -1e4..1e4, x >= 0 or x <= 1e4, and inf=yes, inf=positive, inf=negative "
                    "or nan=yes behind it",
                    whole, why));
  };
  NamedRange result;
  text = whole;
  const std::size_t name_end = std::min(text.find_first_of(" \t=<>"), text.size());
  result.name = text.substr(0, name_end);
  if (result.name.empty()) return wrong("the name of a tensor is missing");
  text = without_blanks(text.substr(name_end));
  if (text.starts_with('=')) text = without_blanks(text.substr(1));
  // Words behind the bounds, last to first.
  for (std::size_t blank; (blank = text.find_last_of(" \t")) != std::string_view::npos;) {
    const std::string_view word = text.substr(blank + 1);
    if (word.starts_with("inf=")) {
      const auto known = kInfinityWords.parse(word.substr(4));
      if (!known) return wrong(fmt::format("inf={} is none of {}", word.substr(4), kInfinityWords.list()));
      result.range.infinities = *known;
    } else if (word == "nan=yes" || word == "nan=no") {
      result.range.nan = word == "nan=yes";
    } else {
      break;
    }
    text = without_blanks(text.substr(0, blank));
  }
  if (text.empty()) return wrong("its bounds are missing");
  const bool is_read = read_bounds(text, result.range);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!is_read || result.range.least == kInfinity || result.range.greatest == -kInfinity)
    return wrong(fmt::format("'{}' is not a range of numbers", text));
  if (result.range.least > result.range.greatest) {
    return wrong(fmt::format("its least {} is above its greatest {}", result.range.least, result.range.greatest));
  }
  return result;
}

}  // namespace negzero::operation

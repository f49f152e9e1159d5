// Colours of lines on a terminal: one table of what begins a line decides.

#include <algorithm>
#include <cstdlib>

#include <fmt/color.h>

#include <negzero/cli/color.hpp>

namespace negzero::cli {

namespace {

struct Beginning {
  std::string_view text;
  Style style;
};
/// The first that fits decides. Words of a finding are followed by spaces up to their column.
constexpr Beginning kBeginnings[] = {
    {"FAIL ", Style::Finding},
    {"ERROR ", Style::Finding},
    {"negzero: ", Style::Finding},
    {"found  ", Style::Finding},
    {"none ", Style::Warning},
    {"warning: ", Style::Warning},
    {"  warning  ", Style::Warning},
    {"no   ", Style::Warning},
    {"ok   ", Style::Pass},
    {"skip ", Style::Secondary},
    {"  rule  ", Style::Secondary},
    {"             [", Style::Secondary},
    {"  contract  ", Style::Secondary},
    {"  replay  ", Style::Secondary},
    {"  as found  ", Style::Secondary},
    {"  also  ", Style::Secondary},
    {"  smaller  ", Style::Secondary},
    {"strategies: ", Style::Secondary},
    {"kept of cases made: ", Style::Secondary},
    {"shrinking ", Style::Secondary},
    {"  show it with ", Style::Secondary},
};

/// Counts of a kernel, and sums at the end: these begin with a name or a number.
Style style_of_counts(std::string_view line) {
  const auto has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
  // Below the row of a kernel, as far to the right as its counts.
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (begin > 2 && line.substr(begin).starts_with("warning: ")) return Style::Warning;
  const bool counts = has(" cases  ") && has(" pass");
  const bool sums = has(" executor") || has(" of all shards together") || has(" verdict");
  if (!counts && !sums) return Style::Plain;
  if (has(": no finding")) return Style::Pass;
  if (has(" finding") || has(" FAIL") || has(" not as expected")) return Style::Finding;
  return has("nothing was decided") || has("  0 pass") || has(" error") ? Style::Warning : Style::Pass;
}

}  // namespace

Style style_of(std::string_view line) {
  const auto* const found =
      std::ranges::find_if(kBeginnings, [&](const Beginning& each) { return line.starts_with(each.text); });
  return found != std::end(kBeginnings) ? found->style : style_of_counts(line);
}

std::string styled(std::string_view line, Style style) {
  constexpr fmt::terminal_color kRed = fmt::terminal_color::red, kYellow = fmt::terminal_color::yellow,
                                kGreen = fmt::terminal_color::green;
  const fmt::text_style kStyles[] = {{}, fmt::fg(kRed), fmt::fg(kYellow), fmt::fg(kGreen), fmt::emphasis::faint};
  if (style == Style::Plain || line.empty()) return std::string(line);
  return fmt::format(kStyles[static_cast<std::size_t>(style)], "{}", line);
}

std::string colored(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += styled(text.substr(0, end), style_of(text.substr(0, end)));
    if (end < text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

bool wants_color(std::string_view word, bool is_terminal) {
  if (word != "auto") return word == "always";
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return is_terminal && !is_dumb && (refused == nullptr || *refused == '\0');
}

}  // namespace negzero::cli

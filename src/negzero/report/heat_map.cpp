// Matrices as tables whose cells are coloured by what they hold.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/report/escape.hpp>
#include <negzero/report/heat_map.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::report {

namespace {

using campaign::Grid;
using campaign::JudgedElement;
using campaign::Observation;

constexpr int kShades = 5;
/// Grids of at most so many elements show bits beside values.
constexpr std::size_t kMostWithBits = 64;
/// Permitted sets that are spelt out.
constexpr std::size_t kMostSpelt = 8;

struct Cell {
  std::string shade;  ///< a class
  std::string text;
  std::string title{};  ///< shown beside; empty: nothing
};

/// The rows of the matrix are numbered by the coordinates of all dimensions but the last.
std::string row_label(const Grid& grid, std::int64_t row) {
  if (grid.shape.size() < 2) return "";
  const std::vector<std::int64_t> outer(grid.shape.begin(), grid.shape.end() - 1);
  return fmt::format("{}", fmt::join(tensor::coordinates_of(outer, grid.first_row + row), ", "));
}

std::string table(const std::string& caption, const Grid& grid, const std::function<Cell(std::size_t)>& cell,
                  const std::string& below = "") {
  std::string text = fmt::format("<figure><figcaption>{}</figcaption>", escape_markup(caption));
  if (grid.words.empty()) return text + "<p>no elements</p></figure>\n";
  text += "<div class=\"scroll\"><table class=\"map\"><tr><td></td>";
  for (std::int64_t column = 0; column < grid.columns; ++column) {
    text += fmt::format("<th scope=\"col\">{}</th>", grid.first_column + column);
  }
  std::size_t at = 0;
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    text += fmt::format("</tr>\n<tr><th scope=\"row\">{}</th>", row_label(grid, row));
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      const Cell one = cell(at++);
      text += fmt::format("<td class=\"{}\">{}", one.shade, escape_markup(one.text));
      if (!one.title.empty()) text += fmt::format("<small>{}</small>", escape_markup(one.title));
      text += "</td>";
    }
  }
  return text + "</tr></table></div>" + below + "</figure>\n";
}

/// Colours of values, on a scale that all of them share.
class Shades {
 public:
  Shades(const number::Format& format, const std::vector<std::optional<std::uint64_t>>& words) : format_(format) {
    for (const auto& word : words) {
      if (!word) continue;
      const double magnitude = std::abs(number::to_double(format, *word));
      if (magnitude == 0 || !std::isfinite(magnitude)) continue;
      const double power = std::log2(magnitude);
      least_ = any_ ? std::min(least_, power) : power;
      greatest_ = any_ ? std::max(greatest_, power) : power;
      any_ = true;
    }
  }

  [[nodiscard]] std::string of(std::uint64_t word) const {
    if (number::is_nan(format_, word) || number::is_infinity(format_, word)) return "special";
    if (number::is_zero(format_, word)) return "zero";
    const double power = std::log2(std::abs(number::to_double(format_, word)));
    const double part = greatest_ > least_ ? (power - least_) / (greatest_ - least_) : 0.5;
    const int shade = 1 + static_cast<int>(std::lround(part * (kShades - 1)));
    return fmt::format("{}{}", number::is_negative(format_, word) ? 'n' : 'p', shade);
  }

 private:
  const number::Format& format_;
  bool any_ = false;
  double least_ = 0, greatest_ = 0;
};

std::string words_table(const std::string& caption, const Grid& grid,
                        const std::vector<std::optional<std::uint64_t>>& words) {
  const number::Format& format = number::format(grid.format);
  const Shades shades(format, words);
  const bool with_bits = words.size() <= kMostWithBits && !format.is_integer();
  return table(caption, grid, [&](std::size_t at) -> Cell {
    if (!words[at]) return {"none", "-"};
    return {shades.of(*words[at]), number::to_decimal(format, *words[at]),
            with_bits ? number::to_hex(format, *words[at]) : ""};
  });
}

Cell error_cell(const number::Format& format, std::uint64_t observed, const JudgedElement& judged) {
  if (!judged.exact) return {"none", "-"};
  const std::uint64_t exact = *judged.exact;
  const number::UlpDistance distance = number::ulp_distance(format, observed, exact);
  if (distance.kind == number::UlpDistance::Kind::BothNan) return {"e0", "0"};
  if (distance.kind == number::UlpDistance::Kind::OnlyOneNan) return {"special", "NaN"};
  if (distance.steps == 0) return observed == exact ? Cell{"e0", "0"} : Cell{"e1", "sign"};
  // 1, up to 4, 2^8, 2^16, more: a rounding, some roundings, another order, wrong digits, another number.
  constexpr std::uint64_t kBounds[] = {1, 4, 1 << 8, 1 << 16};
  const auto shade = std::ranges::lower_bound(kBounds, distance.steps) - std::begin(kBounds) + 1;
  constexpr std::uint64_t kMostDigits = 10'000'000;
  return {fmt::format("e{}", shade), distance.steps < kMostDigits
                                         ? std::to_string(distance.steps)
                                         : fmt::format("2^{:.1f}", std::log2(static_cast<double>(distance.steps)))};
}

}  // namespace

std::string grid_name(const Grid& grid) {
  std::string text = fmt::format("{} {}[{}]", grid.name, number::format(grid.format).name, fmt::join(grid.shape, ", "));
  if (grid.is_whole()) return text;
  return text + fmt::format(", of {} x {} only rows {} to {} and columns {} to {}", grid.all_rows, grid.all_columns,
                            grid.first_row, grid.first_row + grid.rows - 1, grid.first_column,
                            grid.first_column + grid.columns - 1);
}

std::string value_map(const std::string& caption, const Grid& grid) {
  return words_table(caption, grid, {grid.words.begin(), grid.words.end()});
}

std::string exact_map(const Observation& observation) {
  std::vector<std::optional<std::uint64_t>> words;
  for (const JudgedElement& judged : observation.judged) words.push_back(judged.exact);
  return words_table("exact result, rounded to nearest", observation.output, words);
}

std::string error_map(const Observation& observation) {
  const Grid& grid = observation.output;
  const number::Format& format = number::format(grid.format);
  return table("error in ulps", grid,
               [&](std::size_t at) { return error_cell(format, grid.words[at], observation.judged[at]); });
}

std::string permitted_map(const Observation& observation) {
  const Grid& grid = observation.output;
  const number::Format& format = number::format(grid.format);
  std::string below;
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < observation.judged.size(); ++at) {
    const JudgedElement& judged = observation.judged[at];
    if (judged.is_permitted || wrong++ >= kMostSpelt) continue;
    const auto columns = static_cast<std::size_t>(grid.columns);
    const std::int64_t element =
        grid.element(static_cast<std::int64_t>(at / columns), static_cast<std::int64_t>(at % columns));
    below += fmt::format("<li><code>{}</code></li>",
                         escape_markup(fmt::format("{}[{}] = {}, permitted {}", grid.name,
                                                   fmt::join(tensor::coordinates_of(grid.shape, element), ", "),
                                                   number::with_bits(format, grid.words[at]), judged.permitted)));
  }
  if (wrong > kMostSpelt) below += fmt::format("<li>and {} more</li>", wrong - kMostSpelt);
  if (!below.empty()) below = "<ul>" + below + "</ul>";
  return table(
      "permitted", grid,
      [&](std::size_t at) {
        return observation.judged[at].is_permitted ? Cell{"yes", "yes"} : Cell{"no", "no"};
      },
      below);
}

}  // namespace negzero::report

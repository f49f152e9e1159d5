// Transposes and reversals, which round nothing, and softmax, whose rows are of one tensor.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <negzero/measure/candidate.hpp>
#include <negzero/measure/reference_lines.hpp>

namespace negzero::measure {
namespace {

using Values = std::vector<double>;

/// A function of one tensor, by its name in negzero/cuda/references.cuh.
struct Move {
  const char* name;
  bool is_of_rows;  ///< it takes rows and columns, else one count
  bool is_rounded;
  Values (*value)(const Values& x, std::int64_t rows, std::int64_t columns);
};

Values transposed(const Values& x, std::int64_t rows, std::int64_t columns) {
  Values y(x.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      y[static_cast<std::size_t>(j * rows + i)] = x[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return y;
}

Values softmax(const Values& x, std::int64_t rows, std::int64_t columns) {
  Values y(x.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto begin = x.begin() + i * columns, end = begin + columns;
    const double most = *std::max_element(begin, end);
    const double sum =
        std::accumulate(begin, end, 0.0, [&](double all, double each) { return all + std::exp(each - most); });
    std::transform(begin, end, y.begin() + i * columns, [&](double each) { return std::exp(each - most) / sum; });
  }
  return y;
}

constexpr Move kMoves[] = {{"transpose", true, false, transposed},
                           {"softmax", true, true, softmax},
                           {"reverse", false, false,
                            [](const Values& x, std::int64_t, std::int64_t) { return Values(x.rbegin(), x.rend()); }}};

void add(std::vector<Candidate>& candidates, const Move& move, std::size_t input, std::optional<std::size_t> rows,
         std::size_t columns) {
  Candidate result{.says = move.name, .tolerance = move.is_rounded ? 1e-4 : 0};
  result.expected = [=](const Observation& each) {
    return move.value(each.given.contents.at(input), rows ? each.given.extents.at(*rows) : 1,
                      each.given.extents.at(columns));
  };
  result.text = [move, input, rows, columns](const Measured& seen, const std::string& name) {
    ReferenceLines lines(seen, name, {input});
    const std::string sizes =
        move.is_of_rows ? fmt::format("{}, {}", rows ? lines.word(*rows) : "1", lines.word(columns)) : lines.count();
    return lines.text(move.name, sizes, move.is_rounded ? "-30..30" : "..",
                      move.is_rounded ? "ulps=4 relative=2e-7" : "ulps=0");
  };
  candidates.push_back(std::move(result));
}

}  // namespace

void add_moves(const Measured& measured, std::vector<Candidate>& candidates) {
  const Probe& probe = measured.probe;
  const std::vector<std::size_t> inputs = probe.read();
  if (probe.treatment == Treatment::Zeroed || inputs.size() != 1 || measured.parameter(inputs.front()).is_integer())
    return;
  const std::vector<std::size_t>&in = measured.factors(inputs.front()), &out = measured.factors(probe.outputs.front());
  if (in != out || in.empty() || in.size() > 2) return;
  for (const Move& move : kMoves) {
    if (in.size() == 1) {
      if (std::string_view(move.name) != "transpose") add(candidates, move, inputs.front(), {}, in[0]);
      continue;
    }
    if (!move.is_of_rows) continue;
    add(candidates, move, inputs.front(), in[0], in[1]);
    if (in[0] != in[1]) add(candidates, move, inputs.front(), in[1], in[0]);
  }
}

}  // namespace negzero::measure

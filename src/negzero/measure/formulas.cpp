// Products of sizes, products and a constant, and what windows leave.

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/measure/formulas.hpp>

namespace negzero::measure {
namespace {

/// Products of up to three factors, none there more than twice, and of four that differ: those of fewer factors first.
std::vector<Places> products_of(const Places& sizes) {
  std::vector<Places> result{{}};
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].size() == 4) break;
    for (const std::size_t place : sizes) {
      if (!result[i].empty() && place < result[i].back()) continue;
      Places more = result[i];
      more.push_back(place);
      const auto same = std::ranges::count(more, place);
      const bool repeats = std::ranges::adjacent_find(more) != more.end();
      if (same > 2 || (repeats && more.size() > 3)) continue;
      result.push_back(std::move(more));
    }
  }
  return result;
}

}  // namespace

std::vector<Formula> formulas_of(const Callee& callee) {
  std::vector<Formula> result;
  const Places sizes = callee.places_of(Parameter::Role::Size);
  const std::vector<Places> products = products_of(sizes);
  const auto add_product = [&](const Places& product, std::int64_t times) {
    const Length length{product, times};
    result.push_back({length, [length](const Extents& at) { return value_of(length, at); }});
  };
  for (const Places& product : products) add_product(product, 1);
  for (const Places& product : products) {
    for (const int times : {2, 3, 4}) add_product(product, times);
  }
  const auto name = [&](std::size_t place) { return callee.parameters[place].name; };
  for (const Places& product : products) {
    std::vector<std::string> names;
    for (const std::size_t place : product) names.push_back(name(place));
    const std::string words = product.empty() ? "1" : fmt::format("{}", fmt::join(names, " * "));
    for (const int more : {1, 2, -1}) {
      result.push_back({{product, 1, fmt::format("{} {} {}", words, more < 0 ? "-" : "+", std::abs(more))},
                        [product, more](const Extents& at) { return value_of({product}, at) + more; }});
    }
  }
  for (const std::size_t a : sizes) {
    for (const std::size_t b : sizes) {
      if (a == b) continue;
      result.push_back({{{a, b}, 1, fmt::format("{} + {} - 1", name(a), name(b))},
                        [a, b](const Extents& at) { return at.at(a) + at.at(b) - 1; }});
      result.push_back({{{a, b}, 1, fmt::format("{} - {} + 1", name(a), name(b))},
                        [a, b](const Extents& at) { return at.at(a) - at.at(b) + 1; }});
    }
  }
  return result;
}

}  // namespace negzero::measure

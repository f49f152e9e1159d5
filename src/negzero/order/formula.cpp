// Formulas of one length that say how deep the tree of a sum is.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/order/formula.hpp>

namespace negzero::order {

namespace {

constexpr std::int64_t kMostBlock = 1024, kMostConstant = 96;

/// What varies with the length, without the constant: the text of it has `{n}` for the length.
struct Shape {
  std::string text{};
  std::function<std::int64_t(std::int64_t)> value{};
  std::optional<std::int64_t> constant{};  ///< what belongs to it; nothing: whatever fits
};

std::vector<Shape> powers_of(const std::function<void(std::int64_t, std::vector<Shape>&)>& add) {
  std::vector<Shape> shapes;
  for (std::int64_t block = 2; block <= kMostBlock; block *= 2) add(block, shapes);
  return shapes;
}

/// All shapes, simplest first. Those that have a constant of their own follow from a way to add.
std::vector<Shape> shapes() {
  std::vector<Shape> all{{"{n}", [](std::int64_t n) { return n; }, -1},
                         {"ceil_log2({n})", [](std::int64_t n) { return ceil_log2(n); }, 0},
                         {"", [](std::int64_t) { return std::int64_t{0}; }, std::nullopt}};
  const auto append = [&](std::vector<Shape> more) { std::ranges::move(more, std::back_inserter(all)); };
  append(powers_of([](std::int64_t t,
                      std::vector<Shape>& to) {  // chains in t lanes, joined by pairs; or blocks by pairs, in a chain
    to.push_back({fmt::format("ceil_div({{n}}, {0}) + ceil_log2(min({{n}}, {0}))", t),
                  [t](std::int64_t n) { return ceil_div(n, t) + ceil_log2(std::min(n, t)); }, -1});
  }));
  append(powers_of([](std::int64_t t, std::vector<Shape>& to) {  // chains of t terms, joined by pairs
    to.push_back({fmt::format("min({{n}}, {0}) + ceil_log2(ceil_div({{n}}, {0}))", t),
                  [t](std::int64_t n) { return std::min(n, t) + ceil_log2(ceil_div(n, t)); }, -1});
  }));
  append(powers_of([](std::int64_t t, std::vector<Shape>& to) {  // chains of t terms, joined by a chain
    to.push_back({fmt::format("min({{n}}, {0}) + ceil_div({{n}}, {0})", t),
                  [t](std::int64_t n) { return std::min(n, t) + ceil_div(n, t); }, -2});
  }));
  append(powers_of([](std::int64_t t, std::vector<Shape>& to) {  // t terms at once, one such step after the other
    to.push_back({fmt::format("ceil_div({{n}}, {0})", t), [t](std::int64_t n) { return ceil_div(n, t); }, 0});
  }));
  const auto in_lanes = [&](bool by_pairs) {
    append(powers_of([by_pairs](std::int64_t t, std::vector<Shape>& to) {  // blocks of t terms in v lanes
      for (std::int64_t v = 2; v < t; v *= 2) {
        to.push_back({fmt::format("ceil_div(min({{n}}, {0}), {1}) + ceil_log2(min({{n}}, {1})) + {2}ceil_div({{n}}, "
                                  "{0}){3}",
                                  t, v, by_pairs ? "ceil_log2(" : "", by_pairs ? ")" : ""),
                      [t, v, by_pairs](std::int64_t n) {
                        const std::int64_t blocks = ceil_div(n, t);
                        return ceil_div(std::min(n, t), v) + ceil_log2(std::min(n, v)) +
                               (by_pairs ? ceil_log2(blocks) : blocks);
                      },
                      by_pairs ? -1 : -2});
      }
    }));
  };
  in_lanes(true);
  in_lanes(false);
  all.push_back({"{n}", [](std::int64_t n) { return n; }, std::nullopt});
  all.push_back({"ceil_log2({n})", [](std::int64_t n) { return ceil_log2(n); }, std::nullopt});
  append(powers_of([](std::int64_t t, std::vector<Shape>& to) {
    to.push_back({fmt::format("ceil_div({{n}}, {0})", t), [t](std::int64_t n) { return ceil_div(n, t); }, {}});
  }));
  append(powers_of([](std::int64_t t, std::vector<Shape>& to) {
    to.push_back({fmt::format("ceil_log2(ceil_div({{n}}, {0}))", t),
                  [t](std::int64_t n) { return ceil_log2(ceil_div(n, t)); },
                  {}});
  }));
  all.push_back({"2 * ceil_log2({n})", [](std::int64_t n) { return 2 * ceil_log2(n); }, std::nullopt});
  append(powers_of([](std::int64_t t, std::vector<Shape>& to) {  // up and down a tree in each block
    to.push_back({fmt::format("2 * ceil_log2(min({{n}}, {0})) + ceil_div({{n}}, {0})", t),
                  [t](std::int64_t n) { return 2 * ceil_log2(std::min(n, t)) + ceil_div(n, t); },
                  {}});
  }));
  append(powers_of([](std::int64_t t, std::vector<Shape>& to) {
    for (std::int64_t each = 2; each <= 16; ++each) {  // so many additions a step
      if (each == t) continue;
      to.push_back({fmt::format("{1} * ceil_div({{n}}, {0})", t, each),
                    [t, each](std::int64_t n) { return each * ceil_div(n, t); },
                    {}});
    }
  }));
  return all;
}

std::string text_of(const Shape& shape, std::int64_t constant, std::string_view length_name) {
  std::string text = shape.text;
  for (std::size_t at = 0; (at = text.find("{n}", at)) != std::string::npos;) text.replace(at, 3, length_name);
  if (text.empty()) return fmt::format("{}", constant);
  if (constant == 0) return text;
  return fmt::format("{} {} {}", text, constant < 0 ? '-' : '+', constant < 0 ? -constant : constant);
}

}  // namespace

std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

std::int64_t ceil_log2(std::int64_t a) noexcept {
  return a <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(a - 1));
}

std::optional<Fit> fit(std::span<const DepthAt> depths, std::string_view length_name, std::int64_t more,
                       std::span<const DepthAt> at_least) {
  if (depths.empty()) return std::nullopt;
  std::optional<Fit> best;
  std::int64_t least = 0;             // what the best is above all depths together
  constexpr std::size_t kFewest = 3;  // Of fewer depths some constant fits every shape.
  for (const Shape& shape : shapes()) {
    if (!shape.constant && depths.size() < kFewest) continue;
    std::int64_t lowest = depths[0].depth - shape.value(depths[0].length), highest = lowest;
    for (const DepthAt& each : depths) {
      lowest = std::min(lowest, each.depth - shape.value(each.length));
      highest = std::max(highest, each.depth - shape.value(each.length));
    }
    const std::int64_t constant = shape.constant.value_or(highest);
    if (constant < highest || constant < -4 || constant > kMostConstant) continue;
    std::int64_t above = 0, most_above = 0;
    bool is_near = std::ranges::all_of(
        at_least, [&](const DepthAt& each) { return shape.value(each.length) + constant >= each.depth; });
    for (const DepthAt& each : depths) {
      const std::int64_t here = shape.value(each.length) + constant - each.depth;
      above += here;
      most_above = std::max(most_above, here);
      is_near = is_near && here <= std::max<std::int64_t>(2, each.depth / 4);
    }
    if (!is_near || (best && above >= least)) continue;
    least = above;
    const std::int64_t whole = constant + more;
    best = Fit{
        {text_of(shape, whole, length_name), [value = shape.value, whole](std::int64_t n) { return value(n) + whole; }},
        most_above};
    if (above == 0) break;
  }
  return best;
}

}  // namespace negzero::order

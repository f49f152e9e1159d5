// The least lengths without an access outside, by bisection, and the simplest formula that gives all of them.

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/measure/lengths.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;
using Sizes = std::map<std::size_t, std::int64_t>;

/// A formula of the sizes, simplest first.
struct Formula {
  Length length;
  std::function<std::int64_t(const Sizes&)> value;
};

std::vector<Formula> formulas_of(const Callee& callee) {
  std::vector<Formula> result;
  const std::vector<std::size_t> sizes = callee.places_of(Role::Size);
  std::vector<std::vector<std::size_t>> products{{}};
  const auto add_products = [&](std::size_t factors) {
    for (std::size_t i = 0; i < products.size(); ++i) {
      if (products[i].size() + 1 != factors) continue;
      for (const std::size_t place : sizes) {
        if (!products[i].empty() && place < products[i].back()) continue;
        std::vector<std::size_t> more = products[i];
        more.push_back(place);
        products.push_back(std::move(more));
      }
    }
  };
  for (const std::size_t factors : {1, 2, 3}) add_products(factors);
  for (const std::vector<std::size_t>& product : products) {
    const Length length{product};
    result.push_back({length, [length](const Sizes& at) { return value_of(length, at); }});
  }
  const auto name = [&](std::size_t place) { return callee.parameters[place].name; };
  const auto words = [&](const std::vector<std::size_t>& product) {
    std::vector<std::string> names;
    for (const std::size_t place : product) names.push_back(name(place));
    return product.empty() ? std::string("1") : fmt::format("{}", fmt::join(names, " * "));
  };
  for (const std::vector<std::size_t>& product : products) {
    for (const int times : {2, 3, 4}) {
      result.push_back({{product, fmt::format("{} * {}", times, words(product))},
                        [product, times](const Sizes& at) { return times * value_of({product}, at); }});
    }
    for (const int more : {1, 2, -1}) {
      result.push_back({{product, fmt::format("{} {} {}", words(product), more < 0 ? "-" : "+", std::abs(more))},
                        [product, more](const Sizes& at) { return value_of({product}, at) + more; }});
    }
  }
  for (const std::size_t a : sizes) {
    for (const std::size_t b : sizes) {
      if (a == b) continue;
      result.push_back({{{a, b}, fmt::format("{} + {} - 1", name(a), name(b))},
                        [a, b](const Sizes& at) { return at.at(a) + at.at(b) - 1; }});
      result.push_back({{{a, b}, fmt::format("{} - {} + 1", name(a), name(b))},
                        [a, b](const Sizes& at) { return at.at(a) - at.at(b) + 1; }});
    }
  }
  return result;
}

/// The least lengths at these sizes; nothing where no lengths do.
std::optional<Sizes> least_lengths(Prober& prober, const Probe& probe, const Callee& callee, const Given& given,
                                   std::string& why) {
  std::int64_t all = 1, greatest = 1;
  for (const auto& [place, size] : given.sizes) {
    all *= size;
    greatest = std::max(greatest, size);
  }
  Given now = given;
  for (const std::size_t place : callee.places_of(Role::Pointer)) now.lengths[place] = 4 * all * greatest + 64;
  const Seen roomy = prober.run(probe, now, true);
  why = roomy.why;
  if (roomy.kind == Seen::Kind::TooShort || roomy.kind == Seen::Kind::Uninitialised) return std::nullopt;
  if (roomy.kind == Seen::Kind::Failed && !why.starts_with("data race")) return std::nullopt;
  for (const std::size_t place : callee.places_of(Role::Pointer)) {
    std::int64_t low = 0, high = now.lengths[place];
    while (low < high) {
      now.lengths[place] = (low + high) / 2;
      if (prober.run(probe, now, true).kind == Seen::Kind::TooShort) {
        low = now.lengths[place] + 1;
      } else {
        high = now.lengths[place];
      }
    }
    now.lengths[place] = low;
  }
  return now.lengths;
}

}  // namespace

std::int64_t value_of(const Length& length, const Sizes& sizes) {
  std::int64_t product = 1;
  for (const std::size_t place : length.factors) product *= sizes.at(place);
  return product;
}

Sizes sizes_of_set(const Callee& callee, std::size_t set) {
  // The first one is the greatest: what a window or a selection takes is shorter than what it takes it from.
  constexpr std::array<std::array<std::int64_t, 3>, kSets> kSizes{{{41, 11, 23}, {53, 17, 29}, {37, 13, 19}}};
  Sizes result;
  std::size_t next = 0;
  for (const std::size_t place : callee.places_of(Role::Size)) result[place] = kSizes[set][next++];
  return result;
}

std::optional<std::map<std::size_t, Length>> measured_lengths(Prober& prober, const Probe& probe, const Callee& callee,
                                                              std::string& why) {
  std::array<Sizes, kSets> sizes, lengths;
  for (std::size_t set = 0; set < kSets; ++set) {
    sizes[set] = sizes_of_set(callee, set);
    Given given{.sizes = sizes[set]};
    auto least = least_lengths(prober, probe, callee, given, why);
    if (!least) return std::nullopt;
    lengths[set] = *std::move(least);
  }
  for (const std::size_t place : callee.places_of(Role::Pointer)) {
    if (lengths[0][place] > 0) continue;
    why = fmt::format("of {} nothing is read or written where its inputs are 0", callee.parameters[place].name);
    return std::nullopt;
  }
  // What is read elsewhere for other contents is no function of the sizes.
  Given other{.sizes = sizes[0], .lengths = lengths[0]};
  for (const std::size_t place : probe.inputs) {
    // Integers that no pointer is as long as, were they indices.
    const bool may_be_index = callee.parameters[place].format.starts_with('I');
    const std::int64_t least = may_be_index ? 1000003 : 50;
    for (std::int64_t i = 0; i < lengths[0][place]; ++i) {
      other.contents[place].push_back(static_cast<double>(least + (7 * i + 3) % 1009));
    }
  }
  const Seen seen = prober.run(probe, other, true);
  if (seen.kind == Seen::Kind::TooShort) {
    why = "what it reads or writes depends on what its inputs hold";
    return std::nullopt;
  }
  std::map<std::size_t, Length> result;
  const std::vector<Formula> formulas = formulas_of(callee);
  for (const std::size_t place : callee.places_of(Role::Pointer)) {
    const auto fits = [&](const Formula& formula) {
      for (std::size_t set = 0; set < kSets; ++set) {
        if (formula.value(sizes[set]) != lengths[set][place]) return false;
      }
      return true;
    };
    const auto found = std::ranges::find_if(formulas, fits);
    if (found == formulas.end()) {
      why = fmt::format("of {} it uses {}, {} and {} elements, which no formula of its sizes gives",
                        callee.parameters[place].name, lengths[0][place], lengths[1][place], lengths[2][place]);
      return std::nullopt;
    }
    result[place] = found->length;
  }
  return result;
}

}  // namespace negzero::measure

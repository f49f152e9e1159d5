// Which extents are tied, and the way from any extents to such that keep what is said of them together.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::operation {
namespace {

/// Beyond this a least common multiple is no extent's.
constexpr std::int64_t kNoMultiple = 2 * tensor::kMaxElements;

std::int64_t common_multiple(std::int64_t a, std::int64_t b) {
  const std::int64_t factor = b / std::gcd(a, b);
  return factor > kNoMultiple / a ? kNoMultiple : a * factor;
}

/// The greatest x whose power x^times is at most `most`; at least 0.
std::int64_t root(std::int64_t most, std::size_t times) {
  const auto fits = [&](std::int64_t x) {
    std::int64_t power = 1;
    for (std::size_t i = 0; i < times; ++i) {
      if (__builtin_mul_overflow(power, x, &power) || power > most) return false;
    }
    return true;
  };
  std::int64_t low = 0, high = most;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// An extent, or several that have one value.
struct Factor {
  EqualExtents extents;
  ExtentLimit limit;
  std::size_t times = 0;  ///< in the product that is looked at
};

std::vector<Factor> factors_of(const Limits& limits, const notation::Signature& signature,
                               const std::vector<EqualExtents>& groups) {
  std::vector<Factor> factors;
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    const auto holds = [&](const EqualExtents& group) { return std::ranges::find(group, e) != group.end(); };
    const auto group = std::ranges::find_if(groups, holds);
    if (group != groups.end() && group->front() != e) continue;
    Factor factor{group == groups.end() ? EqualExtents{e} : *group, limits.extents[signature.extents[e]]};
    for (const std::size_t other : factor.extents) {
      factor.limit = common(factor.limit, limits.extents[signature.extents[other]]);
    }
    factors.push_back(std::move(factor));
  }
  return factors;
}

void shrink_to(const ProductLimit& product, std::span<std::int64_t> extents, const notation::Signature& signature,
               std::vector<Factor>& factors) {
  for (Factor& factor : factors) {
    factor.times = static_cast<std::size_t>(std::ranges::count_if(product.of, [&](const std::string& name) {
      const auto place = signature.find_extent(name);
      return place && std::ranges::find(factor.extents, *place) != factor.extents.end();
    }));
  }
  while (product_of(product, signature, extents) > product.max) {
    Factor* greatest = nullptr;
    for (Factor& factor : factors) {
      const std::int64_t value = extents[factor.extents.front()];
      if (factor.times == 0 || !factor.limit.at_most(value - 1)) continue;
      if (greatest == nullptr || value > extents[greatest->extents.front()]) greatest = &factor;
    }
    if (greatest == nullptr) return;
    const std::int64_t value = extents[greatest->extents.front()];
    // What the others leave, where that is more than half.
    std::int64_t others = 1;
    for (const Factor& factor : factors) {
      if (&factor == greatest) continue;
      for (std::size_t i = 0; i < factor.times; ++i) {
        if (__builtin_mul_overflow(others, extents[factor.extents.front()], &others)) others = product.max + 1;
      }
    }
    const std::int64_t enough = root(product.max / std::max<std::int64_t>(1, others), greatest->times);
    const std::int64_t wanted = std::clamp(enough, value / 2, value - 1);
    const auto less = greatest->limit.at_most(wanted);
    const std::int64_t next = less ? *less : greatest->limit.at_least(wanted).value_or(value);
    if (next >= value) return;
    for (const std::size_t e : greatest->extents) extents[e] = next;
  }
}

}  // namespace

std::vector<EqualExtents> equal_extents(const Limits& limits, const notation::Signature& signature) {
  std::vector<EqualExtents> groups;
  for (const std::vector<std::string>& names : limits.equal) {
    EqualExtents joined;
    for (const std::string& name : names) {
      if (const auto place = signature.find_extent(name)) joined.push_back(*place);
    }
    std::erase_if(groups, [&](const EqualExtents& group) {
      const bool meets =
          std::ranges::any_of(group, [&](std::size_t e) { return std::ranges::find(joined, e) != joined.end(); });
      if (meets) joined.insert(joined.end(), group.begin(), group.end());
      return meets;
    });
    std::ranges::sort(joined);
    joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
    if (joined.size() > 1) groups.push_back(std::move(joined));
  }
  return groups;
}

ExtentLimit common(const ExtentLimit& a, const ExtentLimit& b) {
  ExtentLimit both{.min = std::max(a.min, b.min),
                   .max = std::min(a.max, b.max),
                   .multiple = common_multiple(a.multiple, b.multiple),
                   .power_of_two = a.power_of_two || b.power_of_two,
                   .tiles = a.tiles};
  for (const std::int64_t tile : b.tiles) {
    if (std::ranges::find(both.tiles, tile) == both.tiles.end()) both.tiles.push_back(tile);
  }
  return both;
}

Limits with_common_extents(Limits limits, const notation::Signature& signature) {
  for (const EqualExtents& group : equal_extents(limits, signature)) {
    ExtentLimit all;
    for (const std::size_t e : group) all = common(all, limits.extents[signature.extents[e]]);
    for (const std::size_t e : group) limits.extents[signature.extents[e]] = all;
  }
  return limits;
}

std::int64_t product_of(const ProductLimit& limit, const notation::Signature& signature,
                        std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> factors;
  for (const std::string& name : limit.of) {
    if (const auto place = signature.find_extent(name)) factors.push_back(extents[*place]);
  }
  return tensor::count_elements(factors);
}

namespace {

/// Keeps the relations of limits.
void keep_limits(std::span<std::int64_t> extents, const notation::Signature& signature, const Limits& limits,
                 std::optional<std::size_t> leading) {
  if (limits.equal.empty() && limits.products.empty()) return;
  const std::vector<EqualExtents> groups = equal_extents(limits, signature);
  std::vector<Factor> factors = factors_of(limits, signature, groups);
  for (const Factor& factor : factors) {
    std::int64_t value = extents[factor.extents.front()];
    if (leading && std::ranges::find(factor.extents, *leading) != factor.extents.end()) {
      value = extents[*leading];
    } else if (value != 0) {
      for (const std::size_t e : factor.extents) {
        if (extents[e] != 0) value = std::min(value, extents[e]);
      }
    }
    if (factor.extents.size() > 1) {
      const auto accepted = factor.limit.at_most(value);
      value = accepted ? *accepted : factor.limit.at_least(value).value_or(value);
    }
    for (const std::size_t e : factor.extents) extents[e] = value;
  }
  for (const ProductLimit& product : limits.products) shrink_to(product, extents, signature, factors);
}

}  // namespace

void keep_relations(std::span<std::int64_t> extents, const notation::Signature& signature, const Limits& limits,
                    std::optional<std::size_t> leading) {
  keep_limits(extents, signature, limits, leading);
  keep_line(extents, signature, limits, leading);
}

std::optional<std::string> breaks_relation(std::span<const std::int64_t> extents, const notation::Signature& signature,
                                           const Limits& limits) {
  for (const EqualExtents& group : equal_extents(limits, signature)) {
    for (const std::size_t e : group) {
      if (extents[e] == extents[group.front()]) continue;
      return fmt::format("{} = {} differs from {} = {}: they must be equal", signature.extents[e], extents[e],
                         signature.extents[group.front()], extents[group.front()]);
    }
  }
  if (auto reason = breaks_line(extents, signature)) return reason;
  for (const ProductLimit& product : limits.products) {
    const std::int64_t value = product_of(product, signature, extents);
    if (value > product.max) return fmt::format("{} = {} exceeds {}", fmt::join(product.of, " x "), value, product.max);
  }
  return std::nullopt;
}

}  // namespace negzero::operation

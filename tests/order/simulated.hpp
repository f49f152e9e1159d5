// Sums in F32 along a known tree, with fused additions that truncate as tensor cores do.

#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/order/search.hpp>
#include <negzero/order/tree.hpp>

namespace negzero::order {

inline const std::vector<std::int64_t> kLengths{96, 256, 1000};

/// Adds `terms` as the tree says. An addition of two rounds to nearest; one of more aligns its terms to the largest and
/// truncates them there.
inline float sum_along(const Tree& tree, std::span<const float> terms) {
  std::vector<float> values;
  for (const Tree::Node& node : tree.nodes()) {
    if (node.leaf >= 0) {
      values.push_back(terms[static_cast<std::size_t>(node.leaf)]);
    } else if (node.children.size() == 2) {
      values.push_back(values[node.children[0]] + values[node.children[1]]);
    } else {
      float largest = 0;
      for (const std::size_t child : node.children) largest = std::max(largest, std::fabs(values[child]));
      const double unit = largest == 0 ? 1 : std::ldexp(1.0, std::ilogb(largest) - 23);
      double sum = 0;
      for (const std::size_t child : node.children) sum += std::trunc(values[child] / unit) * unit;
      values.push_back(static_cast<float>(sum));
    }
  }
  return values.back();
}

/// The sums of placements along a tree, with M = 2^100.
inline Sum simulated(const Tree& tree, std::int64_t most_ones = std::int64_t{1} << 24) {
  return {tree.leaves(), most_ones, [&tree](std::span<const Placement> placements) {
            std::vector<double> sums;
            for (const Placement& each : placements) {
              std::vector<float> terms(static_cast<std::size_t>(tree.leaves()), 0.0f);
              for (std::int64_t i = each.ones_begin; i < each.ones_end; ++i) terms[static_cast<std::size_t>(i)] = 1;
              terms[static_cast<std::size_t>(each.plus)] = 0x1p100f;
              terms[static_cast<std::size_t>(each.minus)] = -0x1p100f;
              sums.push_back(sum_along(tree, terms));
            }
            return sums;
          }};
}

/// Adds nodes one after the other.
inline std::size_t add_chain(Tree& tree, std::span<const std::size_t> parts) {
  std::size_t sum = parts[0];
  for (const std::size_t part : parts.subspan(1)) sum = tree.add_node({sum, part});
  return sum;
}

/// Adds nodes by pairs, neighbours first; one that is left over goes on to the next level.
inline std::size_t add_pairs(Tree& tree, std::vector<std::size_t> parts) {
  while (parts.size() > 1) {
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) next.push_back(tree.add_node({parts[i], parts[i + 1]}));
    if (parts.size() % 2 != 0) next.push_back(parts.back());
    parts = std::move(next);
  }
  return parts[0];
}

/// The leaves first, first + step, ... below `end`.
inline std::vector<std::size_t> add_leaves(Tree& tree, std::int64_t first, std::int64_t end, std::int64_t step = 1) {
  std::vector<std::size_t> leaves;
  for (std::int64_t term = first; term < end; term += step) leaves.push_back(tree.add_leaf(term));
  return leaves;
}

inline Tree chain_of(std::int64_t count) {
  Tree tree;
  add_chain(tree, add_leaves(tree, 0, count));
  return tree;
}

/// Lanes that each add every `lanes`-th term, joined by pairs.
inline Tree strided(std::int64_t count, std::int64_t lanes) {
  Tree tree;
  std::vector<std::size_t> sums;
  for (std::int64_t lane = 0; lane < std::min(lanes, count); ++lane) {
    sums.push_back(add_chain(tree, add_leaves(tree, lane, count, lanes)));
  }
  add_pairs(tree, sums);
  return tree;
}

/// Any tree: nodes meet by chance, two to five at once.
inline Tree random_tree(std::int64_t count, std::uint64_t seed) {
  base::Random random(seed);
  Tree tree;
  std::vector<std::size_t> parts = add_leaves(tree, 0, count);
  while (parts.size() > 1) {
    const std::size_t many = std::min<std::size_t>(parts.size(), random.one_in(3) ? 2 + random.below(4) : 2);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < many; ++i) {
      const auto at = static_cast<std::size_t>(random.below(parts.size()));
      chosen.push_back(parts[at]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
    }
    parts.push_back(tree.add_node(std::move(chosen)));
  }
  return tree;
}

}  // namespace negzero::order

// Finds the tree of a sum from its outputs.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/order/search.hpp>

namespace negzero::order {

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

/// What is known of the sums of some pairs: the leaves where they meet, or the first sum that is no count.
struct Counted {
  std::vector<std::optional<std::int64_t>> leaves{};
  std::optional<double> strange{};
  std::int64_t sums = 0;
};

base::Result<Counted> counted(const Sum& sum, std::span<const Pair> pairs) {
  std::vector<Placement> placements;
  const std::int64_t parts = (sum.terms + sum.most_ones - 1) / sum.most_ones;
  for (const auto& [plus, minus] : pairs) {
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t begin = part * sum.most_ones;
      placements.push_back({plus, minus, begin, std::min(sum.terms, begin + sum.most_ones)});
    }
  }
  const auto values = sum.sums(placements);
  if (!values) return values.error();
  if (values->size() != placements.size()) {
    return base::infrastructure_error(
        fmt::format("{} sums were computed for {} placements; please report this", values->size(), placements.size()));
  }
  Counted result{.sums = static_cast<std::int64_t>(placements.size())};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::optional<std::int64_t> left = sum.terms;
    for (std::int64_t part = 0; part < parts; ++part) {
      const double value = (*values)[i * static_cast<std::size_t>(parts) + static_cast<std::size_t>(part)];
      const bool is_count = value >= 0 && value <= static_cast<double>(sum.terms - 2) && value == std::floor(value);
      if (!is_count && !result.strange) result.strange = value;
      if (!is_count) left.reset();
      if (left) *left -= static_cast<std::int64_t>(value);
    }
    if (left && *left < 2) left.reset();
    result.leaves.push_back(left);
  }
  return result;
}

/// Terms that meet among themselves before, or in, the addition of `meets_at` leaves in which they meet others.
struct Group {
  std::vector<std::int64_t> terms{};
  std::int64_t meets_at = 0;
  int attempt = 0;  ///< how often most terms came to lie in one group again
  /// What was found: the additions of terms.front(), each by its leaves, with the group that it brings.
  std::vector<std::pair<std::int64_t, std::size_t>> steps{};
  bool is_open = false;  ///< its last addition is the one in which it meets others
};

/// Puts a good first term in front. The first is the deepest leaf of an ascending chain, where one round finds all; the
/// last is that of a descending one; others by chance halve what is left on average.
void choose_first(Group& group, base::Random& random) {
  if (group.attempt == 0) return;
  const auto count = group.terms.size();
  const auto chosen = group.attempt == 1 ? count - 1 : static_cast<std::size_t>(random.below(count));
  std::swap(group.terms.front(), group.terms[chosen]);
}

/// Takes the leaves that the first term of `groups[at]` shares with the others; returns what cannot be of a tree.
std::string take(std::vector<Group>& groups, std::size_t at, std::span<const std::optional<std::int64_t>> leaves) {
  std::map<std::int64_t, std::vector<std::int64_t>> by_leaves;
  const std::vector<std::int64_t> terms = groups[at].terms;
  for (std::size_t i = 1; i < terms.size(); ++i) by_leaves[*leaves[i - 1]].push_back(terms[i]);
  const auto all = static_cast<std::int64_t>(terms.size()), meets_at = groups[at].meets_at;
  const int attempt = groups[at].attempt;
  std::int64_t beneath = 1;
  for (auto& [count, group] : by_leaves) {
    beneath += static_cast<std::int64_t>(group.size());
    const bool is_open = count == meets_at && beneath == all && meets_at > all;
    if (count != beneath && !is_open) {
      return fmt::format("x[{}] and x[{}] meet among {} terms, and {} were found there", terms.front(), group.front(),
                         count, beneath);
    }
    groups[at].is_open = is_open;
    groups[at].steps.emplace_back(count, groups.size());
    const bool is_most = group.size() > 2 && group.size() * 2 > terms.size();
    groups.push_back({.terms = std::move(group), .meets_at = count, .attempt = is_most ? attempt + 1 : 0});
  }
  return "";
}

Tree assembled(const std::vector<Group>& groups) {
  Tree tree;
  std::vector<std::vector<std::size_t>> roots(groups.size());  // several of an open group
  for (std::size_t g = groups.size(); g-- > 0;) {              // Groups come behind those that they are part of.
    std::vector<std::size_t> current{tree.add_leaf(groups[g].terms.front())};
    for (std::size_t s = 0; s < groups[g].steps.size(); ++s) {
      const auto& brought = roots[groups[g].steps[s].second];
      current.insert(current.end(), brought.begin(), brought.end());
      const bool is_last = s + 1 == groups[g].steps.size();
      if (!is_last || !groups[g].is_open) current = {tree.add_node(std::move(current))};
    }
    roots[g] = std::move(current);
  }
  return tree;
}

}  // namespace

base::Result<std::vector<std::optional<std::int64_t>>> count_meetings(const Sum& sum, std::span<const Pair> pairs) {
  auto result = counted(sum, pairs);
  if (!result) return result.error();
  return std::move(result->leaves);
}

base::Result<Found> search(const Sum& sum) {
  Found found;
  base::Random random(static_cast<std::uint64_t>(sum.terms));
  std::vector<Group> groups(1);
  for (std::int64_t term = 0; term < sum.terms; ++term) groups[0].terms.push_back(term);
  groups[0].meets_at = sum.terms;
  for (std::size_t begin = 0; begin < groups.size();) {
    const std::size_t end = groups.size();
    std::vector<Pair> pairs;
    for (std::size_t g = begin; g < end; ++g) {
      choose_first(groups[g], random);
      for (std::size_t i = 1; i < groups[g].terms.size(); ++i) {
        pairs.emplace_back(groups[g].terms[0], groups[g].terms[i]);
      }
    }
    if (pairs.empty()) break;
    const auto leaves = counted(sum, pairs);
    if (!leaves) return leaves.error();
    found.sums += leaves->sums;
    if (!std::ranges::all_of(leaves->leaves, [](const auto& count) { return count.has_value(); })) {
      found.problem = fmt::format("+M, -M and ones come to {}, which is no number of ones that M left over",
                                  leaves->strange ? fmt::format("{:g} ones", *leaves->strange) : "too many ones");
      return found;
    }
    const bool loses_nothing = std::ranges::all_of(leaves->leaves, [](const auto& count) { return count == 2; });
    if (begin == 0 && sum.terms > 2 && loses_nothing) {
      found.problem = "M swallows no ones: the sum is exact, compensated, or wider than its terms show";
      return found;
    }
    std::size_t at = 0;
    for (std::size_t g = begin; g < end; ++g) {
      const std::size_t count = groups[g].terms.size() - 1;
      found.problem = take(groups, g, std::span(leaves->leaves).subspan(at, count));
      if (!found.problem.empty()) return found;
      at += count;
    }
    begin = end;
  }
  found.tree = assembled(groups);
  return found;
}

}  // namespace negzero::order

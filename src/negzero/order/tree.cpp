// The tree of additions of a sum.

#include <algorithm>
#include <map>

#include <negzero/order/tree.hpp>

namespace negzero::order {

std::size_t Tree::add_leaf(std::int64_t term) {
  nodes_.push_back({.leaf = term, .children = {}, .leaves = 1, .least = term});
  return nodes_.size() - 1;
}

std::size_t Tree::add_node(std::vector<std::size_t> children) {
  std::ranges::sort(children, {}, [&](std::size_t child) { return nodes_[child].least; });
  Node node{.leaf = -1, .children = {}, .leaves = 0, .least = nodes_[children.front()].least};
  for (const std::size_t child : children) node.leaves += nodes_[child].leaves;
  node.children = std::move(children);
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

std::int64_t Tree::depth() const {
  std::vector<std::int64_t> depths(nodes_.size(), 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::size_t child : nodes_[i].children) depths[i] = std::max(depths[i], depths[child] + 1);
  }
  return depths.empty() ? 0 : depths.back();
}

std::size_t Tree::most_children() const {
  std::size_t most = 0;
  for (const Node& node : nodes_) most = std::max(most, node.children.size());
  return most;
}

Tree Tree::of_first(std::int64_t count) const {
  constexpr std::size_t kNothing = static_cast<std::size_t>(-1);
  Tree result;
  std::vector<std::size_t> places(nodes_.size(), kNothing);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].leaf >= 0) {
      if (nodes_[i].leaf < count) places[i] = result.add_leaf(nodes_[i].leaf);
      continue;
    }
    std::vector<std::size_t> left;
    for (const std::size_t child : nodes_[i].children) {
      if (places[child] != kNothing) left.push_back(places[child]);
    }
    if (left.size() == 1) places[i] = left.front();
    if (left.size() > 1) places[i] = result.add_node(std::move(left));
  }
  return result;
}

std::vector<std::int64_t> Tree::meetings(std::span<const std::pair<std::int64_t, std::int64_t>> pairs) const {
  std::vector<std::size_t> parents(nodes_.size(), nodes_.size());
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::size_t child : nodes_[i].children) parents[child] = i;
    if (nodes_[i].leaf >= 0) places[nodes_[i].leaf] = i;
  }
  std::vector<std::int64_t> result;
  for (const auto& [a, b] : pairs) {
    std::size_t one = places.at(a), other = places.at(b);
    while (one != other) (one < other ? one : other) = parents[std::min(one, other)];  // Parents come later.
    result.push_back(nodes_[one].leaves);
  }
  return result;
}

bool Tree::same_as(const Tree& other) const {
  if (leaves() != other.leaves()) return false;
  std::map<std::vector<std::size_t>, std::size_t> additions;  // of numbers of subtrees, for both trees
  const auto number_of_root = [&](const Tree& tree) {
    const auto first = static_cast<std::size_t>(-1) / 2;  // Below it leaves have their own numbers.
    std::vector<std::size_t> numbers;
    for (const Node& node : tree.nodes_) {
      if (node.leaf >= 0) {
        numbers.push_back(static_cast<std::size_t>(node.leaf));
        continue;
      }
      std::vector<std::size_t> key;
      for (const std::size_t child : node.children) key.push_back(numbers[child]);
      numbers.push_back(additions.emplace(std::move(key), first + additions.size()).first->second);
    }
    return numbers.empty() ? 0 : numbers.back();
  };
  const std::size_t mine = number_of_root(*this);
  return mine == number_of_root(other);
}

}  // namespace negzero::order

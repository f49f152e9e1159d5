// The tree of additions of a sum: which terms meet in which addition.
//
//     leaves 0 1 2 3      chain    ((0 + 1) + 2) + 3     depth 3
//                         pairs    (0 + 1) + (2 + 3)     depth 2
//                         fused    (0 + 1 + 2 + 3)       depth 1, as a tensor core adds the products of one step
//
// An addition of a term to zero is no node: outputs do not show it, and it rounds nothing.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace negzero::order {

/// A tree whose leaves are the terms of a sum, each once. Children are ordered by their least leaf, so that equal trees
/// compare equal.
class Tree {
 public:
  struct Node {
    std::int64_t leaf = -1;             ///< the term; -1: an addition
    std::vector<std::size_t> children;  ///< places in nodes(), each before this node; none of a leaf
    std::int64_t leaves = 1;            ///< terms beneath it, itself included
    std::int64_t least = 0;             ///< the least of them
    friend bool operator==(const Node&, const Node&) = default;
  };

  /// Adds a leaf, or an addition of nodes that are there and in no addition yet. Returns its place.
  std::size_t add_leaf(std::int64_t term);
  std::size_t add_node(std::vector<std::size_t> children);

  /// All nodes, children before parents. The last one is the root.
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  [[nodiscard]] const Node& root() const { return nodes_.back(); }
  /// The number of terms; 0 of an empty tree.
  [[nodiscard]] std::int64_t leaves() const noexcept { return empty() ? 0 : root().leaves; }
  /// The most additions that a term meets on its way to the root; 0 of one leaf.
  [[nodiscard]] std::int64_t depth() const;
  /// The most children of an addition; 2 where no addition is fused.
  [[nodiscard]] std::size_t most_children() const;

  /// The tree of the first `count` terms, the others being zero: what is left of additions of two and more. Requires
  /// count >= 1 and leaves 0, 1, ... leaves() - 1.
  [[nodiscard]] Tree of_first(std::int64_t count) const;
  /// For each pair of terms, the number of leaves beneath the addition in which they meet. Requires leaves of the tree.
  [[nodiscard]] std::vector<std::int64_t> meetings(std::span<const std::pair<std::int64_t, std::int64_t>> pairs) const;

  /// Whether both add the same terms in the same additions, whatever the order in which nodes were added.
  [[nodiscard]] bool same_as(const Tree& other) const;

 private:
  std::vector<Node> nodes_;
};

}  // namespace negzero::order

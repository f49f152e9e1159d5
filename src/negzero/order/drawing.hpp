// A tree of additions as text: chains, levels of pairs and parts that are alike take one line each.
//
//     pairs, 8 levels, of 256 parts alike; the first:
//       chain of 16: x[0, 256 .. 3840]

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <negzero/order/tree.hpp>

namespace negzero::order {

/// Most lines of a drawing; another one says that more was left out.
inline constexpr std::size_t kMostLines = 60;

/// Draws a tree, a line break behind each line. Chains are written from their deepest term. Empty for an empty tree.
[[nodiscard]] std::string drawn(const Tree& tree);

/// "x[3]", "x[0..15]", "x[0, 256 .. 3840]", "x[5, 1, 9, 2 .. 7]": terms in that order. Requires one or more.
[[nodiscard]] std::string terms_text(std::span<const std::int64_t> terms);

}  // namespace negzero::order

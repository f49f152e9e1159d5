// Finds the tree of a sum from its outputs (FPRev: Xie et al., arXiv:2411.00442).
//
//     terms      1 1 +M 1 1 -M 1 1      M so large that M + 1 + ... + 1 == M
//     output     the ones that are added behind the addition in which +M meets -M: all others were swallowed
//
// So many terms less the output is the number of leaves beneath that addition. From these numbers for a term and all
// others follow the additions that the term meets, and which terms each brings; those are searched in their turn.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/order/tree.hpp>

namespace negzero::order {

/// The terms of one sum: +M at `plus`, -M at `minus`, ones at all other places of [ones_begin, ones_end), else zeros.
struct Placement {
  std::int64_t plus = 0, minus = 0;
  std::int64_t ones_begin = 0, ones_end = 0;
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// Computes the sum of each placement, in ones. NaN and what is no whole number are results as others are.
using Sums = std::function<base::Result<std::vector<double>>(std::span<const Placement>)>;

/// A sum of `terms` terms.
struct Sum {
  std::int64_t terms = 0;
  std::int64_t most_ones = 0;  ///< as many are counted exactly; more are counted in parts
  Sums sums{};
};

/// What a search found: a tree, or why there is none.
struct Found {
  std::optional<Tree> tree{};
  std::string problem{};  ///< a clause: "a sum of 14 ones gives nan"; empty with a tree
  std::int64_t sums = 0;  ///< how many were computed
};

/// Finds the tree. About terms * log2(terms) sums of usual trees, terms^2 / 2 at most. Errors are those of the sums.
/// Requires terms >= 1 and most_ones >= 1.
[[nodiscard]] base::Result<Found> search(const Sum& sum);

/// Counts the leaves beneath the additions in which pairs of terms meet, each pair by a sum of its own. Nothing for a
/// pair whose sum is no count. Errors are those of the sums.
[[nodiscard]] base::Result<std::vector<std::optional<std::int64_t>>> count_meetings(
    const Sum& sum, std::span<const std::pair<std::int64_t, std::int64_t>> pairs);

}  // namespace negzero::order

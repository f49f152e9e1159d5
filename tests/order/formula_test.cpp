// Formulas are found for the depths of known trees, and none is where there is none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/order/formula.hpp>

#include "simulated.hpp"

namespace negzero::order {
namespace {

/// The formula of trees of the three lengths.
template <typename MakeTree>
std::optional<Fit> fitted(const MakeTree& tree_of, std::int64_t more = 0) {
  std::vector<DepthAt> depths;
  for (const std::int64_t length : kLengths) depths.push_back({length, tree_of(length).depth()});
  const auto result = fit(depths, "k", more);
  for (const DepthAt& each : depths) {
    if (!result) break;
    EXPECT_GE(result->formula.depth_at(each.length), each.depth + more) << each.length;
    EXPECT_LE(result->formula.depth_at(each.length), each.depth + more + result->most_above);
  }
  return result;
}

TEST(Fit, ChainsPairsAndLanes) {
  EXPECT_EQ(fitted(chain_of)->formula.text, "k - 1");
  EXPECT_EQ(fitted(chain_of, 1)->formula.text, "k");
  EXPECT_EQ(fitted([](std::int64_t n) { return strided(n, n); })->formula.text, "ceil_log2(k)");
  EXPECT_EQ(fitted([](std::int64_t n) { return strided(n, 64); })->formula.text,
            "ceil_div(k, 64) + ceil_log2(min(k, 64)) - 1");
  EXPECT_EQ(fitted([](std::int64_t n) { return strided(n, 256); }, 1)->formula.text,
            "ceil_div(k, 256) + ceil_log2(min(k, 256))");
}

TEST(Fit, BlocksThatAreJoinedByPairsAndByAChain) {
  const auto blocks = [](std::int64_t n, std::int64_t block, std::int64_t lanes, bool by_pairs) {
    Tree tree;
    std::vector<std::size_t> sums;
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t end = std::min(n, first + block);
      std::vector<std::size_t> parts;
      for (std::int64_t lane = first; lane < std::min(end, first + lanes); ++lane) {
        parts.push_back(add_chain(tree, add_leaves(tree, lane, end, lanes)));
      }
      sums.push_back(add_pairs(tree, parts));
    }
    by_pairs ? add_pairs(tree, sums) : add_chain(tree, sums);
    return tree;
  };
  EXPECT_EQ(fitted([&](std::int64_t n) { return blocks(n, 32, 1, true); })->formula.text,
            "min(k, 32) + ceil_log2(ceil_div(k, 32)) - 1");
  EXPECT_EQ(fitted([&](std::int64_t n) { return blocks(n, 32, 1, false); })->formula.text,
            "min(k, 32) + ceil_div(k, 32) - 2");
  EXPECT_EQ(fitted([&](std::int64_t n) { return blocks(n, 128, 8, true); })->formula.text,
            "ceil_div(min(k, 128), 8) + ceil_log2(min(k, 8)) + ceil_log2(ceil_div(k, 128)) - 1");
  EXPECT_EQ(fitted([&](std::int64_t n) { return blocks(n, 16, 16, false); })->formula.text,
            "ceil_div(k, 16) + ceil_log2(min(k, 16)) - 1")
      << "as deep as sixteen lanes joined by pairs";
}

TEST(Fit, StepsOfTensorCores) {
  const auto fitted_to = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    const std::vector<DepthAt> depths{{96, a}, {256, b}, {1000, c}};
    return fit(depths, "n");
  };
  EXPECT_EQ(fitted_to(6, 16, 63)->formula.text, "ceil_div(n, 16)");
  EXPECT_EQ(fitted_to(11, 21, 68)->formula.text, "ceil_div(n, 16) + 5");
  EXPECT_EQ(fitted_to(7, 7, 7)->formula.text, "7");
  EXPECT_EQ(fitted_to(98, 258, 1002)->formula.text, "n + 2");
  EXPECT_EQ(fitted_to(36, 96, 376)->formula.text, "3 * ceil_div(n, 8) + 1") << "12, 32 and 125 steps";
}

TEST(Fit, WhatFitsNothingIsBoundedOrSaidToFitNothing) {
  const std::vector<DepthAt> near{{96, 95}, {256, 254}, {1000, 999}};
  const auto bounded = fit(near, "n");
  ASSERT_TRUE(bounded);
  EXPECT_EQ(bounded->formula.text, "n - 1");
  EXPECT_EQ(bounded->most_above, 1);
  const std::vector<DepthAt> wild{{96, 50}, {256, 9}, {1000, 700}};
  EXPECT_FALSE(fit(wild, "n"));
  EXPECT_FALSE(fit({}, "n"));
  const std::vector<DepthAt> one{{1025, 14}};
  EXPECT_NE(fit(one, "n")->formula.text, "14") << "a constant makes any shape fit one depth";
}

TEST(Fit, TheFunctionsOfFormulas) {
  EXPECT_EQ(ceil_div(9, 4), 3);
  EXPECT_EQ(ceil_div(8, 4), 2);
  EXPECT_EQ(ceil_log2(1), 0);
  EXPECT_EQ(ceil_log2(2), 1);
  EXPECT_EQ(ceil_log2(5), 3);
  EXPECT_EQ(ceil_log2(1024), 10);
}

}  // namespace
}  // namespace negzero::order

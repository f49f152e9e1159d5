// The search finds the tree that a simulated sum adds along, and says so where there is none.

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/order/drawing.hpp>
#include <negzero/order/search.hpp>

#include "simulated.hpp"

namespace negzero::order {
namespace {

using testing::HasSubstr;

Found found(const Sum& sum) {
  const auto result = search(sum);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *result : Found{};
}

void expect_found(const Tree& tree, std::int64_t most_ones = std::int64_t{1} << 24) {
  const Found result = found(simulated(tree, most_ones));
  ASSERT_TRUE(result.tree) << result.problem << "\n" << drawn(tree);
  EXPECT_TRUE(result.tree->same_as(tree)) << drawn(tree) << "and not\n" << drawn(*result.tree);
  EXPECT_EQ(result.tree->depth(), tree.depth());
}

TEST(Search, FindsRandomTreesWithFusedAdditions) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    expect_found(random_tree(1 + static_cast<std::int64_t>(seed % 41), seed));
  }
}

TEST(Search, FindsChainsFromEitherEndInFewSums) {
  const Tree ascending = chain_of(400);
  EXPECT_EQ(ascending.depth(), 399);
  expect_found(ascending);
  EXPECT_EQ(found(simulated(ascending)).sums, 399);
  Tree descending;
  std::vector<std::size_t> leaves = add_leaves(descending, 0, 400);
  std::ranges::reverse(leaves);
  add_chain(descending, leaves);
  expect_found(descending);
  EXPECT_EQ(found(simulated(descending)).sums, 399 + 398);
  Tree both;  // from the middle outwards, one left and one right
  leaves = add_leaves(both, 0, 400);
  std::size_t sum = leaves[200];
  for (std::size_t i = 1; i < 200; ++i) {
    sum = both.add_node({sum, leaves[200 - i]});
    sum = both.add_node({sum, leaves[200 + i]});
  }
  both.add_node({sum, leaves[0]});
  expect_found(both);
  EXPECT_LT(found(simulated(both)).sums, 8000);
}

TEST(Search, FindsLanesBlocksAndStepsOfTensorCores) {
  expect_found(strided(1000, 64));
  EXPECT_EQ(strided(4096, 256).depth(), 15 + 8);
  EXPECT_LT(found(simulated(strided(1000, 64))).sums, 12'000);
  Tree steps;  // sixteen products are added at once to the sum before
  std::size_t sum = steps.add_node(add_leaves(steps, 0, 16));
  for (std::int64_t first = 16; first < 128; first += 16) {
    std::vector<std::size_t> parts = add_leaves(steps, first, first + 16);
    parts.push_back(sum);
    sum = steps.add_node(std::move(parts));
  }
  EXPECT_EQ(steps.depth(), 8);
  EXPECT_EQ(steps.most_children(), 17u);
  expect_found(steps);
}

TEST(Search, CountsOnesInPartsWhereTheFormatHoldsFew) {
  for (const std::int64_t most : {1, 3, 16, 1000}) expect_found(strided(90, 8), most);
  EXPECT_EQ(found(simulated(strided(90, 8), 30)).sums, 3 * found(simulated(strided(90, 8))).sums);
}

TEST(Search, SaysWhatIsNoTree) {
  const auto exact = [](std::span<const Placement> placements) {
    return std::vector<double>(placements.size(), 8);  // all ones of ten terms are there
  };
  Found result = found({10, 1000, exact});
  EXPECT_FALSE(result.tree);
  EXPECT_THAT(result.problem, HasSubstr("M swallows no ones: the sum is exact"));
  const auto odd = [](std::span<const Placement> placements) {
    std::vector<double> sums;
    for (const Placement& each : placements) sums.push_back(each.minus % 2 == 0 ? 8 : 5);
    return sums;
  };
  EXPECT_THAT(found({10, 1000, odd}).problem, HasSubstr("x[0] and x[2] meet among 2 terms, and 5 were found there"));
  const auto nan = [](std::span<const Placement> placements) {
    return std::vector<double>(placements.size(), std::nan(""));
  };
  result = found({10, 1000, nan});
  EXPECT_FALSE(result.tree);
  EXPECT_THAT(result.problem, HasSubstr("nan"));
  const auto half = [](std::span<const Placement> placements) { return std::vector<double>(placements.size(), 0.5); };
  EXPECT_THAT(found({10, 1000, half}).problem, HasSubstr("0.5"));
  const auto fails = [](std::span<const Placement>) -> base::Result<std::vector<double>> {
    return base::infrastructure_error("the GPU is gone");
  };
  EXPECT_EQ(search({10, 1000, fails}).error().message, "the GPU is gone");
}

TEST(Search, OfOneAndTwoTermsThereIsOneTree) {
  EXPECT_EQ(found(simulated(chain_of(1))).tree->depth(), 0);
  EXPECT_EQ(found(simulated(chain_of(1))).sums, 0);
  EXPECT_EQ(found(simulated(chain_of(2))).tree->depth(), 1);
}

TEST(Tree, TheFirstTermsOfAChainAreAChainAndThoseOfLanesAreLanes) {
  EXPECT_TRUE(chain_of(100).of_first(7).same_as(chain_of(7)));
  EXPECT_TRUE(strided(100, 8).of_first(40).same_as(strided(40, 8)));
  EXPECT_FALSE(strided(100, 8).of_first(40).same_as(strided(40, 4)));
  EXPECT_FALSE(chain_of(8).same_as(chain_of(9)));
  EXPECT_EQ(chain_of(100).of_first(1).leaves(), 1);
}

TEST(Tree, MeetingsAreCountedAsSumsCountThem) {
  const Tree tree = random_tree(60, 5);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t i = 1; i < 60; ++i) pairs.emplace_back(i, i * 7 % 60 == i ? 0 : i * 7 % 60);
  const auto counted = count_meetings(simulated(tree), pairs);
  ASSERT_TRUE(counted);
  const auto expected = tree.meetings(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ((*counted)[i], expected[i]) << i;
}

TEST(Drawing, ChainsLevelsAndLikePartsTakeALineEach) {
  EXPECT_EQ(drawn(chain_of(100)), "chain of 100: x[0..99]\n");
  EXPECT_EQ(drawn(chain_of(1)), "x[0]\n");
  EXPECT_EQ(drawn(chain_of(2)), "pair: x[0, 1]\n");
  EXPECT_EQ(drawn(strided(4096, 256)),
            "pairs, 8 levels, of 256 parts alike; the first:\n  chain of 16: x[0, 256 .. 3840]\n");
  EXPECT_EQ(drawn(strided(8, 8)), "pairs, 3 levels: x[0..7]\n");
  EXPECT_EQ(drawn(strided(9, 2)), "sum of:\n  chain of 5: x[0, 2 .. 8]\n  chain of 4: x[1, 3 .. 7]\n");
  EXPECT_EQ(drawn(Tree()), "");
}

TEST(Drawing, StepsOfTensorCoresAreAChain) {
  Tree tree;
  std::size_t sum = tree.add_node(add_leaves(tree, 0, 4));
  for (std::int64_t first = 4; first < 16; first += 4) {
    std::vector<std::size_t> parts = add_leaves(tree, first, first + 4);
    parts.push_back(sum);
    sum = tree.add_node(std::move(parts));
  }
  EXPECT_EQ(drawn(tree),
            "chain of 3 steps of 5 at once; each adds, from x[4..15]:\n  x[4..7]\nto:\n  4 at once: x[0..3]\n");
}

TEST(Drawing, ALargeTreeIsCut) {
  const std::string text = drawn(random_tree(3000, 1));
  EXPECT_LE(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(kMostLines) + 1);
  EXPECT_THAT(text, HasSubstr("more is left out"));
}

}  // namespace
}  // namespace negzero::order

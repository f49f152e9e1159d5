// What is said of the order of simulated sums, and the numbers that placements are made of.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/order/survey.hpp>
#include <negzero/order/text.hpp>

#include "simulated.hpp"

namespace negzero::order {
namespace {

using number::FormatId;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Sums in F32 along trees of a family; another tree in each variation where `varies`.
class Simulated final : public Source {
 public:
  explicit Simulated(std::function<Tree(std::int64_t)> tree_of) : tree_of_(std::move(tree_of)) {}
  [[nodiscard]] const Formats& formats() const override { return formats_; }
  [[nodiscard]] base::Result<std::vector<double>> sums(std::int64_t length, std::int64_t, const Scale& scale,
                                                       unsigned variation,
                                                       std::span<const Placement> placements) override {
    scales.push_back(scale);
    const Tree tree = varies ? random_tree(length, variation + 1) : tree_of_(length);
    return simulated(tree).sums(placements);
  }

  Formats formats_{};
  bool varies = false;
  std::vector<Scale> scales{};

 private:
  std::function<Tree(std::int64_t)> tree_of_;
};

TEST(Survey, GivesDepthsTheFormulaAndTheLineToPaste) {
  Simulated lanes([](std::int64_t n) { return strided(n, 64); });
  const auto order = survey(lanes, kLengths, "columns");
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_TRUE(order->is_deterministic);
  EXPECT_EQ(order->same_shape, true);
  std::vector<std::int64_t> depths;
  for (const AtLength& at : order->lengths) depths.push_back(at.depth);
  EXPECT_THAT(depths, ElementsAre(7, 9, 21));
  EXPECT_EQ(formula_of(*order), "ceil_div(columns, 64) + ceil_log2(min(columns, 64)) - 1");
  const std::string text = text_of({*order, "lanes", {}, true});
  EXPECT_THAT(text, HasSubstr("   1000     21\n    sum of:\n"));
  EXPECT_THAT(text,
              HasSubstr("order: the same in each run; a shorter sum is added as the first terms of a longer one"));
  EXPECT_THAT(text, HasSubstr("contract: {\"depth\":\"ceil_div(columns, 64) + ceil_log2(min(columns, 64)) - 1\"}\n"));
  const auto json = json_of({*order, "lanes", {}, false});
  EXPECT_EQ(json["lengths"][2]["depth"], 21);
  EXPECT_EQ(json["formula"]["is_exact"], true);
  EXPECT_FALSE(json["lengths"][0].contains("tree"));
}

TEST(Survey, NoFormulaIsBelowABalancedTreeOfAShorterSum) {
  Simulated lanes([](std::int64_t n) { return strided(n, 3); });
  const auto order = survey(lanes, std::vector<std::int64_t>{33, 96, 256}, "n");
  ASSERT_TRUE(order) << order.error().message;
  ASSERT_TRUE(order->fit);
  EXPECT_THAT(formula_of(*order), testing::AllOf(testing::StartsWith("max("), testing::EndsWith(", ceil_log2(n))")));
  for (std::int64_t n = 1; n <= 256; ++n) EXPECT_GE(order->fit->formula.depth_at(n), ceil_log2(n)) << n;
}

TEST(Survey, AProductsRoundingCountsOne) {
  Simulated chain(chain_of);
  chain.formats_.has_products = true;
  const auto order = survey(chain, kLengths, "k");
  ASSERT_TRUE(order);
  EXPECT_EQ(order->lengths[0].depth, 96);
  EXPECT_EQ(formula_of(*order), "k");
}

TEST(Survey, AnOrderThatVariesHasNoTreeAndALineThatHoldsForEveryOrder) {
  Simulated atomics(chain_of);
  atomics.varies = true;
  const auto order = survey(atomics, kLengths, "updates");
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->is_deterministic);
  EXPECT_FALSE(order->fit);
  EXPECT_EQ(formula_of(*order), "updates - 1");
  const std::string text = text_of({*order, "atomics", {}, true});
  EXPECT_THAT(text, HasSubstr("no tree: sums differ from run to run"));
  EXPECT_THAT(text, HasSubstr("order: differs from run to run\n"));
  EXPECT_TRUE(json_of({*order, "atomics", {}, false})["formula"].is_null());
}

TEST(Survey, SeesThatAShorterSumIsAddedInAnotherOrder) {
  Simulated halves([](std::int64_t n) {
    Tree tree;
    const std::size_t left = add_chain(tree, add_leaves(tree, 0, n / 2));
    const std::size_t right = add_chain(tree, add_leaves(tree, n / 2, n));
    tree.add_node({left, right});
    return tree;
  });
  const auto order = survey(halves, kLengths, "n");
  ASSERT_TRUE(order);
  EXPECT_EQ(order->same_shape, false);
  EXPECT_THAT(text_of({*order, "halves", {}, false}), HasSubstr("in another order than the first terms"));
}

TEST(Survey, NoFormulaIsBelowATermOfALongerSum) {
  // As many lanes as terms, up to 1024; then chains in 1024 lanes.
  Simulated lanes([](std::int64_t n) { return strided(n, 1024); });
  auto order = survey(lanes, kLengths, "n");
  ASSERT_TRUE(order);
  EXPECT_EQ(formula_of(*order), "ceil_log2(n)");
  order = survey(lanes, kLengths, "n", 20'000);
  ASSERT_TRUE(order);
  ASSERT_TRUE(order->longer);
  EXPECT_GT(order->longer->depth, 15) << "ceil_log2(20000)";
  EXPECT_LE(order->longer->depth, 19 + 10);
  EXPECT_NE(formula_of(*order), "ceil_log2(n)");
  EXPECT_GE(order->fit->formula.depth_at(20'000), order->longer->depth);
}

std::vector<Scale> scales(const Formats& formats, std::int64_t terms) {
  const auto result = scales_of(formats, terms);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *result : std::vector<Scale>{};
}

TEST(Scales, MSwallowsAllOnesInTheAccumulatorOrEvenInF64) {
  for (const FormatId terms : {FormatId::F64, FormatId::F32, FormatId::BF16, FormatId::F16}) {
    for (const FormatId accumulator : {FormatId::F64, FormatId::F32, FormatId::F16}) {
      const Formats formats{.terms = terms, .accumulator = accumulator, .output = FormatId::F32};
      if (!scales_of(formats, 1000)) {
        EXPECT_EQ(terms, FormatId::F16);
        EXPECT_EQ(accumulator, FormatId::F64) << "2^39 is no factor of 2^53";
        continue;
      }
      for (const Scale& scale : scales(formats, 1000)) {
        const number::Format& held = number::format(accumulator);
        EXPECT_LE(scale.large, std::max(held.max_exponent(), number::format(FormatId::F32).max_exponent()));
        EXPECT_LE(scale.large, number::format(terms).max_exponent());
        EXPECT_GE(scale.one, number::format(terms).eta_exponent());
        EXPECT_GT(std::ldexp(1.0, scale.large - held.precision()), std::ldexp(1000.0, scale.one));
      }
    }
  }
  EXPECT_EQ(scales({}, 1000)[0], (Scale{127, 0}));
}

TEST(Scales, AnAccumulatorThatIsWiderThanDeclaredIsThoughtOf) {
  const Formats halves{.terms = FormatId::F16,
                       .factors = FormatId::F16,
                       .accumulator = FormatId::F16,
                       .output = FormatId::F16,
                       .has_products = true};
  const auto swallows = [](const Scale& scale, int precision) {
    return std::ldexp(1.0, scale.large - precision) > std::ldexp(1000.0, scale.one);
  };
  const std::vector<Scale> found = scales(halves, 1000);
  EXPECT_TRUE(std::ranges::any_of(found, [&](const Scale& scale) { return swallows(scale, 24); }));
  EXPECT_TRUE(std::ranges::all_of(found, [&](const Scale& scale) { return swallows(scale, 11); }));
  EXPECT_LE(found[0].large, 15) << "F16 holds it";
}

TEST(Scales, ProductsReachFartherThanTheirFactors) {
  const Formats narrow{.terms = FormatId::F8_E4M3, .factors = FormatId::F8_E4M3, .has_products = true};
  ASSERT_FALSE(scales(narrow, 256).empty());
  const Factors factors = factors_of(narrow, scales(narrow, 256)[0]);
  EXPECT_TRUE(factors.both);
  EXPECT_EQ(factors.large_a + factors.large_b, scales(narrow, 256)[0].large);
  EXPECT_EQ(factors.one_a + factors.one_b, scales(narrow, 256)[0].one);
  for (const int each : {factors.large_a, factors.large_b, factors.one_a, factors.one_b}) {
    EXPECT_GE(each, -9);
    EXPECT_LE(each, 8);
  }
  const Formats halves{.terms = FormatId::F16, .factors = FormatId::F16, .has_products = true};
  EXPECT_FALSE(factors_of(halves, scales(halves, 1000)[0]).both) << "one factor for all is enough";
  EXPECT_TRUE(factors_of(halves, {30, -40}).both);
}

TEST(Scales, WhatShowsNoOrderIsAnErrorWithACure) {
  EXPECT_THAT(scales_of({.terms = FormatId::I32, .accumulator = FormatId::I32}, 9).error().message,
              HasSubstr("sums in I32 are exact in every order"));
  EXPECT_THAT(scales_of({.terms = FormatId::F8_E4M3}, 1000).error().message,
              HasSubstr("terms in F8_E4M3 reach from 2^-9 to 2^8"));
}

TEST(Scales, AsManyOnesAreCountedAsTheNarrowestFormatHolds) {
  EXPECT_EQ(most_ones({}), std::int64_t{1} << 24);
  EXPECT_EQ(most_ones({.output = FormatId::BF16}), 256);
  EXPECT_EQ(most_ones({.stored = {FormatId::F16}}), 2048);
}

}  // namespace
}  // namespace negzero::order

// Extents together: powers of two, equal ones, bounds of products; and the way back inside.

#include <bit>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/operation/case.hpp>
#include <negzero/operation/relations.hpp>

#include "reasons.hpp"

namespace negzero::operation {
namespace {

using testing::ElementsAre;
using Extents = std::vector<std::int64_t>;

const notation::Signature& gemm() { return *find_signature("gemm"); }

TEST(Relations, APowerOfTwoIsNeverZero) {
  const Limits limits{.extents = {{"k", {.power_of_two = true}}}};
  for (const std::int64_t k : {1, 2, 4, 64, 1 << 20}) EXPECT_EQ(reason(limits, Gemm{.k = k}), "inside") << k;
  for (const std::int64_t k : {0, 3, 6, 63, (1 << 20) + 1}) {
    EXPECT_EQ(reason(limits, Gemm{.k = k}), "k = " + std::to_string(k) + " is no power of two");
  }
  EXPECT_EQ(reason({.extents = {{"k", {.multiple = 8, .power_of_two = true}}}}, Gemm{.k = 4}),
            "k = 4 is no multiple of 8");
}

RC_GTEST_PROP(Relations, NearestAcceptedExtentsAreWhatASearchFinds, ()) {
  const auto small = [](std::int64_t least, std::int64_t most) { return *rc::gen::inRange<std::int64_t>(least, most); };
  const ExtentLimit limit{
      .min = small(0, 40), .max = small(0, 80), .multiple = small(1, 9), .power_of_two = *rc::gen::arbitrary<bool>()};
  const std::int64_t wanted = small(-3, 90);
  std::optional<std::int64_t> above, below;
  for (std::int64_t extent = 0; extent < 100; ++extent) {
    if (!limit.accepts(extent)) continue;
    if (extent >= wanted && !above) above = extent;
    if (extent <= wanted) below = extent;
  }
  RC_ASSERT(limit.at_least(wanted) == above);
  RC_ASSERT(limit.at_most(wanted) == below);
}

TEST(Relations, AreBrokenInOneLine) {
  const Limits square{.equal = {{"m", "n"}, {"n", "k"}}};
  EXPECT_EQ(reason(square, Gemm{.m = 3, .n = 3, .k = 3}), "inside");
  EXPECT_EQ(reason(square, Gemm{.m = 3, .n = 3, .k = 4}), "k = 4 differs from m = 3: they must be equal");
  const Limits area{.products = {{.of = {"m", "n"}, .max = 12}}};
  EXPECT_EQ(reason(area, Gemm{.m = 3, .n = 4, .k = 99}), "inside");
  EXPECT_EQ(reason(area, Gemm{.m = 3, .n = 5, .k = 1}), "m x n = 15 exceeds 12");
  EXPECT_EQ(reason(area, Gemm{.m = 0, .n = 500, .k = 1}), "inside");
  EXPECT_EQ(reason({.products = {{.of = {"k", "k"}, .max = 16}}}, Gemm{.m = 3, .k = 5}), "k x k = 25 exceeds 16");
  EXPECT_EQ(reason(area, Reduce{.rows = 99, .columns = 99}), "inside") << "no such extents";
}

TEST(Relations, ThatNothingKeepsAreAMistake) {
  EXPECT_EQ(mistake({.extents = {{"k", {.min = 5, .max = 7, .power_of_two = true}}}}, "gemm"),
            "limits: no power of two of k lies between 5 and 7");
  EXPECT_EQ(mistake({.extents = {{"k", {.multiple = 3, .power_of_two = true}}}}, "gemm"),
            "limits: no power of two that is a multiple 3 of k lies between 0 and 2147483648");
  EXPECT_EQ(mistake({.extents = {{"k", {.min = 1, .max = 1, .power_of_two = true}}}}, "gemm"), "none");
  EXPECT_EQ(mistake({.equal = {{"m", "x"}}}, "gemm"), "limits: equal: gemm has no extent x; it has batch, m, n, k");
  EXPECT_EQ(mistake({.equal = {{"m"}}}, "gemm"), "limits: equal: 1 extent; give at least 2");
  EXPECT_EQ(mistake({.extents = {{"m", {.max = 15}}, {"k", {.min = 16}}}, .equal = {{"m", "n"}, {"k", "n"}}}, "gemm"),
            "limits: equal: no value of m = n = k lies inside the limits of all of them");
  EXPECT_EQ(
      mistake({.extents = {{"m", {.min = 1, .multiple = 12}}, {"n", {.power_of_two = true}}}, .equal = {{"m", "n"}}},
              "gemm"),
      "limits: equal: no value of m = n lies inside the limits of all of them");
  EXPECT_EQ(mistake({.products = {{.of = {"rows"}, .max = 3}}}, "gemm"),
            "limits: products: gemm has no extent rows; it has batch, m, n, k");
  EXPECT_EQ(mistake({.products = {{.of = {}, .max = 3}}}, "gemm"), "limits: products: 0 extents; give at least 1");
  EXPECT_EQ(mistake({.extents = {{"m", {.min = 16}}, {"n", {.min = 16}}}, .products = {{.of = {"m", "n"}, .max = 255}}},
                    "gemm"),
            "limits: products: m x n is at least 256, more than its max 255");
}

TEST(Relations, AreOneLineOfText) {
  EXPECT_EQ(describe({.extents = {{"k", {.max = 64, .power_of_two = true}}},
                      .products = {{.of = {"m", "n"}, .max = 1 << 20}},
                      .equal = {{"m", "n"}}},
                     "gemm"),
            "k a power of two up to 64; m = n; m x n up to 1048576");
}

Extents kept(Extents extents, const Limits& limits, std::optional<std::size_t> leading = std::nullopt) {
  keep_relations(extents, gemm(), limits, leading);
  return extents;
}

TEST(Relations, AreKeptByTheLeastOrByTheExtentThatLeads) {
  const Limits square{.equal = {{"m", "n", "k"}}};
  EXPECT_THAT(kept({2, 7, 9, 5}, square), ElementsAre(2, 5, 5, 5));
  EXPECT_THAT(kept({2, 7, 9, 5}, square, 2), ElementsAre(2, 9, 9, 9));
  EXPECT_THAT(kept({2, 7, 9, 0}, square), ElementsAre(2, 7, 7, 7)) << "an empty sum is one of empty outputs too";
  EXPECT_THAT(kept({2, 0, 9, 5}, square), ElementsAre(2, 0, 0, 0));
  EXPECT_THAT(kept({2, 7, 9, 5}, {}), ElementsAre(2, 7, 9, 5));
  const Limits powers{.extents = {{"n", {.power_of_two = true}}, {"k", {.min = 4, .multiple = 4}}},
                      .equal = {{"n", "k"}}};
  EXPECT_THAT(kept({1, 3, 2, 20}, powers), ElementsAre(1, 3, 4, 4));
  EXPECT_THAT(kept({1, 3, 2, 20}, powers, 3), ElementsAre(1, 3, 16, 16));
}

TEST(Relations, BoundProductsByHalvesAndThenByTheRest) {
  const Limits area{.products = {{.of = {"m", "n"}, .max = 100}}};
  EXPECT_THAT(kept({9, 10, 10, 5}, area), ElementsAre(9, 10, 10, 5));
  EXPECT_THAT(kept({9, 11, 10, 5}, area), ElementsAre(9, 10, 10, 5)) << "up to the bound";
  EXPECT_THAT(kept({9, 64, 64, 5}, area), ElementsAre(9, 8, 12, 5));
  const Limits cube{.products = {{.of = {"m", "n", "k"}, .max = 1000}}, .equal = {{"m", "n", "k"}}};
  EXPECT_THAT(kept({9, 64, 64, 64}, cube), ElementsAre(9, 10, 10, 10));
}

RC_GTEST_PROP(Relations, AreKeptWheneverLimitsAreSound, ()) {
  const auto number = [](std::int64_t least, std::int64_t most) {
    return *rc::gen::inRange<std::int64_t>(least, most);
  };
  Limits limits;
  for (const char* extent : {"batch", "m", "n", "k"}) {
    limits.extents[extent] = {.min = number(0, 6),
                              .max = number(6, 200),
                              .multiple = number(1, 4),
                              .power_of_two = *rc::gen::arbitrary<bool>()};
  }
  if (*rc::gen::arbitrary<bool>()) limits.equal.push_back({"m", "n"});
  if (*rc::gen::arbitrary<bool>()) limits.equal.push_back({"k", "batch"});
  if (*rc::gen::arbitrary<bool>()) limits.equal.push_back({"n", "k"});
  limits.products.push_back({.of = {"m", "n"}, .max = number(1, 400)});
  limits.products.push_back({.of = {"batch", "m", "k"}, .max = number(1, 4000)});
  RC_PRE(validate(limits, "gemm").ok());
  Operation operation = Gemm{.batch = number(0, 300), .m = number(0, 300), .n = number(0, 300), .k = number(0, 300)};
  for (std::size_t e = 0; e < 4; ++e) {
    const ExtentLimit& limit = limits.extents[gemm().extents[e]];
    const auto below = limit.at_most(operation.extents()[e]);
    operation.extents()[e] = below ? *below : *limit.at_least(0);
  }
  keep_relations(operation.extents(), gemm(), limits);
  RC_ASSERT(outside(limits, operation, {}).value_or("inside") == "inside");
}

}  // namespace
}  // namespace negzero::operation

// The mix: strategies by their weights, requests that are refused, shapes, layouts and scalars that occur.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using testing::HasSubstr;

std::map<std::string, int> count_strategies(const Request& request, int cases) {
  std::map<std::string, int> counts;
  for (int index = 0; index < cases; ++index) ++counts[draw(request, 1, static_cast<std::uint64_t>(index)).strategy];
  return counts;
}

TEST(Mix, FollowsTheDefaultWeights) {
  constexpr int kCases = 20000;
  // A chain hides no terms, so that none of them gives its turn to another.
  Request request = all_requests().front();
  request.contract.order = contract::Order::Ascending;
  const std::map<std::string, int> counts = count_strategies(request, kCases);
  double total = 0;
  for (const Strategy& strategy : strategies()) total += strategy.weight;
  EXPECT_EQ(total, 100);
  for (const Strategy& strategy : strategies()) {
    const double share = strategy.weight / total;
    const double deviation = std::sqrt(kCases * share * (1 - share));
    EXPECT_NEAR(counts.at(std::string(strategy.name)), kCases * share, 5 * deviation) << strategy.name;
  }
}

TEST(Mix, FollowsTheWeightsOfTheRequest) {
  Request request = all_requests().front();
  request.mix.weights = {{"tie", 3e-300}, {"bits", 1e-300}, {"normal", 0}};
  const std::map<std::string, int> counts = count_strategies(request, 4000);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_NEAR(counts.at("tie"), 3000, 150);
  request.mix.weights = {{"structural", 0.5}};
  EXPECT_EQ(count_strategies(request, 100), (std::map<std::string, int>{{"structural", 100}}));
}

TEST(Mix, DescribesEveryStrategy) {
  std::set<std::string_view> names;
  for (const Strategy& strategy : strategies()) {
    names.insert(strategy.name);
    EXPECT_FALSE(strategy.makes.empty());
    EXPECT_FALSE(strategy.catches.empty());
    EXPECT_GT(strategy.weight, 0);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("special", "exact", "sparse", "cancel", "skew", "tie", "extreme",
                                                   "bits", "normal", "uniform", "structural"));
}

std::string refusal(const Request& request) {
  const base::Status status = validate(request);
  if (status.ok()) return "accepted";
  EXPECT_EQ(status.error().kind, base::ErrorKind::Usage);
  return status.error().message;
}

TEST(Mix, RefusesWhatCannotBeDrawn) {
  Request request = all_requests().front();
  EXPECT_EQ(refusal(request), "accepted");
  request.operation = "gemv";
  EXPECT_THAT(
      refusal(request),
      HasSubstr("no operation is called 'gemv'; did you mean \"gemm\"? known are convert, gemm, gemm.grouped, "));
  request = all_requests().front();
  request.mix.weights = {{"cancle", 1}};
  EXPECT_THAT(refusal(request), HasSubstr("unknown strategy 'cancle': known are special, exact, "));
  request.mix.weights = {{"cancel", -1}};
  EXPECT_THAT(refusal(request), HasSubstr("weight -1 of strategy cancel"));
  request.mix.weights = {{"cancel", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_THAT(refusal(request), HasSubstr("weight nan of strategy cancel"));
  request.mix.weights = {{"cancel", std::numeric_limits<double>::infinity()}};
  EXPECT_THAT(refusal(request), HasSubstr("weight inf of strategy cancel"));
  request.mix.weights = {{"cancel", 0}};
  EXPECT_THAT(refusal(request), HasSubstr("all weights are 0"));
  request.mix.weights.clear();
  request.limits.inputs = {.order = operation::LayoutOrder::Packed, .stride_multiple = 8};
  request.limits.extents["k"] = {.min = 5, .max = 7};
  request.limits.extents["m"] = {.min = 2};
  EXPECT_THAT(refusal(request), HasSubstr("no case fits the limits of gemm: stride "));
  request.limits.extents["k"] = {.min = 5, .max = 7, .multiple = 4};
  EXPECT_THAT(refusal(request), HasSubstr("limits: no multiple 4 of k lies between 5 and 7"));
  request.limits.formats = {{number::FormatId::F32}};
  EXPECT_EQ(refusal(request), "limits: a combination of 1 format: gemm wants {a, b, d[, c]}");
}

/// What occurs among `cases` Gemm plans.
struct Census {
  std::map<std::string, int> counts;
  std::vector<double> products;
};

Census take_census(const Request& request, int cases) {
  Census census;
  for (int index = 0; index < cases; ++index) {
    const Plan plan = draw(request, 5, static_cast<std::uint64_t>(index));
    const auto& gemm = operation::view<operation::Gemm>(plan.operation);
    census.products.push_back(static_cast<double>(gemm.batch) * static_cast<double>(gemm.m) *
                              static_cast<double>(gemm.n) * static_cast<double>(gemm.k));
    const auto seen = [&](const std::string& what, bool occurs) { census.counts[what] += occurs ? 1 : 0; };
    seen("k = 0", gemm.k == 0);
    seen("k = 1", gemm.k == 1);
    seen("m = 1", gemm.m == 1);
    seen("n = 2", gemm.n == 2);
    seen("no result", gemm.m == 0 || gemm.n == 0 || gemm.batch == 0);
    seen("batch > 1", gemm.batch > 1);
    seen("k >= 1000", gemm.k >= 1000);
    seen("more than 65535 rows, columns or batches", std::max({gemm.m, gemm.n, gemm.batch}) > 65535);
    seen("large", census.products.back() > 70000);
    for (const std::int64_t tile : {16, 64}) {
      for (const std::int64_t at : {tile - 1, tile, tile + 1}) seen("k = " + std::to_string(at), gemm.k == at);
    }
    const number::Format& format = number::format(gemm.alpha.format);
    for (const auto& [name, scalar] : {std::pair{"alpha ", gemm.alpha}, std::pair{"beta ", gemm.beta}}) {
      const std::string text = number::to_decimal(format, scalar.bits);
      seen(name + text, true);
    }
    const tensor::Layout &a = plan.layouts.at("a"), &d = plan.layouts.at("d");
    if (gemm.m > 1 && gemm.k > 1) {
      seen("a packed", a.strides[1] == gemm.k && a.strides[2] == 1);
      seen("a with one more column", a.strides[1] == gemm.k + 1);
      seen("a with 16 more columns", a.strides[1] == gemm.k + 16);
      seen("a transposed", a.strides[1] == 1 && a.strides[2] >= gemm.m);
      seen("a strided", a.strides[2] > 1 && a.strides[1] > a.strides[2]);
      seen("a broadcast", a.strides[1] == 0);
    }
    if (gemm.m > 1 && gemm.n > 1) seen("d transposed", d.strides[1] == 1);
    seen("a offset", a.offset > 0);
    seen("a offset 15", a.offset == 15);
    seen("poison nan", plan.poison == operation::Poison::Nan);
    seen("backward", plan.schedule.order == operation::Schedule::Order::Backward);
    seen("random", plan.schedule.order == operation::Schedule::Order::Random);
    seen("preempting", plan.schedule.preempt);
  }
  std::sort(census.products.begin(), census.products.end());
  return census;
}

TEST(Mix, ShapesLayoutsAndScalarsOccur) {
  constexpr int kCases = 20000;
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.extents = {{"m", {.tiles = {64}}}, {"n", {.tiles = {64}}}, {"k", {.tiles = {16, 64}}}};
  const Census census = take_census(request, kCases);
  // Shares of all cases, from where they start to matter to where they would crowd out the rest.
  const std::map<std::string, std::pair<double, double>> expected{
      {"k = 0", {0.02, 0.06}},
      {"k = 1", {0.02, 0.2}},
      {"m = 1", {0.05, 0.3}},
      {"n = 2", {0.03, 0.2}},
      {"no result", {0.002, 0.01}},
      {"batch > 1", {0.1, 0.35}},
      {"k >= 1000", {0.08, 0.2}},
      {"more than 65535 rows, columns or batches", {0.004, 0.007}},
      {"large", {0.02, 0.08}},
      {"k = 15", {0.005, 0.05}},
      {"k = 16", {0.005, 0.05}},
      {"k = 17", {0.005, 0.05}},
      {"k = 63", {0.005, 0.05}},
      {"k = 64", {0.005, 0.05}},
      {"k = 65", {0.005, 0.05}},
      {"alpha 1", {0.55, 0.85}},
      {"alpha 0", {0.01, 0.06}},
      {"alpha -1", {0.02, 0.1}},
      {"alpha nan", {0.01, 0.04}},
      {"alpha inf", {0.003, 0.02}},
      {"alpha -0", {0.002, 0.02}},
      {"beta 0", {0.35, 0.6}},
      {"beta 1", {0.15, 0.3}},
      {"beta 2", {0.02, 0.1}},
      {"beta 0.5", {0.02, 0.1}},
      {"beta 3", {0.01, 0.1}},
      {"beta nan", {0.002, 0.02}},
      {"beta -inf", {0.001, 0.02}},
      {"beta -0", {0.01, 0.1}},
      {"a packed", {0.15, 0.6}},
      {"a with one more column", {0.05, 0.2}},
      {"a with 16 more columns", {0.05, 0.2}},
      {"a transposed", {0.1, 0.3}},
      {"a strided", {0.03, 0.2}},
      {"a broadcast", {0.01, 0.1}},
      {"d transposed", {0.1, 0.3}},
      {"a offset", {0.3, 0.6}},
      {"a offset 15", {0.01, 0.06}},
      {"poison nan", {0.4, 0.6}},
      {"backward", {0.1, 0.3}},
      {"random", {0.3, 0.5}},
      {"preempting", {0.15, 0.35}},
  };
  for (const auto& [what, share] : expected) {
    ASSERT_TRUE(census.counts.contains(what)) << what;
    const double seen = static_cast<double>(census.counts.at(what)) / kCases;
    EXPECT_GE(seen, share.first) << what;
    EXPECT_LE(seen, share.second) << what;
  }
  double total = 0;
  for (const double products : census.products) total += products;
  EXPECT_GE(total / kCases, 6000);
  EXPECT_LE(total / kCases, 42000);
  EXPECT_LE(census.products.back(), 0x1p23);
  EXPECT_LE(census.products[kCases / 2], 32.0 * 32 * 32);
}

TEST(Mix, ReduceAndScatterShapesOccur) {
  using number::FormatId;
  const Request reduce = reduce_request("reduce.max", FormatId::F32, FormatId::F32, FormatId::F32);
  std::map<std::int64_t, int> columns;
  for (std::uint64_t index = 0; index < 20000; ++index) {
    const Plan plan = draw(reduce, 2, index);
    ++columns[operation::view<operation::Reduce>(plan.operation).columns];
  }
  for (const std::int64_t wanted : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025}) {
    EXPECT_GT(columns[wanted], 5) << wanted << " columns";
  }
  const Request scatter = scatter_request("scatter.add", FormatId::F32);
  int empty = 0, single = 0, crowded = 0, spread = 0;
  for (std::uint64_t index = 0; index < 5000; ++index) {
    const Plan plan = draw(scatter, 2, index);
    const auto& value = operation::view<operation::Scatter>(plan.operation);
    empty += value.updates == 0 ? 1 : 0;
    single += value.destinations == 1 ? 1 : 0;
    crowded += value.updates > 4 * value.destinations ? 1 : 0;
    spread += value.updates < value.destinations ? 1 : 0;
  }
  EXPECT_GT(empty, 30);
  EXPECT_GT(single, 100);
  EXPECT_GT(crowded, 500);
  EXPECT_GT(spread, 500);
}

TEST(Mix, ReductionsAlongTheMiddleVaryAllThreeExtents) {
  using number::FormatId;
  Request reduce = reduce_request("reduce.sum_middle", FormatId::F32, FormatId::F32, FormatId::F32);
  reduce.limits.extents["inner"].tiles = {32};
  std::map<std::string, std::map<std::int64_t, int>> seen;
  int many = 0;
  constexpr int kCases = 20000;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const operation::Operation drawn = draw(reduce, 2, index).operation;
    for (const char* const extent : {"outer", "inner", "columns"}) ++seen[extent][drawn.extent(extent)];
    many += drawn.extent("outer") * drawn.extent("inner") > 257 ? 1 : 0;
  }
  for (const char* const extent : {"outer", "inner", "columns"}) {
    for (const std::int64_t wanted : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33}) {
      EXPECT_GT(seen[extent][wanted], 5) << extent << " " << wanted;
    }
  }
  for (const std::int64_t wanted : {255, 256, 257, 1023, 1024, 1025}) EXPECT_GT(seen["columns"][wanted], 5) << wanted;
  // Rare large cases and shapes at which kernels err have more outputs than the others.
  EXPECT_LT(many, kCases / 8);
}

/// The share of cases whose strategy shows each term, of sums of `columns` terms or less.
double share_that_shows(const contract::Contract& contract, std::int64_t columns) {
  Request request{.operation = "reduce.sum", .contract = contract};
  request.limits.formats = {{contract.accumulate, contract.accumulate}};
  request.limits.extents["columns"] = {.min = columns, .max = columns};
  const auto shows = [&](std::uint64_t index) {
    const std::string strategy = draw(request, 3, index).strategy;
    return strategy == "exact" || strategy == "sparse";
  };
  constexpr std::uint64_t kDrawn = 1000;
  std::uint64_t count = 0;
  for (std::uint64_t index = 0; index < kDrawn; ++index) count += shows(index) ? 1 : 0;
  return static_cast<double>(count) / kDrawn;
}

TEST(Mix, WhereTheContractHidesMostTermsStrategiesThatShowEachHaveMostOfTheTurns) {
  using number::FormatId;
  const contract::Contract any{.accumulate = FormatId::F16};
  const double usual = share_that_shows(any, 32);
  EXPECT_LT(usual, 0.45);
  EXPECT_NEAR(share_that_shows(any, 45), usual, 0.1) << "45^2 < 2^11";
  EXPECT_GT(share_that_shows(any, 46), 0.6);
  contract::Contract chain = any, flat = any;
  chain.order = contract::Order::Ascending;
  EXPECT_NEAR(share_that_shows(chain, 200), usual, 0.1);
  flat.depth.formula = "ceil_log2(columns)";
  EXPECT_NEAR(share_that_shows(flat, 200), usual, 0.1) << "8 * 200 < 2^11";
  EXPECT_GT(share_that_shows(flat, 257), 0.6) << "9 * 257 >= 2^11";
  EXPECT_NEAR(share_that_shows({.accumulate = FormatId::F32}, 2048), usual, 0.1);
}

}  // namespace
}  // namespace negzero::generate

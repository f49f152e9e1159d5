// Shapes that show faults: several tiles, long rows, vectors in batches, and many shapes of kernels whose least case is
// no small one.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/shape_counts.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using number::FormatId;

/// A request of a declared operation.
Request declared(const std::string& line, operation::Limits limits = {}) {
  Request request;
  request.operation = operation::signature_of(line).value()->identity();
  request.limits = std::move(limits);
  const operation::Operation wanted = *operation::operation_named(request.operation);
  request.limits.formats = {{wanted.signature().formats.size(), FormatId::F32}};
  return request;
}

Request whole_tiles() {
  Request request = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  request.limits.extents = {{"batch", {.min = 1, .max = 1}},
                            {"m", {.min = 128, .multiple = 128}},
                            {"n", {.min = 128, .multiple = 128}},
                            {"k", {.min = 32, .multiple = 32}}};
  return request;
}

/// Eight weights to a word, and a scale for every 128: three extents of which only one value is accepted.
Request packed_weights() {
  return declared("w4: y[b, rows] <- x[b, tiles, c], w[rows, tiles, p], s[rows, tiles, g]",
                  {.extents = {{"c", {.min = 1024, .max = 1024}},
                               {"p", {.min = 128, .max = 128}},
                               {"g", {.min = 8, .max = 8}},
                               {"rows", {.min = 4, .multiple = 4}},
                               {"b", {.min = 1}},
                               {"tiles", {.min = 1}}}});
}

ShapeCounts shapes_of(const Request& request, std::uint64_t seed, std::uint64_t cases) {
  ShapeCounts counts(request);
  for (std::uint64_t index = 0; index < cases; ++index) {
    const Plan plan = draw(request, seed, index);
    counts.add(shape_of(plan.operation, plan.layouts));
  }
  return counts;
}

int count(const Request& request, std::uint64_t seed, const std::function<bool(const Plan&)>& is_one) {
  int result = 0;
  for (std::uint64_t index = 0; index < kRound; ++index) result += is_one(draw(request, seed, index)) ? 1 : 0;
  return result;
}

TEST(Shapes, OfAnUnlimitedGemmHaveSeveralTilesWithABatchAndWithout) {
  const Request plain = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  Request hinted = plain;
  for (const char* extent : {"m", "n", "k"}) hinted.limits.extents[extent].tiles = {16};
  struct Wanted {
    const char* what;
    int all, batched;
    std::function<bool(const operation::Gemm&)> is_one;
    bool of_hinted = true;  ///< also where tiles are said to be of 16
  };
  const auto lies = [](std::int64_t value, std::int64_t low, std::int64_t high) { return value > low && value < high; };
  const Wanted wanted[] = {
      {"ragged 2 x 2 tiles of 64", 10, 4, [&](const auto& g) { return lies(g.m, 64, 128) && lies(g.n, 64, 128); }},
      {"m, n >= 129", 5, 2, [&](const auto& g) { return g.m >= 129 && g.n >= 129; }},
      {"3 x 3 tiles of 32", 5, 2, [&](const auto& g) { return lies(g.m, 64, 97) && lies(g.n, 64, 97); }},
      {"one row in a batch", 30, 30, [&](const auto& g) { return g.m == 1 && g.batch > 1; }},
      {"ten tiles of 32 by two", 1, 1, [&](const auto& g) { return g.m > 288 && lies(g.n, 32, 65); }, false},
      {"two tiles of 32 by ten", 1, 1, [&](const auto& g) { return g.n > 288 && lies(g.m, 32, 65); }, false},
      {"2 x 2 tiles of 32, three steps", 2, 0,
       [&](const auto& g) { return lies(g.m, 32, 65) && lies(g.n, 32, 65) && lies(g.k, 64, 97); }, false},
      {"nine tiles by two", 3, 0,
       [&](const auto& g) { return std::max(g.m, g.n) > 128 && lies(std::min(g.m, g.n), 16, 65); }},
  };
  for (const auto& [request, seed] : {std::pair{plain, 1}, std::pair{plain, 2}, std::pair{hinted, 1}}) {
    for (const Wanted& each : wanted) {
      if (!each.of_hinted && !request.limits.extents["m"].tiles.empty()) continue;
      const auto is_one = [&](const Plan& plan) {
        return each.is_one(operation::view<operation::Gemm>(plan.operation));
      };
      EXPECT_GE(count(request, seed, is_one), each.all) << each.what;
      EXPECT_GE(
          count(request, seed, [&](const Plan& plan) { return is_one(plan) && plan.operation.extent("batch") > 1; }),
          each.batched)
          << each.what;
    }
  }
}

TEST(Shapes, OfRowsAreLongAndSeveral) {
  for (const Request& request : {reduce_request("reduce.sum", FormatId::F32, FormatId::F32, FormatId::F32),
                                 reduce_request("scan.inclusive", FormatId::F32, FormatId::F32, FormatId::F32),
                                 declared("softmax: y[rows, columns] <- x[rows, columns]")}) {
    SCOPED_TRACE(request.operation);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto many = [&](std::int64_t rows, std::int64_t low, std::int64_t high) {
        return count(request, seed, [&](const Plan& plan) {
          const std::int64_t columns = plan.operation.extent("columns");
          return plan.operation.extent("rows") >= rows && columns >= low && columns <= high;
        });
      };
      EXPECT_GE(many(2, 257, 1100), 12);
      EXPECT_GE(many(2, 14 * 256 - 255, 32 * 256), 4) << "14 tiles and more";
      EXPECT_GE(many(1, 4096, 4096), 1);
      EXPECT_GE(many(1, 65537, 65537), 1);
      EXPECT_GE(many(1, 131072, 131072), 1);
    }
  }
}

/// The same limits without a least length: multiples, of which 0 is one.
Request without_least(Request request) {
  for (const char* extent : {"m", "n", "k"}) request.limits.extents[extent].min = 0;
  return request;
}

TEST(Shapes, OfKernelsWithoutASmallCaseAreManyAndBounded) {
  for (const Request& request : {whole_tiles(), without_least(whole_tiles()), packed_weights()}) {
    SCOPED_TRACE(request.operation);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const ShapeCounts counts = shapes_of(request, seed, 300);
      EXPECT_GE(counts.distinct(), 20u);
      EXPECT_LE(counts.commonest().second, 90u);
      EXPECT_FALSE(counts.is_collapsed());
      EXPECT_EQ(counts.only_least(), 0);
    }
    const notation::Signature& signature = *operation::find_signature(request.operation);
    const operation::Workload workload(signature, request.limits);
    for (std::uint64_t index = 0; index < kRound; ++index) {
      EXPECT_LE(workload.of(draw(request, 1, index).operation.extents()), most_work(signature));
    }
  }
}

TEST(Shapes, AreWatchedWithTwoTilesInEveryDirection) {
  for (const Request& request : {whole_tiles(), gemm_request(FormatId::F32, FormatId::F32, FormatId::F32)}) {
    const bool is_whole = request.limits.extents["m"].multiple == 128;
    const std::int64_t side = is_whole ? 128 : 16, inner = is_whole ? 32 : 16;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      int watched = 0;
      for (std::uint64_t index = 0; index < 300; ++index) {
        const auto gemm = operation::view<operation::Gemm>(draw(request, seed, index).operation);
        const bool has_two = gemm.m > side && gemm.n > side && gemm.k > inner;
        watched += has_two && is_risky(request, seed, index) ? 1 : 0;
      }
      EXPECT_GE(watched, 3) << seed;
    }
  }
}

TEST(Shapes, ThatAreAllThereAreAreNoCollapse) {
  Request fixed = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  for (const char* const extent : {"batch", "m", "n", "k"}) fixed.limits.extents[extent] = {.min = 4, .max = 4};
  EXPECT_FALSE(shapes_of(fixed, 1, 50).is_collapsed());
  Request asked = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  for (const char* const extent : {"batch", "m", "n", "k"}) asked.mix.extents[extent] = {4, 4};
  EXPECT_FALSE(shapes_of(asked, 1, 50).is_collapsed()) << "it was asked for";
  Request large = whole_tiles();
  for (const char* const extent : {"m", "n", "k"}) large.limits.extents[extent] = {.min = 256, .multiple = 256};
  const ShapeCounts counts = shapes_of(large, 1, 300);
  EXPECT_TRUE(counts.is_collapsed());
  EXPECT_EQ(counts.distinct(), 1u);
  EXPECT_EQ(counts.only_least(), 256 * 256 * 256);
}

TEST(Shapes, CountTilesRowsAndOffsets) {
  Request request = whole_tiles();
  ShapeCounts counts(request);
  counts.add({{1, 128, 256, 32}, 5});
  counts.add({{1, 128, 256, 32}, 500});
  counts.add({{1, 384, 640, 0}, 50});
  EXPECT_EQ(counts.distinct(), 2u);
  EXPECT_EQ(counts.commonest(), (std::pair<std::vector<std::int64_t>, std::uint64_t>{{1, 128, 256, 32}, 2}));
  EXPECT_EQ(counts.tiles()[1].cases, (std::array<std::uint64_t, 5>{0, 2, 0, 1, 0}));
  EXPECT_EQ(counts.tiles()[2].cases, (std::array<std::uint64_t, 5>{0, 0, 2, 0, 1}));
  EXPECT_EQ(counts.tiles()[3].cases, (std::array<std::uint64_t, 5>{1, 2, 0, 0, 0}));
  EXPECT_EQ(counts.longest_row(), 32);
  EXPECT_EQ(counts.largest_offset(), 500);
}

TEST(Shapes, OfOneElementHaveAnyStrides) {
  const Request request = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  std::map<std::string, int> seen;
  for (std::uint64_t index = 0; index < kRound; ++index) {
    const Plan plan = draw(request, 1, index);
    const tensor::Layout& a = plan.layouts.at("a");
    if (a.shape[1] != 1 || a.shape[2] < 2) continue;
    ++seen["one row"];
    seen["longer"] += a.strides[1] > a.shape[2] * a.strides[2] + 16 ? 1 : 0;
    seen["shorter"] += a.strides[1] < a.shape[2] * a.strides[2] ? 1 : 0;
  }
  EXPECT_GE(seen["longer"], seen["one row"] / 20);
  EXPECT_GE(seen["shorter"], seen["one row"] / 40);
}

}  // namespace
}  // namespace negzero::generate

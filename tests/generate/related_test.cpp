// Cases inside limits of single tensors and of extents together: by construction, of every class of extents.

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/draw.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/relations.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

constexpr std::uint64_t kManyPlans = 100'000;

/// Plans of one request, all of which must lie inside.
template <typename Look>
void each_plan(const Request& request, std::uint64_t count, const Look& look) {
  ASSERT_TRUE(validate(request).ok()) << validate(request).error().message;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Plan plan = draw(request, 3, index);
    const auto reason = operation::outside(request.limits, plan.operation, plan.layouts);
    ASSERT_FALSE(reason.has_value()) << index << ": " << *reason;
    look(plan);
  }
}

TEST(Related, PlansLieInsideEveryNewLimit) {
  for (const Request& request : related_requests()) {
    SCOPED_TRACE(request.operation + ": " + operation::describe(request.limits, request.operation));
    // All of them inside at the first attempts, or the classes below would be rare.
    each_plan(request, kManyPlans, [](const Plan&) {});
  }
}

TEST(Related, PowersOfTwoComeInAllSizes) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.extents["k"] = {.max = 4096, .power_of_two = true};
  std::map<std::int64_t, int> seen;
  each_plan(request, 20'000, [&](const Plan& plan) { ++seen[plan.operation.extent("k")]; });
  for (std::int64_t k = 1; k <= 4096; k *= 2) EXPECT_GE(seen[k], 20) << k;
  EXPECT_EQ(seen.size(), 13u);
}

TEST(Related, EqualExtentsAreAsVariedAsOthers) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.equal = {{"m", "n", "k"}};
  request.limits.extents["m"].tiles = {24};
  std::map<std::int64_t, int> seen;
  int empty = 0, even = 0, odd = 0, large = 0;
  each_plan(request, 20'000, [&](const Plan& plan) {
    const std::int64_t side = plan.operation.extent("n");
    ++seen[side];
    empty += side == 0 ? 1 : 0;
    (side % 2 == 0 ? even : odd) += 1;
    large += side > 64 ? 1 : 0;
    EXPECT_LE(side, 1024) << "the cube would take for ever";
  });
  EXPECT_GE(empty, 20);
  EXPECT_LE(empty, 2'000);
  EXPECT_GE(even, 5'000);
  EXPECT_GE(odd, 5'000);
  EXPECT_GE(large, 20);
  for (const std::int64_t side : {1, 2, 7, 8, 9, 16, 23, 24, 25, 31, 32, 33, 64}) EXPECT_GE(seen[side], 10) << side;
}

TEST(Related, ProductsAreMetAtTheirBound) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.products = {{.of = {"m", "n"}, .max = 60}};
  int at_bound = 0, tall = 0, wide = 0;
  each_plan(request, 20'000, [&](const Plan& plan) {
    const std::int64_t m = plan.operation.extent("m"), n = plan.operation.extent("n");
    at_bound += m * n == 60 ? 1 : 0;
    tall += m > n ? 1 : 0;
    wide += n > m ? 1 : 0;
  });
  EXPECT_GE(at_bound, 100);
  EXPECT_GE(tall, 3'000);
  EXPECT_GE(wide, 3'000);
}

TEST(Related, ColumnMajorHasLeadingDimensionsGapsAndOffsets) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.tensors["a"] = {.order = operation::LayoutOrder::ColumnMajor, .broadcast = false};
  int packed = 0, leading = 0, between_batches = 0, offset = 0, several = 0;
  each_plan(request, 20'000, [&](const Plan& plan) {
    const tensor::Layout& a = plan.layouts.at("a");
    if (a.element_count() == 0 || a.shape[2] < 2 || a.shape[1] < 2) return;
    (a.strides[2] == a.shape[1] ? packed : leading) += 1;
    offset += a.offset > 0 ? 1 : 0;
    if (a.shape[0] < 2) return;
    ++several;
    between_batches += a.strides[0] > a.strides[2] * a.shape[2] ? 1 : 0;
  });
  EXPECT_GE(packed, 2'000);
  EXPECT_GE(leading, 2'000);
  EXPECT_GE(offset, 2'000);
  EXPECT_GE(between_batches, several / 20);
}

/// Whatever the strategy fills, one matrix is what all batches get.
TEST(Related, SharedBatchesHaveTheSameElements) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.tensors["b"] = {.shared = {"batch"}};
  int several = 0;
  for (std::uint64_t index = 0; index < 3'000; ++index) {
    const operation::Case value = make_case(request, 5, index);
    ASSERT_TRUE(operation::validate(value).ok()) << validate(value).error().message;
    const tensor::Tensor& b = value.tensors.at("b");
    const std::int64_t batches = b.shape()[0], matrix = b.shape()[1] * b.shape()[2];
    if (batches < 2 || matrix == 0) continue;
    ++several;
    EXPECT_EQ(value.layouts.at("b").strides[0], 0);
    for (std::int64_t i = matrix; i < b.element_count(); ++i) ASSERT_EQ(b.get(i), b.get(i - matrix)) << index;
  }
  EXPECT_GE(several, 300);
}

/// Relations between terms that are one element cannot be kept. The case is valid all the same.
TEST(Related, TermsThatAreSharedAreOneValue) {
  Request request = scatter_request("scatter.add", number::FormatId::F32);
  request.limits.tensors["x"] = {.shared = {"updates"}};
  for (std::uint64_t index = 0; index < 1'000; ++index) {
    const operation::Case value = make_case(request, 5, index);
    ASSERT_TRUE(operation::validate(value).ok()) << validate(value).error().message;
    ASSERT_FALSE(operation::outside(request.limits, value.operation, value.layouts));
    const tensor::Tensor& x = value.tensors.at("x");
    for (std::int64_t i = 1; i < x.element_count(); ++i) ASSERT_EQ(x.get(i), x.get(0)) << index;
  }
}

TEST(Related, ExtentsThatAreAskedForKeepRelations) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.equal = {{"m", "n"}};
  request.limits.extents["k"].power_of_two = true;
  request.mix.extents = {{"m", {4, 40, 3}}, {"n", {1, 33, 2}}, {"k", {3, 70}}};
  std::set<std::int64_t> sides, depths;
  each_plan(request, 2'000, [&](const Plan& plan) {
    EXPECT_TRUE(fits(request.mix.extents, plan.operation));
    sides.insert(plan.operation.extent("m"));
    depths.insert(plan.operation.extent("k"));
  });
  EXPECT_EQ(sides, (std::set<std::int64_t>{7, 13, 19, 25, 31}));
  EXPECT_EQ(depths, (std::set<std::int64_t>{4, 8, 16, 32, 64}));
  request.mix.extents["n"] = {64, 64};
  EXPECT_EQ(validate(request).error().message,
            "extent m=4:40:3 n=64: the kernel's limits want them equal, and they have no value in common; ask for one "
            "of them");
  request.mix.extents = {{"k", {5, 7}}};
  EXPECT_NE(validate(request).error().message.find("a power of two"), std::string::npos);
}

TEST(Related, SmallerPlansLieInsideAndReachTheSmallest) {
  for (const Request& request : related_requests()) {
    SCOPED_TRACE(operation::describe(request.limits, request.operation));
    Plan plan = draw(request, 9, 77);
    for (int steps = 0; steps < 200; ++steps) {
      const std::vector<Plan> smaller = smaller_plans(request, plan);
      for (const Plan& each : smaller) {
        ASSERT_FALSE(operation::outside(request.limits, each.operation, each.layouts));
      }
      if (smaller.empty()) break;
      plan = smaller.front();
    }
    for (std::size_t e = 0; e < plan.operation.extents().size(); ++e) {
      const std::string& name = plan.operation.signature().extents[e];
      const auto limits = operation::with_common_extents(request.limits, plan.operation.signature());
      EXPECT_EQ(plan.operation.extents()[e], *limits.extents[name].at_least(0)) << name;
    }
  }
}

}  // namespace
}  // namespace negzero::generate

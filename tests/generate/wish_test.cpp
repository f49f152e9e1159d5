// Wishes: the same number of each in every thousand cases, inside limits, and only as expensive as they may be.

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_list.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using operation::work_of;

/// Cases of the stream that have a wish, by kind, but for those that long searches have fewer of.
std::map<std::size_t, int> kinds(const Request& request, std::uint64_t seed, std::uint64_t first) {
  std::map<std::size_t, int> result;
  for (std::uint64_t index = first; index < first + kRound; ++index) {
    const auto wish = wish_of(request, seed, index);
    if (wish && wish->layouts.kind != LayoutWish::Kind::Distant) ++result[wish->kind];
  }
  return result;
}

TEST(Wishes, AreTheSameInEveryThousandOfEverySeed) {
  for (const Request& request : all_requests()) {
    const auto wanted = kinds(request, 1, 0);
    EXPECT_GE(wanted.size(), 4u) << request.operation;
    int total = 0;
    for (const auto& [kind, count] : wanted) total += count;
    EXPECT_LE(total, 300) << "chance has the other cases";
    // Whether a wish fits a product, or is one for all equal extents, depends on the lengths that it draws.
    if (!request.limits.equal.empty() || !request.limits.products.empty()) continue;
    // But for what takes turns: a side with so many tiles may be longer than its limit.
    for (const auto& [seed, first] : {std::pair{1, 1000}, {2, 0}, {3, 5000}}) {
      for (const auto& [kind, count] :
           kinds(request, static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(first))) {
        const auto same = wanted.find(kind);
        if (same == wanted.end()) continue;
        EXPECT_EQ(count, same->second) << request.operation << " " << kind;
      }
    }
  }
}

TEST(Wishes, AreSpreadOverAThousand) {
  const Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  for (std::uint64_t first = 0; first < kRound; first += 100) {
    int wishes = 0;
    for (std::uint64_t index = first; index < first + 100; ++index) wishes += wish_of(request, 7, index) ? 1 : 0;
    EXPECT_GE(wishes, 4) << first;
    EXPECT_LE(wishes, 36) << first;
  }
}

TEST(Wishes, ComeTrueInsideTheLimits) {
  for (const Request& request : all_requests()) {
    int granted = 0, all = 0;
    for (std::uint64_t index = 0; index < kRound; ++index) {
      const auto wish = wish_of(request, 3, index);
      if (!wish) continue;
      const Plan plan = draw(request, 3, index);
      ASSERT_FALSE(operation::outside(request.limits, plan.operation, plan.layouts, plan.in_place));
      bool is_granted = true;
      for (std::size_t e = 0; e < plan.operation.extents().size(); ++e) {
        const bool grows = e == plan.operation.signature().reduced;  // To as many terms as its strategy needs.
        const std::int64_t value = plan.operation.extents()[e];
        if (wish->extents[e] == Wish::kFree) continue;
        is_granted = is_granted && (value == wish->extents[e] || (grows && value > wish->extents[e]));
      }
      granted += is_granted ? 1 : 0;
      ++all;
      EXPECT_LE(work_of(plan.operation, std::int64_t{1} << 24), std::int64_t{1} << 23);
    }
    EXPECT_GE(granted, all * 9 / 10) << request.operation;
  }
}

TEST(Wishes, OfTilesAreAsManyAsTheSmallestCaseBears) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  for (const char* const extent : {"m", "n", "k"}) request.limits.extents[extent] = {.min = 128, .multiple = 128};
  std::int64_t most = 0, total = 0;
  for (std::uint64_t index = 0; index < kRound; ++index) {
    const std::int64_t work = work_of(draw(request, 1, index).operation, std::int64_t{1} << 30);
    most = std::max(most, work);
    total += work;
  }
  const std::int64_t smallest = 128 * 128 * 128;
  EXPECT_EQ(most, 8 * smallest);
  EXPECT_LE(total, std::int64_t{kRound} * smallest * 3) << "most cases have one to three tiles";
}

TEST(Wishes, YieldToExtentsThatAreAskedFor) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.mix.extents = {{"m", {96, 96}}, {"k", {64, 256, 64}}};
  ASSERT_TRUE(validate(request).ok());
  std::set<std::int64_t> lengths;
  for (std::uint64_t index = 0; index < kRound; ++index) {
    const Plan plan = draw(request, 1, index);
    EXPECT_EQ(plan.operation.extent("m"), 96);
    lengths.insert(plan.operation.extent("k"));
  }
  EXPECT_EQ(lengths, (std::set<std::int64_t>{64, 128, 192, 256}));
}

std::string refusal(const ExtentRanges& ranges) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.extents["k"] = {.min = 16, .max = 64, .multiple = 16};
  request.mix.extents = ranges;
  const auto valid = validate(request);
  return valid ? "" : valid.error().message;
}

TEST(Extents, ThatAreAskedForAreAcceptedOrRefusedByName) {
  EXPECT_EQ(refusal({{"k", {1, 100}}}), "");
  EXPECT_EQ(refusal({{"k", {1, 100, 3}}}), "") << "48 is 1 + 3 * 47 / 3";
  EXPECT_EQ(refusal({{"q", {3, 3}}}), "extent q=3: gemm has no extent q; it has batch, m, n, k");
  EXPECT_EQ(refusal({{"k", {65, 4096}}}),
            "extent k=65:4096: the kernel's limits accept no such value; ask for 16 to 64, a multiple of 16");
  EXPECT_EQ(refusal({{"k", {17, 63, 16}}}),
            "extent k=17:63:16: the kernel's limits accept no such value; ask for 16 to 64, a multiple of 16");
  EXPECT_EQ(refusal({{"m", {5, 4}}}), "extent m=5:4: the values lie between 0 and 2147483648, the low end first");
  EXPECT_EQ(refusal({{"m", {65536, 65536}}, {"n", {65536, 65536}}}),
            "tensor c of these extents has more than 2147483648 elements; ask for smaller ones");
}

TEST(Extents, AreDrawnFromAllAcceptedValues) {
  const auto values = accepted({1, 100, 3}, {.min = 16, .max = 64, .multiple = 16});
  ASSERT_TRUE(values);
  EXPECT_EQ(*values, (ExtentRange{16, 64, 48}));
  EXPECT_FALSE(accepted({1, 99, 2}, {.multiple = 16}));
  EXPECT_EQ(accepted({0, 10}, {})->high, 10);
}

TEST(Wish, NoListIsLongerThanWhatIsLookedAt) {
  for (const char* name : {"gemm", "gemm.grouped", "reduce.sum", "scan.inclusive", "convert", "scatter.add"}) {
    const notation::Signature* const signature = operation::find_signature(name);
    ASSERT_NE(signature, nullptr) << name;
    const operation::Limits limits;
    WishList list(*signature, limits, WishPlace{}, base::Random(1));
    wish_for_all(list);
    EXPECT_LE(list.offered(), kMostWishes) << name;
  }
}

}  // namespace
}  // namespace negzero::generate

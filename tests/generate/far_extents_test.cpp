// Extents that 16 bits do not count: drawn for every operation and dimension, one to three cases of each in every
// thousand.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using number::FormatId;

constexpr int kPlans = 20000;

/// Plans with an extent past 16 bits, counted by its name ("any": by plan).
std::map<std::string, int> count_far(const Request& request, std::uint64_t seed) {
  std::map<std::string, int> counts;
  for (std::uint64_t index = 0; index < kPlans; ++index) {
    const Plan plan = draw(request, seed, index);
    bool any = false;
    for (const operation::Extent& extent : operation::extents_of(plan.operation)) {
      if (extent.value <= 65535) continue;
      ++counts[std::string(extent.name)];
      any = true;
    }
    counts["any"] += any ? 1 : 0;
  }
  return counts;
}

TEST(FarExtents, OccurInEveryDimensionOfEveryOperation) {
  const std::map<std::string, std::vector<std::string>> dimensions{
      {"gemm", {"batch", "m", "n", "k"}}, {"reduce", {"rows", "columns"}}, {"scatter", {"updates", "destinations"}}};
  for (const Request& request :
       {gemm_request(FormatId::F32, FormatId::F32, FormatId::F32),
        gemm_request(FormatId::F16, FormatId::F32, FormatId::F16),
        reduce_request("reduce.sum", FormatId::F32, FormatId::F32, FormatId::F32),
        reduce_request("reduce.argmax", FormatId::F32, FormatId::F32, FormatId::I32),
        scatter_request("scatter.add", FormatId::BF16), scatter_request("scatter.max", FormatId::F32)}) {
    SCOPED_TRACE(request.operation);
    for (const std::uint64_t seed : {1, 2, 3}) {
      std::map<std::string, int> counts = count_far(request, seed);
      EXPECT_GE(counts["any"], kPlans / 1000 * 2);
      // Of a selection more: a place past 16 bits shows only where its element wins.
      const bool selects = request.operation.ends_with("max");
      EXPECT_LE(counts["any"], kPlans / 1000 * (selects ? 20 : 10));
      const auto& names = dimensions.at(request.operation.substr(0, request.operation.find('.')));
      for (const std::string& name : names) {
        EXPECT_GE(counts[name], kPlans / 1000) << name;
      }
    }
  }
}

TEST(FarExtents, StayInsideLimitsAndTakeTheDimensionsThatMayBeLong) {
  Request request = gemm_request(FormatId::F16, FormatId::F32, FormatId::F32);
  request.limits.extents["batch"] = {.min = 1, .max = 65535};
  request.limits.extents["m"] = {.min = 0, .max = 4096, .multiple = 16};
  request.limits.extents["n"].multiple = 8;
  int longest_batch = 0, many_columns = 0;
  for (std::uint64_t index = 0; index < kPlans; ++index) {
    const Plan plan = draw(request, 1, index);
    ASSERT_FALSE(operation::outside(request.limits, plan.operation, plan.layouts, plan.in_place));
    const auto& gemm = operation::view<operation::Gemm>(plan.operation);
    if (gemm.n > 65535) {
      EXPECT_LE(gemm.batch * gemm.m * gemm.n * gemm.k, std::int64_t{1} << 23);
    }
    longest_batch += gemm.batch == 65535 ? 1 : 0;
    many_columns += gemm.n > 65535 ? 1 : 0;
  }
  EXPECT_EQ(longest_batch, 0) << "65535 batches of the smallest tile are too many products";
  EXPECT_GE(many_columns, kPlans / 1000);
}

// An index kept in 16 bits is seen only where the winner (the first NaN, where there is one) stands past element 65535.
TEST(FarExtents, HaveArgmaxWinnersBehindThem) {
  const Request request = reduce_request("reduce.argmax", FormatId::F32, FormatId::F32, FormatId::I32);
  const number::Format& format = number::format(FormatId::F32);
  int behind = 0;
  for (std::uint64_t index = 0; index < kPlans; ++index) {
    const Plan plan = draw(request, 1, index);
    const std::int64_t columns = operation::view<operation::Reduce>(plan.operation).columns;
    if (columns <= 65536) continue;
    const operation::Case value = expand(request, plan);
    const tensor::Tensor& x = value.tensors.at("x");
    std::int64_t winner = 0;
    for (std::int64_t i = 0; i < columns && !number::is_nan(format, x.get(winner)); ++i) {
      const bool wins = number::to_double(format, x.get(i)) > number::to_double(format, x.get(winner));
      if (wins || number::is_nan(format, x.get(i))) winner = i;
    }
    behind += winner > 65535 ? 1 : 0;
  }
  EXPECT_GE(behind, kPlans / 2000);
}

TEST(FarExtents, HaveUpdatesOfDestinationsBehindThem) {
  const Request request = scatter_request("scatter.add", FormatId::F32);
  int behind = 0;
  for (std::uint64_t index = 0; index < kPlans; ++index) {
    const Plan plan = draw(request, 1, index);
    if (operation::view<operation::Scatter>(plan.operation).destinations <= 65536) continue;
    const operation::Case value = expand(request, plan);
    const tensor::Tensor& list = value.tensors.at("index");
    std::uint64_t highest = 0;
    for (std::int64_t i = 0; i < list.element_count(); ++i) highest = std::max(highest, list.get(i));
    behind += highest > 65535 ? 1 : 0;
  }
  EXPECT_GE(behind, kPlans / 1500);
}

}  // namespace
}  // namespace negzero::generate

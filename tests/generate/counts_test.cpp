// Counts of padded tensors meet what schedulers of groups err at, and both factors are filled as for a GEMM.

#include <map>
#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

Request request_with_tiles() {
  Request request = grouped_request(number::FormatId::F32);
  request.limits.extents["capacity"].tiles = {16};
  return request;
}

TEST(Counts, MeetWhatKernelsErrAt) {
  std::map<std::string, int> seen;
  constexpr std::uint64_t kCases = 2000;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const operation::Case value = make_case(request_with_tiles(), 1, index);
    const std::int64_t capacity = value.operation.extent("capacity"), groups = value.operation.extent("groups");
    const tensor::Tensor& rows = value.tensors.at("rows");
    std::int64_t sum = 0, most = 0;
    bool was_positive = false, had_gap = false, lost_in_gap = false;
    for (std::int64_t g = 0; g < groups; ++g) {
      const auto count = static_cast<std::int64_t>(rows.get(g));
      sum += count;
      most = std::max(most, count);
      if (count > 0) lost_in_gap |= had_gap;
      had_gap |= was_positive && count == 0;
      was_positive |= count > 0;
      if (capacity > 17) {
        seen["just below a tile"] += count == 15 ? 1 : 0;
        seen["a tile"] += count == 16 ? 1 : 0;
        seen["just above a tile"] += count == 17 ? 1 : 0;
      }
      seen["one below the capacity"] += capacity > 1 && count == capacity - 1 ? 1 : 0;
    }
    seen["several groups"] += groups > 1 ? 1 : 0;
    seen["no groups"] += groups == 0 ? 1 : 0;
    seen["nothing counts"] += groups > 0 && sum == 0 ? 1 : 0;
    seen["all counts"] += groups > 1 && sum > 0 && sum == groups * capacity ? 1 : 0;
    seen["one has everything"] += groups > 1 && sum == most && most == capacity && capacity > 0 ? 1 : 0;
    seen["an empty group between others"] += lost_in_gap ? 1 : 0;
    seen["padding"] += sum > 0 && sum < groups * capacity ? 1 : 0;
  }
  for (const auto& [what, count] : seen) EXPECT_GE(count, what == "no groups" ? 1 : 20) << what;
  EXPECT_GT(seen["several groups"], 1200);
  EXPECT_GT(seen["padding"], 800);
  EXPECT_LT(seen["nothing counts"], 400);
}

TEST(Counts, BothFactorsAreFilled) {
  int empty = 0, cases = 0;
  for (std::uint64_t index = 0; index < 500; ++index) {
    const operation::Case value = make_case(request_with_tiles(), 2, index);
    for (const char* name : {"a", "b"}) {
      const tensor::Tensor& tensor = value.tensors.at(name);
      if (tensor.element_count() < 8) continue;
      ++cases;
      bool all_zero = true;
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) all_zero &= tensor.get(i) == 0;
      empty += all_zero ? 1 : 0;
    }
  }
  EXPECT_GT(cases, 500);
  EXPECT_LT(empty, cases / 50);
}

TEST(Counts, FollowTheExtentsThatAreAskedFor) {
  Request request = request_with_tiles();
  request.mix.extents = {{"groups", {3, 3, 1}}, {"capacity", {40, 40, 1}}};
  ASSERT_TRUE(validate(request).ok());
  for (std::uint64_t index = 0; index < 50; ++index) {
    const operation::Case value = make_case(request, 3, index);
    EXPECT_EQ(value.operation.extent("groups"), 3);
    EXPECT_EQ(value.operation.extent("capacity"), 40);
  }
}

}  // namespace
}  // namespace negzero::generate

// What 1,000 cases reach, without running any: every coincidence of the table, with every seed.

#include "coincidences.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

namespace negzero::coincidences {
namespace {

constexpr std::uint64_t kSeeds = 10, kCases = 1000;

Shape shape_of(const generate::Plan& plan) {
  Shape shape;
  for (const operation::Extent& extent : operation::extents_of(plan.operation)) {
    shape.extents.emplace(extent.name, extent.value);
  }
  shape.layouts.insert(plan.layouts.begin(), plan.layouts.end());
  return shape;
}

class Reached : public testing::TestWithParam<Coincidence> {};

TEST_P(Reached, InEveryThousandCases) {
  const Coincidence& wanted = GetParam();
  const generate::Request request{.operation = wanted.operation, .limits = wanted.limits};
  ASSERT_TRUE(generate::validate(request).ok());
  std::string counts;
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    int cases = 0;
    for (std::uint64_t index = 0; index < kCases; ++index) {
      cases += wanted.holds(shape_of(generate::draw(request, seed, index))) ? 1 : 0;
    }
    reached += cases > 0 ? 1 : 0;
    counts += " " + std::to_string(cases);
  }
  RecordProperty("cases", counts);
  EXPECT_EQ(reached, kSeeds) << "cases by seed:" << counts;
}

INSTANTIATE_TEST_SUITE_P(Coincidences, Reached, testing::ValuesIn(coincidences()), [](const auto& row) {
  std::string name = row.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace negzero::coincidences

// Sums of a few terms: exactness, the hull, the bounds, each at its boundary.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(Smoke, SumOfThree) {
  const auto set =
      permitted(dot_case({.a = words(FormatId::F32, {1, 2, 3}), .b = words(FormatId::F32, {4, 5, 6})}), {});
  EXPECT_EQ(set.rule, "sum.exact");
  EXPECT_EQ(set.to_string(), "32 (0x42000000)");
  const auto tenth =
      permitted(dot_case({.a = words(FormatId::F32, {.1, .2, .3}), .b = words(FormatId::F32, {.4, .5, .6})}), {});
  EXPECT_EQ(tenth.rule, "sum.hull") << tenth.to_string();
  const auto many = permitted(dot_case({.a = words(FormatId::F32, {.1, .2, .3, .1, .2, .3, .1, .2, .3}),
                                        .b = words(FormatId::F32, {.4, .5, .6, .4, .5, .6, .4, .5, .6})}),
                              {});
  EXPECT_EQ(many.rule, "sum.any_order");
}

}  // namespace
}  // namespace negzero::oracle

// The stated sets of numerics.md (scalings, promotion, wider accumulators, output roundings) hold all that is
// reachable.

#include "stated.hpp"

#include <cstdint>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "drawing.hpp"

namespace negzero::oracle_cross {
namespace {

class StatedSets : public testing::TestWithParam<Flavour> {};

TEST_P(StatedSets, HoldEverythingReachable) {
  const Flavour flavour = GetParam();
  base::Random random = base::Random(seed_of_run()).split(100 + static_cast<std::uint64_t>(flavour));
  const std::uint64_t wanted = sets_of_run(20'000) / 10;
  std::uint64_t decided = 0;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const Drawn drawn = draw_scenario(random, flavour);
    const OperandSet set = draw_operands(random, drawn);
    const auto stated = stated_set(drawn.scenario, set);
    if (!stated) continue;
    ++decided;
    for (const Code code : reach(drawn.scenario, set)) {
      const bool negative = (code & kSignBit) != 0;
      if (code == kNan) {
        ASSERT_TRUE(stated->nan) << describe(drawn.scenario, set);
      } else if (!is_finite(drawn.scenario.output(), code)) {
        ASSERT_TRUE(negative ? stated->minus_infinity : stated->plus_infinity) << describe(drawn.scenario, set);
      } else {
        ASSERT_GE(steps(code), stated->low) << describe(drawn.scenario, set);
        ASSERT_LE(steps(code), stated->high) << describe(drawn.scenario, set);
      }
    }
  }
  EXPECT_GT(decided, wanted / 4) << "too few sets had a stated bound";
}

INSTANTIATE_TEST_SUITE_P(Flavours, StatedSets,
                         testing::Values(Flavour::Plain, Flavour::Chain, Flavour::Directed, Flavour::Flushing,
                                         Flavour::Scaled, Flavour::Output, Flavour::Wider, Flavour::Compensated,
                                         Flavour::Promoted, Flavour::Multiplicand, Flavour::Mixed),
                         [](const auto& instance) { return std::string(name(instance.param)); });

}  // namespace
}  // namespace negzero::oracle_cross

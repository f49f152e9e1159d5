// The oracle's permitted sets of sums against brute force: millions of operand sets, not one disagreement.

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compare.hpp"
#include "drawing.hpp"

namespace negzero::oracle_cross {
namespace {

class Sums : public testing::TestWithParam<Flavour> {};

/// How many sets one case holds: single elements and batches, because the oracle may spend more on few outputs.
std::size_t draw_batch(base::Random& random) {
  constexpr std::size_t kBatches[] = {1, 1, 4, 16, 64, 256};
  return kBatches[random.below(std::size(kBatches))];
}

TEST_P(Sums, AgreeWithBruteForce) {
  const Flavour flavour = GetParam();
  const std::uint64_t wanted = sets_of_run(220'000) / kFlavours;
  base::Random random = base::Random(seed_of_run()).split(static_cast<std::uint64_t>(flavour));
  Tally tally;
  while (tally.total() < wanted) {
    const Drawn drawn = draw_scenario(random, flavour);
    std::vector<OperandSet> sets;
    for (std::size_t left = draw_batch(random); left > 0; --left) sets.push_back(draw_operands(random, drawn));
    const auto disagreement = compare_all(drawn.scenario, sets, tally);
    ASSERT_FALSE(disagreement) << *disagreement;
  }
  RecordProperty("operand_sets", std::to_string(tally.total()));
  std::cout << name(flavour) << ": " << tally.to_string() << "\n";
}

INSTANTIATE_TEST_SUITE_P(Flavours, Sums,
                         testing::Values(Flavour::Plain, Flavour::Chain, Flavour::Directed, Flavour::Flushing,
                                         Flavour::Scaled, Flavour::Output, Flavour::Wider, Flavour::Compensated,
                                         Flavour::Promoted, Flavour::Multiplicand, Flavour::Specials, Flavour::Mixed,
                                         Flavour::Means, Flavour::Formula),
                         [](const auto& instance) { return std::string(name(instance.param)); });

/// Every pair of a format's corner values, added and multiplied with another pair, in every contraction and order.
TEST(SumsExhaustive, TwoTermsOfCornerValues) {
  Tally tally;
  for (const number::FormatId id : {number::FormatId::F8_E5M2, number::FormatId::F8_E4M3, number::FormatId::F16}) {
    const std::vector<Code> corners = corner_values(id);
    for (const contract::Order order : {contract::Order::Any, contract::Order::Ascending}) {
      Scenario scenario;
      scenario.a = scenario.b = scenario.d = scenario.contract.accumulate = id;
      scenario.contract.wider = false;
      scenario.contract.zero_sign = contract::ZeroSign::Ieee;
      scenario.contract.order = order;
      std::vector<OperandSet> sums;
      std::vector<OperandSet> products;
      for (const Code x : corners) {
        for (const Code y : corners) {
          sums.push_back({{x, y}, {}, 0});
          for (const Code z : {corners.front(), corners[3], corners[corners.size() / 2], corners.back()}) {
            products.push_back({{x, z}, {y, y}, 0});
          }
        }
      }
      scenario.shape = Scenario::Shape::Reduce;
      auto disagreement = compare_all(scenario, sums, tally);
      ASSERT_FALSE(disagreement) << *disagreement;
      scenario.shape = Scenario::Shape::Gemm;
      for (const auto contraction :
           {contract::Contraction::Fused, contract::Contraction::Separate, contract::Contraction::Either}) {
        scenario.contract.contraction = contraction;
        disagreement = compare_all(scenario, products, tally);
        ASSERT_FALSE(disagreement) << *disagreement;
      }
    }
  }
  std::cout << "two terms: " << tally.to_string() << "\n";
}

}  // namespace
}  // namespace negzero::oracle_cross

// Legal ways of one sum that differ from the ways beside them only where something is turned around.

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::IntermediateAt;
using contract::Order;
using contract::Start;
using contract::ZeroSign;
using ::testing::ElementsAre;

/// One product x * y of F32 with alpha = -1.
Dot turned(double x, double y) {
  Dot dot{.alpha = {FormatId::F32, word(FormatId::F32, -1)}};
  dot.a = words(FormatId::F32, {x});
  dot.b = words(FormatId::F32, {y});
  return dot;
}

TEST(FoldedSign, MeetsADirectedRoundingOfTheSumTurnedAround) {
  const Dot dot = turned(1 + 0x1p-12, 1);
  Contract contract = accumulating(FormatId::F32);
  contract.intermediate = {{FormatId::F16, number::Rounding::Down}};
  contract.intermediate_at = IntermediateAt::Sum;
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "-1 (0xbf800000)");
  contract.alpha = AlphaPlace::Operand;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "-1.0009766 (0xbf802000)");
  for (const AlphaPlace either : {AlphaPlace::Any, AlphaPlace::Partial}) {
    contract.alpha = either;
    const Permitted set = permitted(dot_case(dot), contract);
    EXPECT_TRUE(set.contains(word(FormatId::F32, -1)) && set.contains(word(FormatId::F32, -1 - 0x1p-10)));
    EXPECT_FALSE(set.contains(word(FormatId::F32, -1 + 0x1p-10)) || set.contains(word(FormatId::F32, -1 - 0x1p-9)));
  }
}

TEST(FoldedSign, OverflowsADirectedRoundingOfTheSumOnItsOwnSide) {
  // F8_E4M3 has no Inf, so that what overflows upwards is NaN; turned around 449 goes to -448.
  const Dot dot = turned(449, -1);
  Contract contract = accumulating(FormatId::F32);
  contract.intermediate = {{FormatId::F8_E4M3, number::Rounding::Up}};
  contract.intermediate_at = IntermediateAt::Sum;
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_FALSE(permitted(dot_case(dot), contract).nan);
  contract.alpha = AlphaPlace::Any;
  EXPECT_TRUE(permitted(dot_case(dot), contract).nan);
}

TEST(FoldedSign, LeavesTheZeroOfAChainThatStartsAtPlusZero) {
  // (+0 + -0) + -0 = +0, but -(+0 + 0) + -0 = -0.
  Dot dot = turned(0, 1);
  dot.beta = {FormatId::F32, word(FormatId::F32, 1)};
  dot.c = word(FormatId::F32, -0.0);
  Contract contract = accumulating(FormatId::F32);
  contract.order = Order::Ascending;
  contract.start = Start::PlusZero;
  contract.beta = BetaPlace::Leaf;
  contract.zero_sign = ZeroSign::Ieee;
  const auto zeros = [&](AlphaPlace place) {
    contract.alpha = place;
    const Permitted set = permitted(dot_case(dot), contract);
    return std::vector<bool>{set.plus_zero, set.minus_zero};
  };
  EXPECT_THAT(zeros(AlphaPlace::Epilogue), ElementsAre(false, true));
  EXPECT_THAT(zeros(AlphaPlace::Operand), ElementsAre(true, false));
  EXPECT_THAT(zeros(AlphaPlace::Any), ElementsAre(true, true));
}

}  // namespace
}  // namespace negzero::oracle

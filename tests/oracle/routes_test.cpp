// Legal ways of one sum that differ from the ways beside them only where something is folded, loaded or turned around.

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::AccumulateRounding;
using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::IntermediateAt;
using contract::Order;
using contract::Start;
using contract::Subnormals;
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

TEST(FoldedSign, LeavesNothingToAnEpilogueThatCannotHoldTheSum) {
  // Scalars of F16 have more bits than BF16, and fewer numbers: -1 times 2^20 is -Inf there.
  const Dot dot = turned(0x1p20, 1);
  Contract contract = accumulating(FormatId::BF16);
  contract.scalar_format = FormatId::F16;
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "-inf");
  contract.alpha = AlphaPlace::Any;
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(word(FormatId::F32, -0x1p20)));
  // An exact sum settles nothing here: a wider accumulator is scaled in its own format.
  contract.alpha = AlphaPlace::Epilogue;
  contract.wider = true;
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(word(FormatId::F32, -0x1p20)));
}

/// A product of zero and C beside an accumulator that may be unable to hold it.
Dot only_c(FormatId factors, FormatId d, double beta, double c) {
  Dot dot{.factors = factors, .d = d, .beta = {FormatId::F32, word(FormatId::F32, beta)}};
  dot.a = words(factors, {0});
  dot.b = words(factors, {1});
  dot.c = word(d, c);
  return dot;
}

TEST(LoadedC, ThatTheAccumulatorRoundsIsScaledBeforeOrAfter) {
  Contract contract = accumulating(FormatId::F16);
  const auto values = [&](double c, BetaPlace place) {
    contract.beta = place;
    const Permitted set = permitted(dot_case(only_c(FormatId::F16, FormatId::F32, 3, c)), contract);
    return std::vector<double>{set.contains(word(FormatId::F32, 3)) ? 3.0 : 0.0,
                               set.contains(word(FormatId::F32, 3 + 0x1p-9)) ? 3 + 0x1p-9 : 0.0};
  };
  constexpr double kTie = 1 + 0x1p-11;
  EXPECT_THAT(values(kTie, BetaPlace::Epilogue), ElementsAre(3, 0));
  EXPECT_THAT(values(kTie, BetaPlace::Leaf), ElementsAre(3, 3 + 0x1p-9));
  EXPECT_THAT(values(kTie, BetaPlace::Any), ElementsAre(3, 3 + 0x1p-9));
  // What it holds is scaled once, whatever the place.
  for (const BetaPlace place : {BetaPlace::Epilogue, BetaPlace::Leaf, BetaPlace::Any}) {
    EXPECT_THAT(values(1, place), ElementsAre(3, 0));
  }
}

TEST(LoadedC, IsALeafBeforeBetaOrAfterIt) {
  // C = 1 + 2^-11 is a tie in F16: 1 loaded, and then 3. Three times C as it stands in memory is 3 + 2^-9 there.
  Dot dot{.beta = {FormatId::F32, word(FormatId::F32, 3)}, .c = word(FormatId::F32, 1 + 0x1p-11)};
  dot.factors = FormatId::F16;
  dot.a = words(FormatId::F16, {1});
  dot.b = words(FormatId::F16, {-1});
  Contract contract = accumulating(FormatId::F16);
  contract.beta = BetaPlace::Leaf;
  struct Place {
    Order order;
    Start start;
  };
  for (const Place place :
       {Place{Order::Ascending, Start::C}, {Order::Any, Start::C}, {Order::Ascending, Start::PlusZero}}) {
    contract.order = place.order;
    contract.start = place.start;
    const Permitted set = permitted(dot_case(dot), contract);
    EXPECT_TRUE(set.contains(word(FormatId::F32, 2)) && set.contains(word(FormatId::F32, 2 + 0x1p-9)));
    EXPECT_FALSE(set.contains(word(FormatId::F32, 2 - 0x1p-10)) || set.contains(word(FormatId::F32, 2 + 0x1p-8)));
  }
}

TEST(LoadedC, BeyondAFaithfulAccumulatorIsItsLargestNumberOrInf) {
  const Dot dot = only_c(FormatId::F64, FormatId::F64, 0.5, 0x1p200);
  Contract contract = accumulating(FormatId::F32);
  contract.accumulate_rounding = AccumulateRounding::Faithful;
  const double half_of_largest = 0.5 * number::to_double(number::format(FormatId::F32), 0x7f7fffff);
  for (const BetaPlace place : {BetaPlace::Epilogue, BetaPlace::Any}) {
    contract.beta = place;
    const Permitted set = permitted(dot_case(dot), contract);
    EXPECT_TRUE(set.contains(word(FormatId::F64, half_of_largest)) && set.plus_infinity);
  }
}

TEST(LoadedC, ThatIsInfIsNaNWithoutInf) {
  Contract contract = accumulating(FormatId::F8_E4M3);
  contract.beta = BetaPlace::Epilogue;
  Dot dot = only_c(FormatId::F8_E4M3, FormatId::F32, 1, 0);
  dot.c = number::infinity(number::format(FormatId::F32));
  EXPECT_EQ(permitted(dot_case(dot), contract).to_string(), "nan");
}

TEST(Loads, AreNeverForcedToFlushWhatTheyConvert) {
  Contract contract = accumulating(FormatId::F16);
  contract.start = Start::FirstTerm;
  contract.subnormal_results = Subnormals::Flush;
  const auto row = [&](double second) {
    return permitted(
        row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, words(FormatId::F32, {0x1p-15, second})),
        contract);
  };
  // Held as it is, a term is no result: 2^-15 + 2^-15 is normal.
  EXPECT_THAT(finite_values(row(0x1p-15)).size(), 1);
  EXPECT_TRUE(row(0x1p-15).contains(word(FormatId::F32, 0x1p-14)));
  // Converted it may be flushed, or may not: 2^-15 + 0 is flushed afterwards.
  const Permitted converted = row(0x1p-15 + 0x1p-38);
  EXPECT_TRUE(converted.contains(word(FormatId::F32, 0x1p-14)));
  EXPECT_TRUE(converted.contains(0));
  EXPECT_FALSE(converted.contains(word(FormatId::F32, 0x1p-14 + 0x1p-24)));
}

TEST(Loads, OfManyTermsMayEachBeFlushed) {
  // Nine terms: a bound. Each lies 2^-38 beside a subnormal of F16, and the first one alone is normal.
  Contract contract = accumulating(FormatId::F16);
  contract.start = Start::FirstTerm;
  contract.subnormal_results = Subnormals::Flush;
  std::vector<double> row(9, 0x1p-15 + 0x1p-38);
  row[0] = 0x1p-14;
  const Permitted set = permitted(
      row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, words(FormatId::F32, row)), contract);
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0x1p-14)));
  EXPECT_TRUE(set.contains(word(FormatId::F32, 5 * 0x1p-14)));
}

TEST(Wider, AnEpilogueInTheScalarsFormatMayEndInTheDeclaredOne) {
  // Every F16 sum is 1 + 2^-9, and stays that in F16: fl(beta c) is half an ulp. In F32 beta c is a little more, and
  // 1 + 3 * 2^-10 when it is stored. Sums in F32 lie half an ulp lower.
  Dot dot{.factors = FormatId::F16, .beta = {FormatId::F32, word(FormatId::F32, 0x1p-11 + 0x1p-22)}};
  dot.a = words(FormatId::F16, {1, 1, 0x1p-10});
  dot.b = words(FormatId::F16, {1, 1.5 * 0x1p-10, 0x1p-10});
  dot.c = word(FormatId::F32, 1);
  Contract contract = accumulating(FormatId::F16);
  contract.contraction = contract::Contraction::Separate;
  contract.beta = BetaPlace::Epilogue;
  const auto ends_stored = [&](bool wider) {
    contract.wider = wider;
    return permitted(dot_case(dot), contract).contains(word(FormatId::F32, 1 + 3 * 0x1p-10));
  };
  EXPECT_TRUE(ends_stored(true));
  EXPECT_FALSE(ends_stored(false));
}

TEST(Wider, AnF64SumBeyondF64OverflowsThereThoughNothingIsRounded) {
  Contract contract = accumulating(FormatId::F32);
  contract.wider = true;
  contract.order = Order::Ascending;
  const auto row = [&](double largest) {
    return permitted(row_case(operation::ReduceKind::Sum, FormatId::F64, FormatId::F64,
                              words(FormatId::F64, {largest, largest, -largest, -largest})),
                     contract);
  };
  // F32 gives Inf + Inf - Inf - Inf = NaN. The Inf is that of an F64 accumulator.
  const Permitted inside = row(0x1p1022), beyond = row(0x1p1023);
  EXPECT_TRUE(inside.contains(0) && beyond.contains(0));
  EXPECT_FALSE(inside.plus_infinity);
  EXPECT_TRUE(beyond.plus_infinity);
}

}  // namespace
}  // namespace negzero::oracle

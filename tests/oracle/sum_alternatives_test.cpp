// Each way to add terms by itself, at the boundary where it differs from its neighbour; and each step behind a sum.

#include <initializer_list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/route.hpp>
#include <negzero/oracle/steps.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {
namespace {

using contract::Contract;
using contract::Contraction;
using contract::Start;
using exact::Dyadic;
using number::FormatId;

Arithmetic in(FormatId format, const Contract& contract = {}) { return Arithmetic(format, declared(contract)); }

Terms values(FormatId id, std::initializer_list<double> numbers) {
  const number::Format& format = number::format(id);
  Terms terms;
  for (const double x : numbers) {
    terms.push_product(Real::from_encoding(format, number::one(format)),
                       Real::from_encoding(format, number::from_double(format, x)), false);
  }
  return terms;
}

/// Products x * y.
Terms products(std::initializer_list<std::pair<double, double>> factors) {
  const number::Format& format = number::format(FormatId::F32);
  Terms terms;
  for (const auto& [x, y] : factors) {
    terms.push_product(Real::from_encoding(format, number::from_double(format, x)),
                       Real::from_encoding(format, number::from_double(format, y)), false, true);
  }
  return terms;
}

void expect(const SumResult& result, double low, double high, verdict::Rule rule) {
  EXPECT_TRUE(result.set.finite);
  EXPECT_EQ(result.set.low.approximate(), low);
  EXPECT_EQ(result.set.high.approximate(), high);
  EXPECT_EQ(result.rule, rule);
}

// F16: 2048 + 1 rounds to 2048, and 1 + 1 first gives 2050.
const Terms kTie = values(FormatId::F16, {2048, 1, 1});

TEST(SumInAnyOrder, IsTheHullOfAllTrees) {
  const Sum sum{.arithmetic = in(FormatId::F16), .contraction = Contraction::Separate};
  expect(evaluate(sum, kTie, {}), 2048, 2050, "sum.hull");
}

TEST(SumInAnyOrder, HasTheBoundBeyondTheTermsOfItsHull) {
  Sum sum{.arithmetic = in(FormatId::F16), .contraction = Contraction::Separate, .hull_terms = 3};
  expect(evaluate(sum, kTie, {}), 2048, 2050, "sum.hull");
  sum.hull_terms = 2;
  const SumResult bounded = evaluate(sum, kTie, {});
  EXPECT_EQ(bounded.rule, verdict::Rule("sum.any_order"));
  // (m - 1) u S = 2 * 2^-11 * 2050, and an ulp of 2 for each of two additions: 2.
  EXPECT_EQ(bounded.bound.approximate(), 2);
  expect(bounded, 2048, 2052, "sum.any_order");
}

TEST(SumInAnyOrder, ThatIsCompensatedHasNoHull) {
  Sum sum{.arithmetic = in(FormatId::F16), .contraction = Contraction::Separate};
  sum.order = AnyOrder{.compensated = true};
  EXPECT_TRUE(sum.is_compensated());
  EXPECT_EQ(evaluate(sum, kTie, {}).rule, verdict::Rule("sum.any_order"));
  // An overflow's compensation is the other infinity, or NaN.
  const Set beyond = evaluate(sum, values(FormatId::F16, {60000, 60000, 1}), {}).set;
  EXPECT_TRUE(beyond.plus_infinity && beyond.minus_infinity && beyond.nan);
}

TEST(SumInAnyOrder, WithStoresOfSlicesPermitsWhatTheyRound) {
  Sum sum{.arithmetic = in(FormatId::F32)};
  const Terms terms = products({{1, 1}, {0x1p-12, 1}});
  EXPECT_EQ(evaluate(sum, terms, {}).rule, verdict::Rule("sum.exact"));
  sum.order = AnyOrder{.stores = Stores{FormatId::F16}};
  ASSERT_NE(sum.stores(), nullptr);
  const SumResult stored = evaluate(sum, terms, {});
  EXPECT_EQ(stored.rule, verdict::Rule("sum.sliced"));
  EXPECT_LE(stored.set.low.approximate(), 1);
  sum.order = AnyOrder{.stores = Stores{FormatId::F16}};
  EXPECT_EQ(evaluate(sum, products({{1, 1}, {0x1p-10, 1}}), {}).rule, verdict::Rule("sum.exact")) << "F16 holds it";
  EXPECT_EQ(evaluate(sum, products({{1, 1}, {0x1p-11, 1}}), {}).rule, verdict::Rule("sum.sliced")) << "and not this";
  // A slice of both stores fl16(1 + 2^-11) = 1.
  EXPECT_LE(evaluate(sum, products({{1, 1}, {0x1p-11, 1}}), {}).set.low.approximate(), 1);
  sum.order = AnyOrder{.stores = Stores{FormatId::F16, 1}};
  expect(evaluate(sum, products({{1, 1}}), {}), 1, 1, "sum.exact");
}

TEST(SumInOneChain, IsFollowed) {
  Sum sum{.arithmetic = in(FormatId::F16), .order = Ascending{}, .contraction = Contraction::Separate};
  EXPECT_TRUE(sum.is_chain());
  expect(evaluate(sum, kTie, {}), 2048, 2048, "sum.ascending");
  expect(evaluate(sum, values(FormatId::F16, {1, 1, 2048}), {}), 2050, 2050, "sum.ascending");
  sum.ends = Ends::Real;
  EXPECT_FALSE(sum.is_chain()) << "real ends are those of every order";
}

TEST(SumInOneChain, StartsAtCOrTakesItAsATerm) {
  Sum sum{.arithmetic = in(FormatId::F16), .order = Ascending{}, .contraction = Contraction::Separate, .c = CAt::Start};
  const Terms terms = values(FormatId::F16, {1, 1, 2048});  // C is the last term
  expect(evaluate(sum, terms, {}), 2048, 2048, "sum.ascending");
  sum.order = AnyOrder{};
  sum.c = CAt::Leaf;
  expect(evaluate(sum, terms, {}), 2048, 2050, "sum.hull");
}

TEST(SumInBlocks, AddsThemInTheWiderFormat) {
  const Terms terms = values(FormatId::F16, {2048, 1, 2048, 1});
  Sum sum{.arithmetic = in(FormatId::F16), .contraction = Contraction::Separate};
  for (const bool ascending : {false, true}) {
    sum.order = Blocks{{1, FormatId::F32}, ascending};
    EXPECT_EQ(evaluate(sum, terms, {}).set.low.approximate(), 4098) << "blocks of one: nothing is lost in F32";
    sum.order = Blocks{{2, FormatId::F32}, ascending};
    const Set pairs = evaluate(sum, terms, {}).set;
    EXPECT_EQ(pairs.low.approximate(), 4096) << "2048 + 1 is 2048 in F16, twice";
    EXPECT_EQ(pairs.high.approximate(), 4096);
  }
}

TEST(SumInSteps, TruncatesWhatATreeKeeps) {
  // Native FP8 units keep 13 bits below the largest exponent: 2^14 + 1 loses the 1 (numerics.md 2e).
  const Unit unit{.kept_bits = 13, .result_bits = 14, .shortest = 8};
  const Terms terms = products({{128, 128}, {1, 1}});
  Sum sum{.arithmetic = in(FormatId::F32), .order = UnitSteps{{unit, {unit}, -6, -6}}};
  ASSERT_NE(sum.unit_steps(), nullptr);
  const SumResult stepped = evaluate(sum, terms, {});
  EXPECT_EQ(stepped.rule, verdict::Rule("sum.tensor_core"));
  EXPECT_EQ(stepped.set.low, exact::Dyadic(16384));
  EXPECT_EQ(stepped.set.high, exact::Dyadic(16385)) << "two slices, added in F32";
  EXPECT_TRUE(stepped.set.has_gaps());
  std::get<UnitSteps>(sum.order).stepping.slices = 1;
  EXPECT_EQ(evaluate(sum, terms, {}).set.high, exact::Dyadic(16384));
  expect(evaluate(sum, products({{128, 128}, {2, 1}}), {}), 16386, 16386, "sum.exact");
  expect(evaluate(sum, products({{128, 64}, {1, 1}}), {}), 8193, 8193, "sum.exact");
}

TEST(SumThatIsLifted, DoesNotOverflow) {
  const Terms terms = values(FormatId::F16, {60000, 60000, -60000});
  Sum sum{.arithmetic = in(FormatId::F16), .contraction = Contraction::Separate};
  EXPECT_TRUE(evaluate(sum, terms, {}).set.plus_infinity);
  sum.lift = Lift::Unbounded;
  const Set lifted = evaluate(sum, terms, {}).set;
  EXPECT_FALSE(lifted.any_infinity());
  EXPECT_TRUE(lifted.finite);
}

TEST(SumWithRealEnds, LiesOnNoGrid) {
  const Terms terms = values(FormatId::F16, {2048, 1, 1, 0x1p-10});
  Sum sum{.arithmetic = in(FormatId::F16), .contraction = Contraction::Separate, .hull_terms = 0};
  const Set grid = evaluate(sum, terms, {}).set;
  sum.ends = Ends::Real;
  const Set real = evaluate(sum, terms, {}).set;
  EXPECT_LT(real.low, grid.low);
  EXPECT_LT(grid.high, real.high);
}

TEST(Sum, ZerosCountWhereTheyAreToldApart) {
  const Terms terms = values(FormatId::F16, {1, -1});
  Sum sum{.arithmetic = in(FormatId::F16), .contraction = Contraction::Separate};
  EXPECT_TRUE(evaluate(sum, terms, {}).set.minus_zero);
  sum.tells_zeros = true;
  EXPECT_FALSE(evaluate(sum, terms, {}).set.minus_zero) << "exact cancellation gives +0";
}

TEST(Sum, OfAContractIsOneForEachRoute) {
  Contract contract;
  contract.order = contract::Order::Ascending;
  contract.promote = {4, FormatId::F64};
  contract.start = Start::FirstTerm;
  contract.wider = false;
  const std::vector<Route> routes = routes_of(declared(contract), FormatId::F32);
  ASSERT_EQ(routes.size(), 1u);
  Sum sum = sum_of(declared(contract), routes.front(), false, 4);
  sum.c = CAt::Start;
  const Sum expected{.arithmetic = in(FormatId::F32, contract),
                     .order = Blocks{{4, FormatId::F64}, true},
                     .contraction = Contraction::Either,
                     .start = Start::FirstTerm,
                     .c = CAt::Start};
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(to_string(sum),
            "F32 nearest, one chain, blocks of 4 added in F64, either, start first_term, C the start of a chain");
  contract.compensated = true;
  contract.promote.reset();
  EXPECT_TRUE(
      sum_of(declared(contract), routes_of(declared(contract), FormatId::F32).front(), true, 4).is_compensated())
      << "no chain of compensated additions is followed";
}

TEST(Steps, RoundHoldAndDivide) {
  const Arithmetic f16 = in(FormatId::F16), f32 = in(FormatId::F32);
  const Set third = Set::value(Dyadic::from_double(1 + 0x1p-11 + 0x1p-20));
  const Step round = Round{f16, FormatId::F32, number::Rounding::TowardZero};
  EXPECT_EQ(finish({&round, 1}, third).low.approximate(), 1);
  const Step hold = Hold{f16};
  EXPECT_EQ(finish({&hold, 1}, third).low.approximate(), 1 + 0x1p-10) << "a store rounds to nearest";
  const Step divide = Divide{f32, 3}, times = TimesReciprocal{f32, 3};
  const Set five = Set::value(Dyadic(5));
  EXPECT_EQ(finish({&divide, 1}, five).low.approximate(), static_cast<double>(5.0f / 3.0f));
  EXPECT_EQ(finish({&times, 1}, five).low.approximate(), static_cast<double>(5.0f * (1.0f / 3.0f)));
  EXPECT_NE(5.0f / 3.0f, 5.0f * (1.0f / 3.0f));
  const Step both[] = {divide, round};
  EXPECT_EQ(finish(both, five).low.approximate(), 1.666015625);
  EXPECT_EQ(to_string(Ending{divide, round}), "/ 3 in F32, then to F16 toward_zero");
}

TEST(Steps, TakeEachPieceOfASetByItself) {
  Set set = Set::value(Dyadic(1));
  set.unite(Set::value(Dyadic(3)));
  set.unite(Set::infinity(true));
  const Step halve = Divide{in(FormatId::F32), 2};
  const Set halves = finish({&halve, 1}, set);
  EXPECT_TRUE(halves.has_gaps() && halves.minus_infinity);
  EXPECT_TRUE(halves.holds(Dyadic(1, -1)) && halves.holds(Dyadic(3, -1)));
  EXPECT_FALSE(halves.holds(Dyadic(1)));
}

TEST(Steps, AHoldOverflowsWhereItMay) {
  const Set large = Set::value(Dyadic(70000));
  Step hold = Hold{in(FormatId::F16)};
  EXPECT_TRUE(finish({&hold, 1}, large).plus_infinity);
  hold = Hold{in(FormatId::F16), false};
  EXPECT_FALSE(finish({&hold, 1}, large).any_infinity());
}

// F16, each operation rounded: alpha 3, beta 2^-11 and C 1 on a sum of 1.
TEST(Steps, AddCIsFusedOrNot) {
  const Arithmetic f16 = in(FormatId::F16);
  const Real three{number::Class::Normal, false, Dyadic(3)}, small{number::Class::Normal, false, Dyadic(1, -11)},
      c{number::Class::Normal, false, Dyadic(1) + Dyadic(1, -10)};
  const auto set = [&](contract::Contraction contraction, std::optional<Real> alpha) {
    const Step add = AddC{f16, contraction, std::move(alpha), small};
    return finish({&add, 1}, Set::value(Dyadic(1)), {c, c});
  };
  // 2^-11 (1 + 2^-10) is a number of F16; above 1 it is just over half an ulp.
  EXPECT_EQ(set(Contraction::Separate, std::nullopt).low.approximate(), 1 + 0x1p-10);
  EXPECT_EQ(set(Contraction::Fused, std::nullopt).high.approximate(), 1 + 0x1p-10);
  EXPECT_EQ(set(Contraction::Separate, three).low.approximate(), 3) << "a quarter of an ulp above 3";
  const Step scale = Scale{f16, three}, take = TakeC{f16, three}, copy = CopyC{};
  EXPECT_EQ(finish({&scale, 1}, Set::value(Dyadic(2))).high.approximate(), 6);
  EXPECT_EQ(finish({&take, 1}, Set::value(Dyadic(2)), {c, c}).high.approximate(), 3.00390625) << "rounded to F16";
  EXPECT_EQ(finish({&copy, 1}, Set::value(Dyadic(2)), {c, three}).high, c.value) << "as it is stored";
}

}  // namespace
}  // namespace negzero::oracle

// The list of a contract's paths, and what it leaves out.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/contract/contract.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/covers.hpp>
#include <negzero/oracle/paths.hpp>

namespace negzero::oracle {
namespace {

using contract::Contract;
using number::FormatId;
using ::testing::HasSubstr;

operation::Scalar scalar(double value) {
  const number::Format& format = number::format(FormatId::F32);
  return {format.id, number::from_double(format, value)};
}
ProductShape f16_into_f32(double alpha, double beta) {
  return {FormatId::F16, FormatId::F16, FormatId::F32, FormatId::F32, scalar(alpha), scalar(beta)};
}
const SumShape kSums{.input = FormatId::F16, .output = FormatId::F16, .accumulate = FormatId::F32};

TEST(Paths, OfSumsAreOneForEachAccumulator) {
  Contract contract;
  const Paths paths = paths_of(declared(contract), kSums);
  ASSERT_EQ(paths.list.size(), 2u);
  EXPECT_EQ(paths.list[0].endings.size(), 1u);
  EXPECT_EQ(paths.list[1].endings.size(), 2u) << "as it is, or held in F32";
  EXPECT_EQ(to_string(paths.list[1]),
            "factors exact\n  F64 nearest, any order, separate, start any, real ends\n  -> to F16 nearest_even\n"
            "  -> stored to F32, then to F16 nearest_even");
  contract.wider = false;
  EXPECT_EQ(paths_of(declared(contract), kSums).list.size(), 1u);
}

TEST(Paths, OfMeansDivideBeforeAStoreOrBehindIt) {
  Contract contract;
  contract.intermediate = {{FormatId::BF16, number::Rounding::NearestEven}};
  SumShape shape = kSums;
  shape.mean = Mean{3};
  const Paths paths = paths_of(declared(contract), shape);
  ASSERT_EQ(paths.list.size(), 2u);
  EXPECT_EQ(paths.list[0].endings.size(), 2u);
  EXPECT_EQ(paths.list[1].endings.size(), 6u);
  EXPECT_EQ(paths.list[0].sum->lift, Lift::Unbounded);
  EXPECT_EQ(to_string(paths.list[0].endings[0]), "/ 3 in F32, then to BF16 nearest_even, then to F16 nearest_even");
  contract.mean = contract::MeanForm::Terms;
  contract.wider = false;
  EXPECT_EQ(paths_of(declared(contract), shape).list.size(), 2u) << "each divided, or times 1 / 3";
}

TEST(Paths, OfProductsNameEveryPlaceOfAlphaAndC) {
  Contract contract;
  contract.wider = false;
  EXPECT_EQ(paths_of(declared(contract), f16_into_f32(1, 0)).list.size(), 1u);
  // C behind the sum, as a leaf; as it is loaded too, where beta multiplies it.
  EXPECT_EQ(paths_of(declared(contract), f16_into_f32(1, 1)).list.size(), 2u);
  EXPECT_EQ(paths_of(declared(contract), f16_into_f32(1, 2)).list.size(), 3u);
  // The sum scaled, a scaled, b scaled.
  const Paths scaled = paths_of(declared(contract), f16_into_f32(3, 0));
  ASSERT_EQ(scaled.list.size(), 3u);
  EXPECT_THAT(to_string(scaled.list[0]), HasSubstr("-> * 3 in F32, then to F32 nearest_even"));
  EXPECT_THAT(to_string(scaled.list[2]), HasSubstr("alpha 3 folded into b in F32"));
  contract.alpha = contract::AlphaPlace::Partial;
  EXPECT_THAT(to_string(paths_of(declared(contract), f16_into_f32(3, 0)).list.back()),
              HasSubstr("alpha 3 on partial sums"));
  // Turned around, or the terms are.
  contract.alpha = contract::AlphaPlace::Any;
  EXPECT_EQ(paths_of(declared(contract), f16_into_f32(-1, 0)).list.size(), 2u);
}

TEST(Paths, WithoutASumAreThoseOfC) {
  Contract contract;
  contract.wider = false;
  const auto of = [&](double alpha, double beta) {
    return paths_of(declared(contract), f16_into_f32(alpha, beta)).list;
  };
  ASSERT_EQ(of(0, 0).size(), 1u);
  EXPECT_FALSE(of(0, 0)[0].sum.has_value());
  ASSERT_EQ(of(0, 2).size(), 1u);
  EXPECT_THAT(to_string(of(0, 2)[0]), HasSubstr("no sum\n  -> 2 c in F32"));
  ASSERT_EQ(of(0, 1).size(), 2u) << "C's own bits, or loaded";
}

TEST(Paths, OfAnOpenChoiceBelongToMembers) {
  Contract contract;
  contract.multiplicand = contract::Multiplicand::Tf32OrExact;
  contract.subnormal_inputs = contract::Subnormals::Flush;
  ProductShape shape = f16_into_f32(1, 0);
  shape.a = shape.b = FormatId::F32;
  EXPECT_EQ(paths_of(declared(contract), shape).members.size(), 4u);
  EXPECT_EQ(paths_of(declared(contract), shape).members[1].which, "multiplicand tf32_nearest_even");
  shape.alpha.bits = 1;  // the smallest subnormal of F32
  contract.multiplicand = contract::Multiplicand::Exact;
  const Paths paths = paths_of(declared(contract), shape);
  ASSERT_EQ(paths.members.size(), 2u);
  EXPECT_EQ(paths.members[0].which, "alpha taken as 0");
  EXPECT_EQ(paths.members[1].which, "alpha seen to be 0");
  EXPECT_TRUE(paths.members[0].multiplies);
  EXPECT_FALSE(paths.members[1].multiplies);
}

TEST(Paths, OfTensorCoresComeFirst) {
  Contract contract;
  contract.tensor_core = contract::TensorCore::May;
  const Paths paths = paths_of(declared(contract), f16_into_f32(1, 0));
  ASSERT_EQ(paths.list.size(), 3u);
  EXPECT_NE(paths.list[0].sum->unit_steps(), nullptr);
  contract.tensor_core = contract::TensorCore::Only;
  EXPECT_EQ(paths_of(declared(contract), f16_into_f32(1, 0)).list.size(), 1u);
}

TEST(Covers, NeedOperandsThatAreAsTheyWere) {
  Contract contract;
  contract.wider = false;
  const Paths paths = paths_of(declared(contract), f16_into_f32(1, 2));
  ASSERT_EQ(paths.list.size(), 3u);
  const Path &behind = paths.list[0], &leaf = paths.list[1], &loaded = paths.list[2];
  EXPECT_EQ(may_cover(leaf, behind, false), Cover::Leaf);
  EXPECT_EQ(may_cover(behind, leaf, true), Cover::No);
  EXPECT_EQ(may_cover(loaded, behind, false), Cover::No);
  const Real short_c{number::Class::Normal, false, exact::Dyadic(3)};
  const Real long_c{number::Class::Normal, false, exact::Dyadic((std::int64_t{1} << 30) + 1)};
  EXPECT_TRUE(covers(Cover::Leaf, leaf, nullptr, 1, {short_c, short_c}));
  EXPECT_FALSE(covers(Cover::Leaf, leaf, nullptr, 1, {long_c, long_c})) << "F32 does not hold it";
  EXPECT_FALSE(covers(Cover::Leaf, leaf, nullptr, 0, {short_c, short_c})) << "C alone keeps its sign";
  // A wider accumulator differs only where something rounds.
  contract.wider = true;
  const Paths wide = paths_of(declared(contract), f16_into_f32(1, 0));
  ASSERT_EQ(wide.list.size(), 2u);
  SumResult exact;
  EXPECT_EQ(may_cover(wide.list[0], wide.list[1], true), Cover::Exact);
  EXPECT_FALSE(covers(Cover::Exact, wide.list[0], &exact, 1, {}));
  exact.exact = true;
  EXPECT_TRUE(covers(Cover::Exact, wide.list[0], &exact, 1, {}));
  contract.intermediate = {{FormatId::F16, number::Rounding::NearestEven}};
  contract.intermediate_at = contract::IntermediateAt::Sum;
  const Paths rounded = paths_of(declared(contract), f16_into_f32(1, 0));
  EXPECT_EQ(may_cover(rounded.list[0], rounded.list[1], true), Cover::No) << "a rounding on the way back";
}

}  // namespace
}  // namespace negzero::oracle

// The list of a contract's paths, and what it leaves out.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/covers.hpp>
#include <negzero/oracle/judge.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/output.hpp>
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
            "factors exact\n  F32 nearest, any order, each addition in that or up to F64, separate, start any, real "
            "ends\n  -> to F16 nearest_even\n"
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

// An F32 kernel under a contract that says F16 is found, with the screen and without it, however few terms there are.
TEST(LastFormat, AFinerResultIsRefused) {
  const number::Format &f16 = number::format(FormatId::F16), &f32 = number::format(FormatId::F32);
  for (const bool intermediate : {false, true}) {
    Contract contract;
    contract.wider = false;
    if (!intermediate) contract.accumulate = FormatId::F16;
    if (intermediate) contract.intermediate = {{FormatId::F16, number::Rounding::NearestEven}};
    for (const std::int64_t k : {2, 3, 4, 16, 64, 300}) {
      operation::Gemm gemm{.m = 1, .n = 1, .k = k, .a = f16.id, .b = f16.id, .d = f32.id};
      operation::Case value;
      value.operation = gemm;
      tensor::Tensor a(f16.id, {1, 1, k}), b(f16.id, {1, k, 1});
      base::Random random(static_cast<std::uint64_t>(k));
      float sum = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        a.set(i, number::from_double(f16, random.uniform() + 0.5));
        b.set(i, number::from_double(f16, random.uniform() + 0.5));
        sum += static_cast<float>(number::to_double(f16, a.get(i)) * number::to_double(f16, b.get(i)));
      }
      value.tensors = {{"a", a}, {"b", b}, {"c", tensor::Tensor(f32.id, {1, 1, 1})}};
      operation::pack_missing_layouts(value);
      tensor::Tensor fine(f32.id, {1, 1, 1}), coarse = fine;
      fine.set(0, number::from_double(f32, sum));
      const Permitted set = Oracle::make(value, contract)->permitted(0);
      coarse.set(0, set.low.round_to(f32));
      ASSERT_EQ(set.held_in, f16.id);
      ASSERT_NE(number::to_double(f16, number::from_double(f16, sum)), sum) << "the draw has more than 11 bits";
      for (const bool screen : {false, true}) {
        const auto oracle = Oracle::make(value, contract, {.screen = screen});
        EXPECT_EQ(oracle->judge({&fine, 1}).kind, verdict::VerdictKind::Fail) << k << " " << intermediate;
        EXPECT_NE(oracle->judge({&coarse, 1}).kind, verdict::VerdictKind::Fail) << k << " " << intermediate;
      }
    }
  }
}

TEST(LastFormat, IsCountedMeasuredAndSaid) {
  const number::Format& f32 = number::format(FormatId::F32);
  Permitted set(f32.id, Interval{0x3f800000, 0x3f804000});
  EXPECT_EQ(set.count(), 0x4001);
  set.held_in = FormatId::F16;
  EXPECT_EQ(set.count(), 3) << "1, 1 + 2^-10, 1 + 2^-9";
  EXPECT_TRUE(set.contains(0x3f802000) && set.has(0x3f802000));
  EXPECT_FALSE(set.contains(0x3f802001) || set.has(0x3f802001));
  EXPECT_EQ(set.to_string(), "[1 (0x3f800000), 1.0019531 (0x3f804000)] of F16");
  EXPECT_EQ(steps_from(set, 0x3f802003), 3u);
  EXPECT_EQ(steps_from(set, 0x3f803ffe), 2u);
  EXPECT_EQ(steps_from(set, 0x3f804005), 5u);
  // Accumulators that round to other formats leave the one that holds both, or none.
  Permitted other = set;
  unite(other, set);
  EXPECT_EQ(other.held_in, FormatId::F16);
  other.held_in = FormatId::F8_E5M2;
  unite(other, set);
  EXPECT_EQ(other.held_in, FormatId::F16);
  other.held_in = FormatId::BF16;
  unite(other, set);
  EXPECT_FALSE(other.held_in.has_value());
}

TEST(LastFormat, IsNoneWhereAnInfinityIsStoredAsANumber) {
  Contract contract;
  contract.accumulate = FormatId::F16;
  contract.wider = false;
  contract.overflow = contract::OverflowPolicy::Saturate;
  const auto set = [&](std::vector<double> row) {
    operation::Case value;
    value.operation = operation::Reduce{.rows = 1, .columns = 2, .x = FormatId::F16, .y = FormatId::F32};
    tensor::Tensor x(FormatId::F16, {1, 2});
    for (std::size_t i = 0; i < 2; ++i) {
      x.set(static_cast<std::int64_t>(i), number::from_double(number::format(FormatId::F16), row[i]));
    }
    value.tensors = {{"x", x}};
    operation::pack_missing_layouts(value);
    return Oracle::make(value, contract)->permitted(0);
  };
  EXPECT_EQ(set({1, 1}).held_in, FormatId::F16);
  EXPECT_TRUE(set({60000, 60000}).contains(0x7f7fffff)) << "the largest number of F32";
}

// F16 takes a sum of 2^-30 to zero, which is right: the set is one value, and rejects all others.
TEST(Vacuous, IsNotWhatADeclaredRoundingOfTheSumLoses) {
  for (const auto beta : {contract::BetaPlace::Epilogue, contract::BetaPlace::Leaf}) {
    for (const double c : {0.0, 0x1p-31}) {
      Contract contract;
      contract.wider = false;
      contract.intermediate = {{FormatId::F16, number::Rounding::TowardZero}};
      contract.intermediate_at = contract::IntermediateAt::Sum;
      contract.order = contract::Order::Ascending;
      contract.beta = beta;
      operation::Gemm gemm{.m = 1, .n = 1, .k = 1};
      gemm.beta = scalar(beta == contract::BetaPlace::Leaf ? 1 : 0);
      operation::Case value;
      value.operation = gemm;
      const number::Format& f32 = number::format(FormatId::F32);
      for (const auto& [name, x] : {std::pair("a", 0x1p-15), std::pair("b", 0x1p-15), std::pair("c", c)}) {
        tensor::Tensor tensor(FormatId::F32, {1, 1, 1});
        tensor.set(0, number::from_double(f32, x));
        value.tensors.emplace(name, tensor);
      }
      operation::pack_missing_layouts(value);
      const Permitted set = Oracle::make(value, contract)->permitted(0);
      EXPECT_EQ(set.hull(), (Interval{0, 0})) << set.to_string();
      EXPECT_FALSE(set.vacuous) << contract::to_json(contract) << " " << c;
    }
  }
}

TEST(Covers, NeedOperandsThatAreAsTheyWere) {
  Contract contract;
  contract.wider = false;
  const Paths paths = paths_of(declared(contract), f16_into_f32(1, 2));
  ASSERT_EQ(paths.list.size(), 3u);
  const Path &leaf = paths.list[0], &behind = paths.list[1], &loaded = paths.list[2];
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

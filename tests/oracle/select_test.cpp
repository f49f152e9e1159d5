// Selections and atomics: exact sets, NaN, zeros, ties, empty rows, locations that nobody touches.

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::AllNan;
using contract::Contract;
using contract::NanPolicy;
using contract::Subnormals;
using contract::Ties;
using contract::ZeroSign;
using operation::ReduceKind;
using operation::ScatterKind;
using ::testing::ElementsAre;

Words f32(const std::vector<double>& values) { return words(FormatId::F32, values); }

std::string reduced(ReduceKind kind, const std::vector<double>& row, const Contract& contract = {}) {
  return permitted(row_case(kind, FormatId::F32, FormatId::F32, f32(row)), contract).to_string();
}

Words indices(ReduceKind kind, const std::vector<double>& row, const Contract& contract = {}) {
  return permitted(row_case(kind, FormatId::F32, FormatId::I32, f32(row)), contract).only;
}

TEST(Max, IsOneOfItsInputs) {
  EXPECT_EQ(reduced(ReduceKind::Max, {1, 3, 2}), "3 (0x40400000)");
  EXPECT_EQ(reduced(ReduceKind::Min, {1, 3, 2}), "1 (0x3f800000)");
  EXPECT_EQ(reduced(ReduceKind::Max, {1, kInfinity}), "+inf");
  EXPECT_EQ(reduced(ReduceKind::Min, {1, -kInfinity}), "-inf");
}

TEST(Max, StartsFromInfinityNotFromTheLargestNumber) {
  EXPECT_EQ(reduced(ReduceKind::Max, {-kInfinity, -kInfinity}), "-inf");
  EXPECT_EQ(reduced(ReduceKind::Min, {kInfinity}), "+inf");
}

TEST(Max, OrdersZerosUnlessDeclaredOtherwise) {
  EXPECT_EQ(reduced(ReduceKind::Max, {-0.0, 0.0}), "0 (0x00000000)");
  EXPECT_EQ(reduced(ReduceKind::Min, {-0.0, 0.0}), "-0 (0x80000000)");
  EXPECT_EQ(reduced(ReduceKind::Max, {-0.0, -1}), "-0 (0x80000000)");
  Contract any;
  any.zero_sign = ZeroSign::Any;
  EXPECT_EQ(reduced(ReduceKind::Max, {-0.0, -1}, any), "0 (0x00000000) or -0 (0x80000000)");
}

TEST(Max, PropagatesOrIgnoresNan) {
  Contract contract;
  EXPECT_EQ(reduced(ReduceKind::Max, {1, kNotANumber}, contract), "nan");
  contract.nan = NanPolicy::Ignore;
  EXPECT_EQ(reduced(ReduceKind::Max, {1, kNotANumber}, contract), "1 (0x3f800000)");
  contract.all_nan = AllNan::Nan;
  EXPECT_EQ(reduced(ReduceKind::Max, {kNotANumber, kNotANumber}, contract), "nan");
  contract.all_nan = AllNan::Identity;
  EXPECT_EQ(reduced(ReduceKind::Max, {kNotANumber, kNotANumber}, contract), "-inf");
  EXPECT_EQ(reduced(ReduceKind::Min, {kNotANumber, kNotANumber}, contract), "+inf");
  contract.all_nan = AllNan::Any;
  EXPECT_EQ(reduced(ReduceKind::Max, {kNotANumber, kNotANumber}, contract), "-inf or nan");
}

TEST(Max, OfNothingIsTheIdentityOrWhatIsDeclared) {
  EXPECT_EQ(reduced(ReduceKind::Max, {}), "-inf");
  EXPECT_EQ(reduced(ReduceKind::Min, {}), "+inf");
  Contract contract;
  contract.empty = 0x7fc00000;
  EXPECT_EQ(reduced(ReduceKind::Max, {}, contract), "nan");
  contract.empty = 0x80000000;
  EXPECT_EQ(reduced(ReduceKind::Max, {}, contract), "-0 (0x80000000)");
}

// However long the line: each of 300 subnormals is permitted where all may be zero, and no number between two of them.
TEST(Max, OfManyThatTieAreTheirValuesAlone) {
  std::vector<std::uint64_t> row;
  for (std::uint64_t i = 0; i < 300; ++i) row.push_back(4 * i * i + 1);
  Contract contract;
  contract.subnormal_inputs = Subnormals::Flush;
  const Permitted set = permitted(row_case(ReduceKind::Max, FormatId::F32, FormatId::F32, row), contract);
  for (const std::uint64_t word : row) {
    EXPECT_TRUE(set.contains(word)) << word;
    EXPECT_FALSE(set.contains(word + 1)) << word;
  }
}

TEST(Max, MayFlushSubnormals) {
  Contract contract;
  const auto set = [&](Subnormals policy, const Words& row) {
    contract.subnormal_inputs = policy;
    return permitted(row_case(ReduceKind::Max, FormatId::F32, FormatId::F32, row), contract);
  };
  const Words row{0x80000001, 0xbf800000};  // -eta and -1
  EXPECT_EQ(set(Subnormals::Keep, row).to_string(), "-1e-45 (0x80000001)");
  // A comparison that flushes ties them, and what is selected may be moved as it is; max.ftz gives a zero.
  EXPECT_EQ(set(Subnormals::Flush, row).to_string(), "[-1e-45 (0x80000001), -0 (0x80000000)] without +0");
  EXPECT_EQ(set(Subnormals::Flush, {1, 3, 0}).to_string(),
            "[0 (0x00000000), 1e-45 (0x00000001)] without -0 or 4e-45 (0x00000003)");
  EXPECT_FALSE(set(Subnormals::Flush, {1, 3, 0}).contains(2));
  EXPECT_TRUE(set(Subnormals::Either, row).contains(0x80000001));
  EXPECT_TRUE(set(Subnormals::Either, row).contains(0x80000000));
  EXPECT_FALSE(set(Subnormals::Either, row).contains(0x80000002));
  contract.subnormal_results = Subnormals::Flush;
  EXPECT_EQ(set(Subnormals::Flush, {1, 0}).to_string(), "0 (0x00000000)");
  EXPECT_EQ(set(Subnormals::Keep, row).to_string(), "-0 (0x80000000)");
  // One element alone may meet no instruction at all.
  EXPECT_EQ(set(Subnormals::Keep, {1}).to_string(), "[0 (0x00000000), 1e-45 (0x00000001)] without -0");
  contract.start = contract::Start::PlusZero;
  EXPECT_EQ(set(Subnormals::Keep, {1}).to_string(), "0 (0x00000000)");
}

TEST(Max, OfIntegers) {
  const auto value = row_case(ReduceKind::Max, FormatId::I32, FormatId::I32, {5, 0xfffffffe, 7});
  EXPECT_EQ(permitted(value, {}).to_string(), "7 (0x00000007)");
  const auto empty = row_case(ReduceKind::Max, FormatId::I32, FormatId::I32, {});
  EXPECT_EQ(permitted(empty, {}).low, std::numeric_limits<std::int32_t>::min());
}

TEST(Argmax, PointsAtAPermittedValue) {
  EXPECT_THAT(indices(ReduceKind::Argmax, {1, 3, 2}), ElementsAre(1));
  EXPECT_THAT(indices(ReduceKind::Argmin, {1, 3, 2}), ElementsAre(0));
  EXPECT_THAT(indices(ReduceKind::Argmin, {kInfinity, kInfinity}), ElementsAre(0, 1));
}

TEST(Argmax, BreaksTiesAsDeclared) {
  Contract contract;
  EXPECT_THAT(indices(ReduceKind::Argmax, {3, 1, 3, 3}, contract), ElementsAre(0, 2, 3));
  contract.ties = Ties::First;
  EXPECT_THAT(indices(ReduceKind::Argmax, {3, 1, 3, 3}, contract), ElementsAre(0));
  contract.ties = Ties::Last;
  EXPECT_THAT(indices(ReduceKind::Argmax, {3, 1, 3, 3}, contract), ElementsAre(3));
}

TEST(Argmax, BreaksTiesInEveryChoiceOfFlushedSubnormals) {
  // Against all choices: each subnormal stays, or is a zero of its sign.
  const double kTiny = 0x1p-140;
  const std::vector<double> some{0.0, -0.0, kTiny, -kTiny, 2 * kTiny, 1.0, -1.0};
  const auto choices_of = [&](const std::vector<double>& row, const Contract& kept) {
    std::set<std::int64_t> all;
    for (unsigned choice = 0; choice < 1U << row.size(); ++choice) {
      std::vector<double> chosen = row;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if ((choice >> i & 1) != 0 && std::fabs(row[i]) < 0x1p-126) chosen[i] = std::copysign(0.0, row[i]);
      }
      for (const auto index : indices(ReduceKind::Argmax, chosen, kept)) all.insert(static_cast<std::int64_t>(index));
    }
    return std::vector<std::int64_t>(all.begin(), all.end());
  };
  for (const Ties ties : {Ties::First, Ties::Last, Ties::Any}) {
    for (const ZeroSign zeros : {ZeroSign::Any, ZeroSign::Ieee}) {
      Contract kept{.zero_sign = zeros, .ties = ties}, either = kept;
      either.subnormal_inputs = Subnormals::Either;
      base::Random random(7);
      for (int trial = 0; trial < 400; ++trial) {
        std::vector<double> row(1 + random.below(5));
        for (double& x : row) x = some[random.below(some.size())];
        const auto found = indices(ReduceKind::Argmax, row, either);
        EXPECT_EQ(std::vector<std::int64_t>(found.begin(), found.end()), choices_of(row, kept))
            << ::testing::PrintToString(row);
      }
    }
  }
  EXPECT_THAT(indices(ReduceKind::Argmax, {1, 1}, {.subnormal_inputs = Subnormals::Either, .ties = Ties::First}),
              ElementsAre(0));
}

TEST(Argmax, TiesZerosUnlessTheyAreDeclaredToDiffer) {
  Contract contract;
  EXPECT_THAT(indices(ReduceKind::Argmax, {-0.0, 0.0}, contract), ElementsAre(0, 1));
  contract.zero_sign = ZeroSign::Ieee;
  EXPECT_THAT(indices(ReduceKind::Argmax, {-0.0, 0.0}, contract), ElementsAre(1));
  EXPECT_THAT(indices(ReduceKind::Argmin, {-0.0, 0.0}, contract), ElementsAre(0));
}

TEST(Argmax, AgreesWithMaxOnNan) {
  Contract contract;
  EXPECT_THAT(indices(ReduceKind::Argmax, {1, kNotANumber, 5, kNotANumber}, contract), ElementsAre(1, 3));
  contract.ties = Ties::First;
  EXPECT_THAT(indices(ReduceKind::Argmax, {1, kNotANumber, 5, kNotANumber}, contract), ElementsAre(1));
  contract.nan = NanPolicy::Ignore;
  EXPECT_THAT(indices(ReduceKind::Argmax, {1, kNotANumber, 5, kNotANumber}, contract), ElementsAre(2));
  EXPECT_THAT(indices(ReduceKind::Argmax, {kNotANumber, -kInfinity}, contract),
              ElementsAre(1));  // -Inf beats a NaN that is ignored
  EXPECT_THAT(indices(ReduceKind::Argmax, {kNotANumber, kNotANumber}, contract),
              ElementsAre(0, 1));  // nothing there counts
}

TEST(Argmax, OfNothing) {
  const auto empty = row_case(ReduceKind::Argmax, FormatId::F32, FormatId::I32, {});
  EXPECT_TRUE(permitted(empty, {}).contains(12345));
  Contract contract;
  contract.empty = 0xffffffff;
  EXPECT_TRUE(permitted(empty, contract).contains(0xffffffff));
  EXPECT_FALSE(permitted(empty, contract).contains(0));
}

TEST(ScatterMax, SurvivesMinusZeroAgainstNegatives) {
  // Fault A1, triton#6376: -0.0 compared as an integer becomes minus infinity.
  const auto set = [](double init, const std::vector<double>& updates) {
    return permitted(scatter_case(ScatterKind::Max, FormatId::F32, word(FormatId::F32, init), f32(updates)), {});
  };
  EXPECT_EQ(set(-1, {-0.0}).to_string(), "-0 (0x80000000)");
  EXPECT_FALSE(set(-1, {-0.0}).contains(0xff800000));
  EXPECT_EQ(set(0.0, {-0.0}).to_string(), "0 (0x00000000)");
  EXPECT_EQ(set(-0.0, {0.0}).to_string(), "0 (0x00000000)");
  EXPECT_EQ(set(-kInfinity, {-0.0}).to_string(), "-0 (0x80000000)");
  EXPECT_EQ(set(1, {kNotANumber}).to_string(), "nan");
}

TEST(ScatterMax, HasNoIdentityToFallBackTo) {
  Contract contract;
  contract.nan = NanPolicy::Ignore;
  const auto value = scatter_case(ScatterKind::Max, FormatId::F32, 0x7fc00000, f32({kNotANumber}));
  EXPECT_EQ(permitted(value, contract).to_string(), "nan");
}

TEST(Scatter, LeavesUntouchedLocationsTheirBits) {
  for (const std::uint64_t bits : {0x80000000u, 0x00000001u, 0x7f800001u, 0xffc12345u}) {
    for (const ScatterKind kind : {ScatterKind::Add, ScatterKind::Max, ScatterKind::Min}) {
      Contract contract;
      contract.subnormal_inputs = contract.subnormal_results = Subnormals::Flush;
      const Permitted set = permitted(scatter_case(kind, FormatId::F32, bits, {}), contract);
      EXPECT_TRUE(set.contains(bits));
      EXPECT_FALSE(set.contains(bits ^ 1));
      EXPECT_EQ(set.rule, verdict::Rule("scatter.untouched"));
    }
  }
}

TEST(ScatterAdd, IsALostUpdateDetectorOnExactInputs) {
  const auto value = scatter_case(ScatterKind::Add, FormatId::F32, word(FormatId::F32, 7), f32({1, 2, 4, 8, 16}));
  const Permitted set = permitted(value, {});
  EXPECT_EQ(set.to_string(), "38 (0x42180000)");
  EXPECT_EQ(set.rule, verdict::Rule("sum.exact"));
}

TEST(ScatterAdd, StartsAtInitWhereTheOrderIsAscending) {
  Contract contract = accumulating(FormatId::F16);
  const auto set = [&](contract::Order order) {
    contract.order = order;
    return finite_values(permitted(
        scatter_case(ScatterKind::Add, FormatId::F16, word(FormatId::F16, 2048), words(FormatId::F16, {1, 1})),
        contract));
  };
  EXPECT_THAT(set(contract::Order::Any), ElementsAre(2048, 2050));
  EXPECT_THAT(set(contract::Order::Ascending), ElementsAre(2048));
}

TEST(ScatterAdd, AddsInTheLocationsFormat) {
  // A contract that accumulates in F32 means wider than F16, not instead.
  const auto value =
      scatter_case(ScatterKind::Add, FormatId::F16, word(FormatId::F16, 2048), words(FormatId::F16, {1, 1}));
  EXPECT_THAT(finite_values(permitted(value, accumulating(FormatId::F32))), ElementsAre(2048, 2050));
  const auto refused = Oracle::make(scatter_case(ScatterKind::Add, FormatId::F32, 0, {0}), accumulating(FormatId::F16));
  ASSERT_FALSE(refused.ok());
}

TEST(ScatterAdd, GoesToTheDestinationThatTheIndexNames) {
  operation::Case value;
  value.operation = operation::Scatter{.kind = ScatterKind::Add, .updates = 4, .destinations = 3, .x = FormatId::F32};
  value.tensors.emplace("x", tensor_of(FormatId::F32, {4}, f32({1, 2, 4, 8})));
  value.tensors.emplace("index", tensor_of(FormatId::I32, {4}, {2, 0, 2, 0}));
  value.tensors.emplace("init", tensor_of(FormatId::F32, {3}, f32({100, 200, 300})));
  const Contract contract;
  const auto oracle = Oracle::make(value, contract);
  ASSERT_TRUE(oracle.ok());
  EXPECT_THAT(finite_values(oracle->permitted(0)), ElementsAre(110));
  EXPECT_THAT(oracle->permitted(1).only, ElementsAre(word(FormatId::F32, 200)));
  EXPECT_THAT(finite_values(oracle->permitted(2)), ElementsAre(305));
}

TEST(Mean, DividesOrMultipliesByTheReciprocal) {
  // 41 / 41 = 1, and fl(41 fl(1/41)) = 1 - 2^-24.
  std::vector<double> row(41, 1.0);
  Contract contract = accumulating(FormatId::F32);
  const auto set = [&](contract::MeanForm form) {
    contract.mean = form;
    return finite_values(permitted(row_case(ReduceKind::Mean, FormatId::F32, FormatId::F32, f32(row)), contract));
  };
  EXPECT_THAT(set(contract::MeanForm::Divide), ElementsAre(1));
  EXPECT_THAT(set(contract::MeanForm::Reciprocal), ElementsAre(1 - 0x1p-24));
  EXPECT_THAT(set(contract::MeanForm::Any), ElementsAre(1 - 0x1p-24, 1));
}

TEST(Mean, MayNotOverflowOnTheWayUnlessDeclared) {
  // Fault R19: the sum of two largest numbers is Inf, their mean is not.
  const auto value = row_case(ReduceKind::Mean, FormatId::F16, FormatId::F16, words(FormatId::F16, {65504, 65504}));
  Contract contract = accumulating(FormatId::F16);
  EXPECT_EQ(permitted(value, contract).to_string(), "65504 (0x7bff)");
  contract.mean_may_overflow = true;
  EXPECT_TRUE(permitted(value, contract).plus_infinity);
  contract.mean_may_overflow = false;
  contract.mean = contract::MeanForm::Terms;
  EXPECT_EQ(permitted(value, contract).to_string(), "65504 (0x7bff)");
}

TEST(Mean, OfNothingIsZeroOrNan) {
  const auto value = row_case(ReduceKind::Mean, FormatId::F32, FormatId::F32, {});
  EXPECT_TRUE(permitted(value, {}).contains(0));
  EXPECT_TRUE(permitted(value, {}).contains(0x7fc00000));
}

}  // namespace
}  // namespace negzero::oracle

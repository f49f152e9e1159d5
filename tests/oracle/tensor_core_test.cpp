// Rule 2e at its boundaries: which units there are, when nothing is lost, which zeros and infinities, and where it
// stands beside the ordinary sets.

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/oracle/stepped.hpp>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::Contract;
using contract::TensorCore;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Contract on_tensor_cores(TensorCore tensor_core = TensorCore::Only, contract::Unit unit = contract::Unit::Any) {
  Contract contract;
  contract.tensor_core = tensor_core;
  contract.unit = unit;
  contract.wider = false;
  return contract;
}

Dot dot_of(FormatId factors, const std::vector<double>& a, const std::vector<double>& b, FormatId d = FormatId::F32) {
  return {.factors = factors, .d = d, .a = words(factors, a), .b = words(factors, b)};
}

Permitted permitted_by(const Dot& dot, const Contract& contract) { return permitted(dot_case(dot), contract); }

TEST(Units, AnyIsTheWorstOfAllInEachRespect) {
  const auto unit = [](contract::Unit name, FormatId format, FormatId accumulate = FormatId::F32) {
    const std::vector<Unit> units = units_of(name, format, format, accumulate);
    return units.empty() ? std::nullopt : std::optional(worst_of(units));
  };
  EXPECT_EQ(unit(contract::Unit::Any, FormatId::F16)->kept_bits, 23);
  EXPECT_EQ(unit(contract::Unit::Any, FormatId::F16)->shortest, 4);
  EXPECT_EQ(unit(contract::Unit::Any, FormatId::BF16)->kept_bits, 24);
  EXPECT_EQ(unit(contract::Unit::Any, FormatId::F8_E4M3)->result_bits, 14);
  EXPECT_EQ(unit(contract::Unit::Blackwell, FormatId::F8_E4M3)->result_bits, 24);
  EXPECT_TRUE(unit(contract::Unit::Hopper, FormatId::F16, FormatId::F16)->nearest);
  EXPECT_FALSE(unit(contract::Unit::Volta, FormatId::BF16)) << "Volta has no BF16";
  EXPECT_FALSE(unit(contract::Unit::Hopper, FormatId::BF16, FormatId::F16));
  EXPECT_FALSE(unit(contract::Unit::Any, FormatId::F32)) << "F32 is no format of tensor cores";
  EXPECT_TRUE(units_of(contract::Unit::Any, FormatId::F16, FormatId::BF16, FormatId::F32).empty());
  EXPECT_EQ(units_of(contract::Unit::Any, FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::F32).size(), 3u);
}

TEST(Units, AGemmOfOtherFormatsIsAUsageError) {
  const auto value = dot_case(dot_of(FormatId::F32, {1}, {1}));
  const auto oracle = Oracle::make(value, on_tensor_cores());
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(oracle.error().message, HasSubstr("multiplicand of TF32"));
  Contract tf32 = on_tensor_cores();
  tf32.multiplicand = contract::Multiplicand::Tf32NearestEven;
  EXPECT_TRUE(Oracle::make(value, tf32).ok());
  const auto row = row_case(operation::ReduceKind::Sum, FormatId::F16, FormatId::F32, {0x3c00});
  const auto reduction = Oracle::make(row, on_tensor_cores());
  ASSERT_FALSE(reduction.ok());
  EXPECT_THAT(reduction.error().message, HasSubstr("those of a gemm"));
}

TEST(TensorCore, ExactWhileNoTermReachesTwoToTheKeptBits) {
  // Multiples of 1: 2^23 - 1 and 1 are held; one more reaches 2^24 g, and the last place may be lost.
  const Contract contract = on_tensor_cores(TensorCore::Only, contract::Unit::Hopper);
  const Permitted exact = permitted_by(dot_of(FormatId::BF16, {0x1p12, 1}, {0x1p11, 1}), contract);
  EXPECT_EQ(exact.rule, verdict::Rule("sum.exact"));
  EXPECT_EQ(finite_values(exact), std::vector<double>{8388609});
  const Permitted inexact = permitted_by(dot_of(FormatId::BF16, {0x1p12, 1}, {0x1p12, 1}), contract);
  EXPECT_EQ(inexact.rule, verdict::Rule("sum.tensor_core"));
  EXPECT_TRUE(inexact.contains(word(FormatId::F32, 16777216)));
}

TEST(TensorCore, NativeF8HoldsFourteenBits) {
  const Dot dot = dot_of(FormatId::F8_E4M3, {128, 1}, {128, 1});
  EXPECT_TRUE(permitted_by(dot, on_tensor_cores()).contains(word(FormatId::F32, 16384)));
  EXPECT_TRUE(permitted_by(dot, on_tensor_cores()).contains(word(FormatId::F32, 16385)));
  EXPECT_FALSE(permitted_by(dot, {}).contains(word(FormatId::F32, 16384)));
  const Dot held = dot_of(FormatId::F8_E4M3, {127, 1}, {64, 1});  // 120 * 64 + 1
  EXPECT_EQ(finite_values(permitted_by(held, on_tensor_cores())).size(), 1u);
}

TEST(TensorCore, ASubnormalFactorKeepsItsExponent) {
  // 2^-24 * 1 aligns at 2^-14, so that 2^-47 is lost: S alone would call this sum exact.
  Dot dot{.factors = FormatId::F16, .a = {0x0001, 0x0001}, .b = {0x3c00, 0x0002}};
  const Permitted set = permitted_by(dot, on_tensor_cores(TensorCore::Only, contract::Unit::Hopper));
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0x1p-24)));
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0x1p-24 + 0x1p-47)));
}

TEST(TensorCore, ASumOfMinusZerosMayBeEither) {
  Contract contract = on_tensor_cores();
  contract.zero_sign = contract::ZeroSign::Ieee;
  const Permitted negative = permitted_by(dot_of(FormatId::F16, {-0.0}, {1}), contract);
  EXPECT_TRUE(negative.minus_zero && negative.plus_zero);
  const Permitted mixed = permitted_by(dot_of(FormatId::F16, {-0.0, 0}, {1, 1}), contract);
  EXPECT_TRUE(mixed.plus_zero);
  EXPECT_FALSE(mixed.minus_zero);
  const Permitted cancelled = permitted_by(dot_of(FormatId::F16, {1, -1}, {1, 1}), contract);
  EXPECT_FALSE(cancelled.minus_zero);
}

TEST(TensorCore, OverflowsWhereTheTermsOfOneSignDo) {
  const auto set = [](double b) {
    return permitted_by(dot_of(FormatId::BF16, {0x1p127, -0x1p127}, {b, 1}), on_tensor_cores());
  };
  EXPECT_FALSE(set(1).plus_infinity);
  EXPECT_TRUE(set(2).plus_infinity);
  EXPECT_TRUE(set(2).finite) << "2^128 - 2^127 in one step is 2^127";
  EXPECT_FALSE(set(2).minus_infinity);
  EXPECT_FALSE(set(2).nan);
  const Permitted both = permitted_by(dot_of(FormatId::BF16, {0x1p127, -0x1p127}, {2, 2}), on_tensor_cores());
  EXPECT_TRUE(both.plus_infinity && both.minus_infinity && both.nan);
}

TEST(TensorCore, SpecialValuesDecide) {
  const Contract contract = on_tensor_cores();
  EXPECT_EQ(permitted_by(dot_of(FormatId::F16, {kInfinity, 1}, {1, 1}), contract).to_string(), "+inf");
  EXPECT_EQ(permitted_by(dot_of(FormatId::F16, {kInfinity, -kInfinity}, {1, 1}), contract).to_string(), "nan");
  EXPECT_EQ(permitted_by(dot_of(FormatId::F16, {kInfinity}, {0}), contract).to_string(), "nan");
  EXPECT_EQ(permitted_by(dot_of(FormatId::F16, {kNotANumber, 1}, {1, 1}), contract).to_string(), "nan");
  const Permitted other = permitted_by(dot_of(FormatId::BF16, {kInfinity, -0x1p127}, {1, 2}), contract);
  EXPECT_TRUE(other.plus_infinity && other.nan) << "a slice of its own may overflow against the infinity";
}

TEST(TensorCore, MayIsTheUnionWithTheOrdinarySet) {
  std::vector<double> a, b;
  for (int i = 0; i < 64; ++i) {
    a.push_back(1 + i * 0x1p-9);
    b.push_back((i % 2 == 0 ? 1.0 : -1.0) / (3 + i));
  }
  for (const FormatId accumulate : {FormatId::F32, FormatId::F16}) {
    const Dot dot = dot_of(FormatId::F16, a, b, accumulate);
    const auto with = [&](TensorCore tensor_core) {
      Contract contract = on_tensor_cores(tensor_core);
      contract.accumulate = accumulate;
      return permitted_by(dot, contract);
    };
    const Permitted no = with(TensorCore::No), only = with(TensorCore::Only), may = with(TensorCore::May);
    EXPECT_EQ(may.low, std::min(no.low, only.low));
    EXPECT_EQ(may.high, std::max(no.high, only.high));
    EXPECT_EQ(may.rule, verdict::Rule("sum.tensor_core"));
  }
}

// 0.3 is no F16, nor is 0.3 * 3: what a kernel multiplies that scales A in F16 first is fl16(0.3 * 3).
TEST(TensorCore, AFoldedAlphaIsRoundedToTheOperandsFormat) {
  Dot dot = dot_of(FormatId::F16, std::vector<double>{3}, std::vector<double>{1});
  dot.alpha = {FormatId::F32, word(FormatId::F32, 0.3)};
  const double folded =
      number::to_double(number::format(FormatId::F16), word(FormatId::F16, 3 * static_cast<double>(0.3F)));
  EXPECT_TRUE(permitted_by(dot, on_tensor_cores()).contains(word(FormatId::F32, folded)));
  EXPECT_TRUE(permitted_by(dot, on_tensor_cores(TensorCore::May)).contains(word(FormatId::F32, folded)));
  EXPECT_FALSE(permitted_by(dot, {}).contains(word(FormatId::F32, folded)));
}

// Each of them may be dropped or kept, in any mixture: with all of them kept there are twice as many products as of one
// sign. The raised exponent of the first makes every truncation lose far more than the others are.
TEST(TensorCore, SubnormalFactorsThatMayBeFlushedCountWhereAlphaIsFoldedToo) {
  Dot dot = dot_of(FormatId::F16, std::vector<double>(8, 0x1p-24),
                   {-1, -0x1p-24, -0x1p-24, -0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24});
  dot.alpha = f32(2);
  Contract kept = on_tensor_cores();
  kept.alpha = contract::AlphaPlace::Operand;
  Contract either = kept;
  either.subnormal_inputs = contract::Subnormals::Either;
  const Permitted narrow = permitted_by(dot, kept), wide = permitted_by(dot, either);
  EXPECT_LE(wide.low, narrow.low);
  EXPECT_GE(wide.high, narrow.high);
}

TEST(TensorCore, SumsTheProductsOfGroupsToo) {
  operation::Operation grouped = *operation::operation_named("gemm.grouped");
  for (const char* extent : {"groups", "capacity", "n"}) grouped.extent(extent) = 1;
  grouped.extent("k") = 2;
  grouped.set_formats(std::vector{FormatId::F8_E4M3, FormatId::F8_E4M3, FormatId::F32});
  operation::Case value;
  value.operation = grouped;
  value.tensors.emplace("a", tensor_of(FormatId::F8_E4M3, {1, 1, 2}, words(FormatId::F8_E4M3, {128, 1})));
  value.tensors.emplace("b", tensor_of(FormatId::F8_E4M3, {1, 2, 1}, words(FormatId::F8_E4M3, {128, 1})));
  value.tensors.emplace("rows", tensor_of(FormatId::I32, {1}, {1}));
  EXPECT_TRUE(permitted(value, on_tensor_cores()).contains(word(FormatId::F32, 16384)));
  EXPECT_FALSE(permitted(value, {}).contains(word(FormatId::F32, 16384)));
}

TEST(TensorCore, DeclaredSlicesAndUnitsNarrowTheSet) {
  std::vector<double> a, b;
  for (int i = 0; i < 256; ++i) {
    a.push_back(1 + i * 0x1p-9);
    b.push_back(1.0 / (1 + i % 7));
  }
  const Dot dot = dot_of(FormatId::F16, a, b);
  const auto width = [&](contract::Unit unit, std::int64_t slices) {
    Contract contract = on_tensor_cores(TensorCore::Only, unit);
    contract.slices = slices;
    const Permitted set = permitted_by(dot, contract);
    return set.high - set.low;
  };
  EXPECT_LT(width(contract::Unit::Hopper, 1), width(contract::Unit::Hopper, 8));
  EXPECT_LT(width(contract::Unit::Hopper, 8), width(contract::Unit::Hopper, 0));
  EXPECT_LT(width(contract::Unit::Hopper, 0), width(contract::Unit::Any, 0));
}

TEST(TensorCore, CountsOfSlices) {
  const Unit unit{25, 24, false, 8};
  const number::Format& format = number::format(FormatId::F32);
  const auto counts = [&](std::uint64_t products, std::uint64_t depth, std::int64_t slices, bool with_c) {
    const StepCounts found = counts_of(unit, format, products, depth, slices, with_c);
    return std::vector<std::uint64_t>{found.products, found.steps, found.additions};
  };
  EXPECT_EQ(counts(16, 16, 1, false), (std::vector<std::uint64_t>{16, 2, 0}));
  EXPECT_EQ(counts(17, 17, 1, true), (std::vector<std::uint64_t>{17, 3, 1}));
  // 17 products in two slices: 1 + 16 take 1 + 2 steps, 9 + 8 take 2 + 1; no cut takes more.
  EXPECT_EQ(counts(17, 17, 2, false), (std::vector<std::uint64_t>{17, 3, 1}));
  EXPECT_EQ(counts(18, 18, 2, false), (std::vector<std::uint64_t>{18, 4, 1})) << "9 + 9";
  EXPECT_EQ(counts(3, 64, 1, false), (std::vector<std::uint64_t>{3, 3, 0})) << "steps of zeros lose nothing";
  EXPECT_EQ(counts(5, 5, 0, false), (std::vector<std::uint64_t>{5, 5, 4}));
  EXPECT_EQ(counts(5, 5, 0, true), (std::vector<std::uint64_t>{5, 5, 5}));
  EXPECT_EQ(counts(0, 5, 0, false), (std::vector<std::uint64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace negzero::oracle

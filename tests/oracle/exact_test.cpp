// The exact result of an element, in the output's format: for people, beside what was observed.

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using operation::ReduceKind;
using operation::ScatterKind;

std::optional<std::uint64_t> exact_of(const operation::Case& value, const contract::Contract& contract = {}) {
  const auto oracle = Oracle::make(value, contract);
  if (!oracle.ok()) throw std::runtime_error(oracle.error().message);
  return oracle->exact(0);
}

operation::Case row(ReduceKind kind, const std::vector<double>& values, FormatId y = FormatId::F32) {
  return row_case(kind, FormatId::F32, y, words(FormatId::F32, values));
}

TEST(Exact, IsTheSumRoundedOnce) {
  EXPECT_EQ(exact_of(row(ReduceKind::Sum, {1, 0x1p-24})), word(FormatId::F32, 1)) << "a tie, to even";
  EXPECT_EQ(exact_of(row(ReduceKind::Sum, {1, 0x1p-24, 0x1p-80})), word(FormatId::F32, 1 + 0x1p-23))
      << "in F64 the last term would be lost, and this a tie";
  EXPECT_EQ(exact_of(row(ReduceKind::Sum, {1e30, 1, -1e30})), word(FormatId::F32, 1));
}

TEST(Exact, OfADotProductHasItsScalarsAndItsC) {
  Dot dot{.a = words(FormatId::F32, {2, 3}), .b = words(FormatId::F32, {5, 7})};
  dot.alpha = f32(-1);
  dot.beta = f32(2);
  dot.c = word(FormatId::F32, 10);
  operation::Case value = dot_case(dot);
  operation::pack_missing_layouts(value);
  EXPECT_EQ(exact_of(value), word(FormatId::F32, -11));
}

TEST(Exact, OverflowsToInfinity) {
  EXPECT_EQ(exact_of(row_case(ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, {65504, 65504}))),
            word(FormatId::F16, kInfinity));
}

TEST(Exact, OfASelectionIsTheOnlyPermittedValue) {
  contract::Contract ieee;
  ieee.zero_sign = contract::ZeroSign::Ieee;
  EXPECT_EQ(exact_of(row(ReduceKind::Max, {-3, -2, -5}), ieee), word(FormatId::F32, -2));
  EXPECT_EQ(exact_of(row(ReduceKind::Max, {-0.0, -1}), ieee), 0x80000000u);
  EXPECT_EQ(exact_of(row(ReduceKind::Max, {-0.0, 0.0}), ieee), 0u);
  EXPECT_EQ(exact_of(row(ReduceKind::Max, {kNotANumber, 1}), ieee), 0x7fffffffu);
  EXPECT_EQ(exact_of(row(ReduceKind::Min, {-kInfinity, 1}), ieee), word(FormatId::F32, -kInfinity));
  EXPECT_EQ(exact_of(row(ReduceKind::Argmax, {1, 4, 2}, FormatId::I32)), 1u);
  EXPECT_EQ(exact_of(row(ReduceKind::Argmax, {1, 4, 2}, FormatId::I64)), 1u);
}

TEST(Exact, ThereIsNoneWhereSeveralAreRight) {
  // Infinities of both signs among partial sums: NaN, either infinity and numbers are permitted, but the sum is exact.
  EXPECT_EQ(exact_of(row(ReduceKind::Sum, {3e38, 3e38, -3e38, -3e38})), 0u);
  contract::Contract any;
  any.ties = contract::Ties::Any;
  EXPECT_EQ(exact_of(row(ReduceKind::Argmax, {4, 4}, FormatId::I32), any), std::nullopt);
}

}  // namespace
}  // namespace negzero::oracle

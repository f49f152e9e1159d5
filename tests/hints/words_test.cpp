// Single hints at their boundaries: one number that a contract beside the declared one permits, and its neighbour.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/judgement/hints.hpp>
#include <negzero/judgement/judgement.hpp>

#include "../oracle/build.hpp"

namespace negzero::hints {
namespace {

using namespace oracle::testing;  // cases from plain numbers
using contract::Contract;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Strings = std::vector<std::string>;

/// The words of the hints for one output of those values, in their order.
Strings words_of(const operation::Case& value, const Contract& contract, const std::vector<double>& observed) {
  const operation::TensorSpec spec = operation::output_specs(value.operation).front();
  const tensor::Tensor output = tensor_of(spec.format, spec.shape, words(spec.format, observed));
  Strings result;
  const auto judged = judgement::judge(value, contract, {&output, 1});
  for (const verdict::Hint& hint : judged->permitted_under) result.push_back(hint.words);
  return result;
}

/// A product, 1 x 1 x K, in F32.
operation::Case product(const std::vector<double>& a, const std::vector<double>& b) {
  return dot_case({.a = words(FormatId::F32, a), .b = words(FormatId::F32, b)});
}

TEST(Words, OfFlushedSubnormals) {
  // 1.5 - 1 smallest normal numbers: a subnormal, which an atomicAdd in global memory flushes; so does a +0 that is
  // added behind it.
  const operation::Case value = scatter_case(operation::ScatterKind::Add, FormatId::F32, word(FormatId::F32, -0x1p-126),
                                             {word(FormatId::F32, 1.5 * 0x1p-126)});
  EXPECT_THAT(words_of(value, {}, {0}),
              ::testing::IsSupersetOf({R"(subnormal_results "flush")", R"(subnormal_inputs "flush")"}));
  EXPECT_THAT(words_of(value, {}, {1}), IsEmpty());
  Contract flushes;
  flushes.subnormal_inputs = flushes.subnormal_results = contract::Subnormals::Either;
  EXPECT_THAT(words_of(value, flushes, {1}), IsEmpty());
}

TEST(Words, ExplainEveryElementOrNothing) {
  // Two rows: a subnormal that is perhaps flushed, and a sum that is plainly wrong.
  operation::Case value = row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32,
                                   words(FormatId::F32, {1.5 * 0x1p-126, -0x1p-126, 1, 2}));
  value.operation = operation::Reduce{.rows = 2, .columns = 2};
  value.tensors.at("x") = tensor_of(FormatId::F32, {2, 2}, words(FormatId::F32, {1.5 * 0x1p-126, -0x1p-126, 1, 2}));
  value.layouts.clear();
  operation::pack_missing_layouts(value);
  EXPECT_THAT(words_of(value, {}, {0, 3}), ::testing::Contains(R"(subnormal_results "flush")"));
  EXPECT_THAT(words_of(value, {}, {0, 4}), IsEmpty());
}

TEST(Words, OfACompensatedSum) {
  // In order, each small term is lost; Kahan's sum keeps them.
  const operation::Case value = row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32,
                                         words(FormatId::F32, {1, 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24}));
  Contract chain;
  chain.order = contract::Order::Ascending;
  chain.wider = false;
  EXPECT_THAT(words_of(value, chain, {1 + 0x1p-22}), Contains("compensated true"));
  EXPECT_THAT(words_of(value, chain, {1.5}), IsEmpty());
}

TEST(Words, OfTensorCores) {
  const operation::Case value = dot_case(
      {.factors = FormatId::F8_E4M3, .a = words(FormatId::F8_E4M3, {128, 1}), .b = words(FormatId::F8_E4M3, {128, 1})});
  EXPECT_THAT(words_of(value, {}, {16384}), Contains(R"(tensor_core "may")"));
  EXPECT_THAT(words_of(value, {}, {12288}), IsEmpty());
}

TEST(Words, OfFactorsThatWereConverted) {
  constexpr double kTie = 1 + 0x1p-11;
  const operation::Case tie = product({kTie}, {1});
  EXPECT_THAT(words_of(tie, {}, {1 + 0x1p-10}), Contains(R"(multiplicand "tf32_nearest_away")"));
  EXPECT_THAT(words_of(tie, {}, {1 + 0x1p-10}), Not(Contains(R"(multiplicand "tf32_nearest_even")")));
  EXPECT_THAT(words_of(tie, {}, {0.5}), IsEmpty());
  // One element rounded, and another as it stands.
  operation::Case two;
  two.operation = operation::Gemm{.m = 2, .n = 1, .k = 1};
  two.tensors.emplace("a", tensor_of(FormatId::F32, {1, 2, 1}, words(FormatId::F32, {kTie, kTie})));
  two.tensors.emplace("b", tensor_of(FormatId::F32, {1, 1, 1}, words(FormatId::F32, {1})));
  two.tensors.emplace("c", tensor::Tensor(FormatId::F32, {1, 2, 1}));
  operation::pack_missing_layouts(two);
  EXPECT_THAT(words_of(two, {}, {1, kTie}), Contains(R"(multiplicand "tf32_or_exact")"));
}

TEST(Words, OfFactorsThatAConversionWouldNotRound) {
  // 448^2 + 1.5 * 2^-7, cut to 24 bits, as tensor cores give it and no addition of F32. TF32 holds every factor here.
  const std::vector<double> a{448, 0.1875}, b{448, 0.0625};
  for (const FormatId format : {FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::F16, FormatId::BF16}) {
    const operation::Case value = dot_case({.factors = format, .a = words(format, a), .b = words(format, b)});
    const Strings hints = words_of(value, *contract::preset("f8_acc_f32"), {200704});
    EXPECT_THAT(hints, Contains(R"(tensor_core "may")"));
    EXPECT_THAT(hints, Each(Not(HasSubstr("multiplicand")))) << number::format(format).name;
  }
  // 16 bits lose some to the other format of 16 bits: the last three, or the range.
  const auto times_one = [](FormatId format, double x) {
    return dot_case({.factors = format, .a = words(format, {x}), .b = words(format, {1})});
  };
  EXPECT_THAT(words_of(times_one(FormatId::F16, 1 + 0x1p-9), {}, {1}), Contains(R"(multiplicand "bf16")"));
  EXPECT_THAT(words_of(times_one(FormatId::BF16, 0x1p-30), {}, {0}), Contains(R"(multiplicand "f16")"));
}

TEST(Words, OfTwoDeparturesAtOnce) {
  // One factor is rounded to BF16, and the other sum saturates: no single word explains both.
  operation::Case value;
  value.operation = operation::Gemm{.m = 2, .n = 1, .k = 1, .d = FormatId::F16};
  value.tensors.emplace("a", tensor_of(FormatId::F32, {1, 2, 1}, words(FormatId::F32, {1 + 0x1p-9, 1e6})));
  value.tensors.emplace("b", tensor_of(FormatId::F32, {1, 1, 1}, words(FormatId::F32, {1})));
  value.tensors.emplace("c", tensor::Tensor(FormatId::F16, {1, 2, 1}));
  operation::pack_missing_layouts(value);
  EXPECT_THAT(words_of(value, {}, {1, 65504}), Contains(R"(multiplicand "bf16" and overflow "saturate")"));
  EXPECT_THAT(words_of(value, {}, {1, 65472}), IsEmpty());
}

TEST(Words, AFormulaExplainsAllOrIsNotNamed) {
  operation::Case value;
  value.operation = operation::Gemm{.m = 2, .n = 1, .k = 0};
  value.tensors.emplace("a", tensor::Tensor(FormatId::F32, {1, 2, 0}));
  value.tensors.emplace("b", tensor::Tensor(FormatId::F32, {1, 0, 1}));
  value.tensors.emplace("c", tensor_of(FormatId::F32, {1, 2, 1}, words(FormatId::F32, {kInfinity, 1})));
  operation::pack_missing_layouts(value);
  EXPECT_THAT(words_of(value, {}, {kNotANumber, 0}), Contains(R"(scalars "formula")"));
  EXPECT_THAT(words_of(value, {}, {kNotANumber, 2}), Not(Contains(R"(scalars "formula")")));
}

TEST(Lines, NameWhatCannotBeToldApartTogether) {
  const std::vector<verdict::Hint> hints{
      {R"(multiplicand "tf32_truncate")", 0}, {R"(multiplicand "f16")", 0},
      {R"(multiplicand "tf32_any")", 1},      {R"(multiplicand "tf32_truncate" and tensor_core "may")", 2},
      {R"(subnormal_results "flush")", 3},    {R"(subnormal_results "either")", 3}};
  EXPECT_THAT(
      judgement::hint_lines(hints),
      ElementsAre(R"(permitted under multiplicand "tf32_truncate" or multiplicand "f16": declare it if the kernel )"
                  "does that. How factors are rounded before they are multiplied.",
                  StartsWith(R"(permitted under subnormal_results "flush": declare it if)")));
}

}  // namespace
}  // namespace negzero::hints

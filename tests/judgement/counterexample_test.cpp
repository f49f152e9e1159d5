// A case as text: what a kernel sees that the values do not show, and which elements of a long tensor are left out.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/contract/contract.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::judgement {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

operation::Case zeros(operation::Operation operation) {
  operation::Case value;
  value.operation = std::move(operation);
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  operation::pack_missing_layouts(value);
  return value;
}

/// x counts from 0: element i holds the F32 of i.
operation::Case counting(std::int64_t rows, std::int64_t columns) {
  operation::Case value = zeros(operation::Reduce{.rows = rows, .columns = columns});
  tensor::Tensor& x = value.tensors.at("x");
  for (std::int64_t i = 0; i < x.element_count(); ++i)
    x.set(i, number::from_double(x.format(), static_cast<double>(i)));
  return value;
}

TEST(Describe, SaysWhatAKernelSeesWhereItMayNotRead) {
  const contract::Contract contract;
  operation::Case value = zeros(operation::Gemm{.m = 1, .n = 2, .k = 1});
  std::string text = describe(value, &contract, "");
  EXPECT_THAT(text, HasSubstr("\nc F32[1, 1, 2] (not to be read at beta = 0: the kernel sees nan (0x7fffffff))\n"));
  EXPECT_THAT(text, HasSubstr("\na F32[1, 1, 1]\n  0 (0x00000000)\n")) << "alpha is 1";
  EXPECT_THAT(text, HasSubstr("the kernel sees nan (0x7fffffff))\nd F32")) << "what C holds cannot matter";
  EXPECT_THAT(text, HasSubstr("\nd F32[1, 1, 2] (before the launch: nan (0xffffffff))"));

  value.operation.scalars()[0].bits = 0;
  value.poison = operation::Poison::Large;
  text = describe(value, &contract, "");
  EXPECT_THAT(text,
              HasSubstr("\na F32[1, 1, 1] (not to be read at alpha = 0: the kernel sees 3.4028233e+38 (0x7f7ffffe))"));
  EXPECT_THAT(text,
              HasSubstr("\nb F32[1, 1, 2] (not to be read at alpha = 0: the kernel sees 3.4028233e+38 (0x7f7ffffe))"));
  EXPECT_THAT(text, HasSubstr("\nd F32[1, 1, 2] (before the launch: 3.4028235e+38 (0x7f7fffff))"));

  const contract::Contract reads{.reads_a_b_at_alpha_zero = true, .reads_c_at_beta_zero = true};
  EXPECT_THAT(describe(value, &reads, ""), Not(HasSubstr("not to be read")));
  EXPECT_THAT(describe(value, nullptr, ""), Not(HasSubstr("not to be read"))) << "nobody knows";
}

TEST(Describe, SaysWhatPaddingHolds) {
  operation::Case value = counting(2, 3);
  EXPECT_THAT(describe(value, nullptr, ""), Not(HasSubstr("layout")));
  value.layouts.at("x").strides = {5, 1};
  EXPECT_THAT(describe(value, nullptr, ""),
              HasSubstr("\nlayout of x: strides [5, 1], offset 0 elements; where no element lies, the kernel sees nan "
                        "(0x7fffffff)"));
  value.layouts.at("x").strides = {1, 2};
  EXPECT_THAT(describe(value, nullptr, ""), EndsWith("strides [1, 2], offset 0 elements"));
}

TEST(Describe, AScatterStartsFromItsInitialValues) {
  const operation::Case value = zeros(operation::Scatter{.updates = 1, .destinations = 1});
  EXPECT_THAT(describe(value, nullptr, ""), Not(HasSubstr("before the launch")));
}

TEST(Describe, InitialValuesHaveNoMemoryOfTheirOwn) {
  operation::Case value = zeros(operation::Scatter{.updates = 1, .destinations = 2});
  value.layouts.at("init").strides = {3};
  EXPECT_THAT(describe(value, nullptr, ""), EndsWith("layout of init: strides [3], offset 0 elements"));
}

TEST(Describe, ShowsTheFirstAndTheLastOfALongTensor) {
  const std::string text = describe(counting(40, 1), nullptr, "");
  EXPECT_THAT(text,
              HasSubstr("\n  9 (0x41100000), \n  ... 24 more (`negzero show CASE --json` has all) ...\n  34 (0x"));
  EXPECT_THAT(text, HasSubstr("\n  39 (0x421c0000)\n"));
  // One long row: lines of eight.
  EXPECT_THAT(describe(counting(1, 203), nullptr, ""), HasSubstr("79 (0x429e0000), \n  ... 80 more ("));
  EXPECT_THAT(describe(counting(1, 203), nullptr, ""),
              HasSubstr("\n    200 (0x43480000), 201 (0x43490000), 202 (0x434a0000)\n"));
}

TEST(Describe, LeavesNothingOutWhereThatSavesLittle) {
  for (const std::int64_t rows : {16, 17, 18, 23}) {
    EXPECT_THAT(describe(counting(rows, 1), nullptr, ""), Not(HasSubstr("more"))) << rows;
  }
  EXPECT_THAT(describe(counting(24, 1), nullptr, ""), HasSubstr("... 8 more"));
  // Rows that need two lines each.
  EXPECT_THAT(describe(counting(10, 9), nullptr, ""), Not(HasSubstr("more")));
  EXPECT_THAT(describe(counting(12, 9), nullptr, ""), HasSubstr("... 36 more"));
}

TEST(Describe, EqualElementsAreOnePiece) {
  operation::Case value = zeros(operation::Reduce{.rows = 5, .columns = 13});
  EXPECT_THAT(describe(value, nullptr, ""), HasSubstr("\nx F32[5, 13]\n  65 times 0 (0x00000000)\n"));
  value = zeros(operation::Reduce{.rows = 2, .columns = 6});
  tensor::Tensor& x = value.tensors.at("x");
  x.set(1, 0x3f800000);
  x.set(8, 0x3f800000);
  EXPECT_THAT(describe(value, nullptr, ""),
              HasSubstr("\n  0 (0x00000000), 1 (0x3f800000), 4 times 0 (0x00000000), "
                        "\n  0 (0x00000000), 0 (0x00000000), 1 (0x3f800000), 0 (0x00000000), 0 (0x00000000), 0 "
                        "(0x00000000)\n"))
      << "three are written out, and none runs over the end of a row";
}

TEST(Describe, EqualRowsAreOnePiece) {
  operation::Case value = zeros(operation::Reduce{.rows = 6, .columns = 1});
  value.tensors.at("x").set(5, 0x3f800000);
  EXPECT_THAT(describe(value, nullptr, ""), HasSubstr("\nx F32[6, 1]\n  5 times 0 (0x00000000), \n  1 (0x3f800000)\n"))
      << "a column is as short as a row";
  value.tensors.at("x").set(1, 0x3f800000);
  EXPECT_THAT(describe(value, nullptr, ""),
              HasSubstr("\n  0 (0x00000000), \n  1 (0x3f800000), \n  0 (0x00000000), \n  0 (0x00000000), \n  0 "
                        "(0x00000000), \n  1 (0x3f800000)\n"))
      << "three are written out";
  value = zeros(operation::Reduce{.rows = 6, .columns = 2});
  for (const std::int64_t i : {1, 3, 5, 7, 9, 10}) value.tensors.at("x").set(i, 0x3f800000);
  EXPECT_THAT(describe(value, nullptr, ""),
              HasSubstr("\nx F32[6, 2]\n  5 rows of 0 (0x00000000), 1 (0x3f800000), \n  1 "
                        "(0x3f800000), 0 (0x00000000)\n"));
  // Of a long one it is lines that are left out, and elements that are counted.
  value = counting(60, 1);
  for (std::int64_t i = 10; i < 30; ++i) value.tensors.at("x").set(i, 0);
  EXPECT_THAT(describe(value, nullptr, ""), HasSubstr("\n  9 (0x41100000), \n  ... 44 more ("));
}

TEST(Counterexample, HintsAtTheContractsThatPermitIt) {
  const Subject subject{.name = "k", .about = {}, .hints = {"declares nothing"}};
  verdict::Failure failure{.rule = "sum.exact", .message = "why"};
  EXPECT_THAT(counterexample(subject, counting(1, 1), nullptr, failure, ""), Not(HasSubstr("permitted under")));
  failure.permitted_under = {{R"(subnormal_results "flush")", 0}, {"compensated true", 1}};
  const std::string text = counterexample(subject, counting(1, 1), nullptr, failure, "");
  EXPECT_THAT(text, HasSubstr("  hint       permitted under subnormal_results \"flush\": declare it if the kernel "));
  EXPECT_THAT(text,
              HasSubstr("  hint       permitted under compensated true: declare it if the kernel does that. Sums "));
  EXPECT_THAT(text, EndsWith("  hint       declares nothing\n"));
}

}  // namespace
}  // namespace negzero::judgement

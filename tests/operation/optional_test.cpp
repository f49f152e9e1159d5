// Variants of declared lines: one signature each, and cases without their optional inputs.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/optional.hpp>

namespace negzero::operation::optional_test {
namespace {

using Names = std::vector<std::string>;
using ::testing::HasSubstr;

constexpr const char* kLine = "norm: y[rows, n] <- x[rows, n], gain?[n], bias?[n], residual?[rows, n], scale";

const notation::Signature& family() { return *find_signature(kLine); }

Case case_of(const Names& absent) {
  Case value;
  value.operation = Operation(variant(family(), absent));
  value.operation.extent("rows") = 2;
  value.operation.extent("n") = 3;
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  return value;
}

TEST(Variant, IsOneForEachSetOfAbsentInputs) {
  EXPECT_EQ(&variant(family(), {}), &family());
  EXPECT_EQ(&variant(family(), Names{"x", "scale", "other"}), &family()) << "none of these is optional";
  const notation::Signature& one = variant(family(), Names{"bias", "gain"});
  EXPECT_EQ(&variant(family(), Names{"gain", "bias"}), &one);
  EXPECT_EQ(&variant(one, Names{"gain", "bias"}), &one) << "asked of any of the family";
  EXPECT_EQ(&variant(one, {}), &family());
  EXPECT_NE(&variant(family(), Names{"gain"}), &one);
  EXPECT_EQ(optional_inputs(one), (Names{"gain", "bias", "residual"}));
  EXPECT_EQ(absent_inputs(one), (Names{"gain", "bias"}));
  EXPECT_EQ(absent_text(one), "without gain, bias");
  EXPECT_EQ(absent_text(family()), "");
  EXPECT_TRUE(is_absent(one, "bias"));
  EXPECT_FALSE(is_absent(one, "residual") || is_absent(one, "nothing"));
}

TEST(Variant, IsOfTheLine) {
  const Operation operation(variant(family(), Names{"gain"}));
  EXPECT_TRUE(is_of(operation, kLine));
  EXPECT_FALSE(is_of(operation, "gemm"));
  EXPECT_EQ(operation.signature().identity(), kLine);
  EXPECT_NE(operation, Operation(family()));
}

TEST(Variant, KeepsExtentsFormatsAndScalars) {
  Operation operation(family());
  operation.extent("n") = 7;
  operation.formats()[2] = number::FormatId::F16;
  operation.scalars()[0].bits = 5;
  Operation changed = operation;
  changed.set_variant(variant(family(), Names{"bias"}));
  EXPECT_EQ(changed.extent("n"), 7);
  EXPECT_EQ(changed.formats()[2], number::FormatId::F16);
  EXPECT_EQ(changed.scalars()[0].bits, 5u);
  changed.set_variant(family());
  EXPECT_EQ(changed, operation);
}

TEST(Variant, IsAValidCaseWithItsOwnTensorsAlone) {
  const Case value = case_of({"gain"});
  EXPECT_TRUE(validate(value).ok());
  EXPECT_FALSE(value.tensors.contains("gain") || value.layouts.contains("gain"));
  Case more = value;
  more.tensors.emplace("gain", tensor::Tensor(number::FormatId::F32, {3}));
  EXPECT_FALSE(validate(more).ok());
  Case fewer = value;
  fewer.tensors.erase("bias");
  EXPECT_FALSE(validate(fewer).ok());
}

TEST(Variant, WithoutAnInputNothingIsLeftOfIt) {
  Case value = case_of({});
  value.in_place = "residual";
  ASSERT_TRUE(validate(value).ok());
  const Case without = without_input(value, "residual");
  EXPECT_TRUE(validate(without).ok());
  EXPECT_EQ(absent_inputs(without.operation.signature()), Names{"residual"});
  EXPECT_EQ(without.in_place, "");
  const Case neither = without_input(without, "gain");
  EXPECT_EQ(absent_inputs(neither.operation.signature()), (Names{"gain", "residual"}));
  EXPECT_TRUE(validate(neither).ok());
}

TEST(Variant, LimitsOfAnInputApplyWhereItIsThere) {
  Limits limits;
  limits.in_place = {.input = "residual", .always = true};
  limits.tensors["bias"] = {.max_offset = 0};
  limits.values["gain"] = {.least = 1, .greatest = 2};
  ASSERT_TRUE(validate(limits, kLine).ok()) << validate(limits, kLine).error().message;
  EXPECT_FALSE(outside(limits, case_of({"gain", "residual"})));
  EXPECT_THAT(outside(limits, case_of({"gain"})).value_or(""),
              HasSubstr("residual does not lie in the output's memory"));
  EXPECT_THAT(outside(limits, case_of({"residual"})).value_or(""), HasSubstr("gain[0] = 0"));
  Case moved = case_of({"gain", "residual"});
  moved.layouts["bias"].offset = 1;
  EXPECT_THAT(outside(limits, moved).value_or(""), HasSubstr("offset 1 of bias"));
}

TEST(Variant, AnAbsentSlotOfIndicesHoldsIndices) {
  const notation::Signature& line = *find_signature("take: y[n] <- x[m], at?[n] < m");
  Operation operation(variant(line, Names{"at"}));
  EXPECT_EQ(operation.formats()[2], number::FormatId::I32);
  EXPECT_TRUE(validate(operation).ok());
  operation.formats()[2] = number::FormatId::F32;
  EXPECT_FALSE(validate(operation).ok());
}

}  // namespace
}  // namespace negzero::operation::optional_test

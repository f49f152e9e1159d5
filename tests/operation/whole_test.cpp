// Scalars that are whole numbers or truth values: which cases and limits are valid, and what they accept.

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/history.hpp>
#include <negzero/operation/views.hpp>
#include <negzero/operation/whole.hpp>

namespace negzero::operation {
namespace {

using notation::ScalarKind;
using number::FormatId;
using ::testing::HasSubstr;

constexpr const char* kPick = "pick: y[n] <- x[n], first int, largest bool, scale";

Operation pick() {
  Operation operation = *operation_named(kPick);
  operation.extent("n") = 3;
  return operation;
}

TEST(Whole, BeginsAt0InI32) {
  const Operation operation = pick();
  EXPECT_EQ(operation.scalars()[0], (Scalar{FormatId::I32, 0}));
  EXPECT_EQ(operation.scalars()[1], (Scalar{FormatId::I32, 0}));
  EXPECT_EQ(operation.scalars()[2], (Scalar{FormatId::F32, 0x3f800000}));
  EXPECT_TRUE(validate(operation).ok());
}

TEST(Whole, AnOperationHasI32ForTheseAloneAnd0Or1ForTruthValues) {
  const auto wrong = [](std::size_t scalar, Scalar value) {
    Operation operation = pick();
    operation.scalars()[scalar] = value;
    const base::Status status = validate(operation);
    return status ? std::string("none") : status.error().message;
  };
  EXPECT_EQ(wrong(0, {FormatId::I32, 0xffffffff}), "none");
  EXPECT_EQ(wrong(0, {FormatId::F32, 0x3f800000}), "first has format F32; a whole number is I32");
  EXPECT_EQ(wrong(0, {FormatId::I64, 1}), "first has format I64; a whole number is I32");
  EXPECT_EQ(wrong(0, {FormatId::I32, 0x100000000}), "first = 0x100000000 does not fit the 32 bits of I32");
  EXPECT_EQ(wrong(1, {FormatId::I32, 1}), "none");
  EXPECT_EQ(wrong(1, {FormatId::I32, 2}), "largest = 2 is no truth value, which is 0 or 1");
  EXPECT_EQ(wrong(1, {FormatId::F32, 1}), "largest has format F32; a truth value is I32");
  EXPECT_THAT(wrong(2, {FormatId::I32, 1}), HasSubstr("scale has format I32, which holds no floating-point numbers"));
}

TEST(Whole, HasTheNumbersOfItsRange) {
  const ScalarRange range{-2, 15}, beyond{3e9, 4e9}, open{0.5, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(whole_range(ScalarKind::Integer, &range).least, -2);
  EXPECT_EQ(whole_range(ScalarKind::Integer, &range).greatest, 15);
  EXPECT_EQ(whole_range(ScalarKind::Truth, &range).least, 0);
  EXPECT_EQ(whole_range(ScalarKind::Truth, &range).greatest, 1);
  EXPECT_EQ(whole_range(ScalarKind::Integer, nullptr).least, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(whole_range(ScalarKind::Integer, &open).least, 1);
  EXPECT_EQ(whole_range(ScalarKind::Integer, &open).greatest, std::numeric_limits<std::int32_t>::max());
  EXPECT_TRUE(whole_range(ScalarKind::Integer, &beyond).is_empty());
  EXPECT_EQ(whole_value(whole_scalar(-7)), -7);
  EXPECT_EQ(whole_scalar(-1), (Scalar{FormatId::I32, 0xffffffff}));
}

TEST(Whole, LimitsHaveWholeEndsAndSomethingBetweenThem) {
  const auto wrong = [](const char* scalar, ScalarRange range) {
    Limits limits;
    limits.scalars[scalar] = range;
    const base::Status status = validate(limits, kPick);
    return status ? std::string("none") : status.error().message;
  };
  EXPECT_EQ(wrong("first", {0, 15}), "none");
  EXPECT_EQ(wrong("first", {-std::numeric_limits<double>::infinity(), 3}), "none");
  EXPECT_EQ(wrong("first", {0, 1.5}), "limits: first is a whole number, and 1.5 is none; give its range whole ends");
  EXPECT_EQ(wrong("first", {3e9, 4e9}),
            "limits: first is a whole number, from -2147483648 to 2147483647, and none lies between 3000000000 and "
            "4000000000; widen its range");
  EXPECT_EQ(wrong("largest", {1, 1}), "none");
  EXPECT_EQ(wrong("largest", {2, 5}),
            "limits: largest is a truth value, from 0 to 1, and none lies between 2 and 5; widen its range");
  EXPECT_EQ(wrong("largest", {0.5, 1}), "limits: largest is a truth value, and 0.5 is none; give its range whole ends");
}

TEST(Whole, CasesLieInsideTheirRangesAndNoLimitOfAlphaIsTheirs) {
  Limits limits;
  limits.alpha = ScalarLimit::One;
  limits.scalars["first"] = {0, 15};
  limits.scalars["largest"] = {1, 1};
  Operation operation = pick();
  const auto why = [&] { return outside(limits, operation, {}).value_or("inside"); };
  EXPECT_EQ(why(), "largest = 0 is not between 1 and 1");
  operation.scalars()[1] = whole_scalar(1);
  EXPECT_EQ(why(), "inside");
  operation.scalars()[0] = whole_scalar(16);
  EXPECT_EQ(why(), "first = 16 is not between 0 and 15");
  operation.scalars()[0] = whole_scalar(15);
  EXPECT_EQ(why(), "inside");
  const auto views = scalar_views(operation, limits);
  EXPECT_EQ(views[0].limit, ScalarLimit::Any);
  EXPECT_EQ(views[2].limit, ScalarLimit::One);
  EXPECT_TRUE(views[0].is_whole() && views[1].is_whole() && !views[2].is_whole());
}

TEST(Whole, ACaseFileHasTheBitsInI32) {
  Case value;
  value.operation = pick();
  value.operation.scalars()[0] = whole_scalar(-3);
  value.operation.scalars()[1] = whole_scalar(1);
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  const std::vector<std::byte> file = case_file::write(value);
  const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  EXPECT_THAT(text, HasSubstr(R"(\"first\":{\"bits\":\"0xfffffffd\",\"format\":\"I32\"})"));
  EXPECT_THAT(text, HasSubstr(R"(\"largest\":{\"bits\":\"0x00000001\",\"format\":\"I32\"})"));
  const auto back = case_file::parse(file);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->operation.scalars()[0], whole_scalar(-3));
  EXPECT_EQ(back->operation, value.operation);
}

TEST(Whole, EarlierLaunchesWithOtherScalarsKeepThem) {
  Case value;
  value.operation = pick();
  value.operation.scalars()[0] = whole_scalar(2);
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  bool is_scale_changed = false;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Case earlier = earlier_case(value, {.contents = Contents::Scalars, .seed = seed}, 0);
    EXPECT_EQ(earlier.operation.scalars()[0], value.operation.scalars()[0]);
    EXPECT_EQ(earlier.operation.scalars()[1], value.operation.scalars()[1]);
    is_scale_changed = is_scale_changed || earlier.operation.scalars()[2] != value.operation.scalars()[2];
  }
  EXPECT_TRUE(is_scale_changed);
}

}  // namespace
}  // namespace negzero::operation

// What underflow adds to an error that is relative to a scale, at its boundaries.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/declared_error.hpp>

namespace negzero::property {
namespace {

using number::Format;
using number::FormatId;

/// A case of `rows` rows of two numbers, all of them `x`.
operation::Case case_of(FormatId format, double x, const std::string& each = "", std::int64_t rows = 1) {
  operation::Case value;
  value.operation = *operation::operation_named("own: y[rows, n] <- x[rows, n]" + each);
  value.operation.set_formats(std::vector{format, format});
  value.operation.extent("rows") = rows;
  value.operation.extent("n") = 2;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor& tensor = value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape)).first->second;
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, number::from_double(tensor.format(), x));
    }
  }
  return value;
}

/// How far from 0 a case's output may be, in steps of its format.
std::int64_t room(const operation::Case& value, double relative, double scale,
                  const operation::Limits& limits = {.values = {{"x", {}}}}) {
  const kernel::ErrorBound bound{.relative = relative};
  const Format& format = number::format(value.operation.format_of(0));
  const DeclaredError error(value, format, bound, {}, limits);
  const Format& f64 = number::format(FormatId::F64);
  const Interval interval = error.around(f64, 0, number::from_double(f64, scale));
  EXPECT_EQ(interval.low, -interval.high);
  return interval.high;
}

constexpr double kU32 = 0x1p-24;

TEST(DeclaredUnderflow, IsAStepForEachElementRead) {
  // N M eta = 2 * 2^12 steps of 2^-149, and e S one more.
  const operation::Case value = case_of(FormatId::F32, 1);
  EXPECT_EQ(room(value, 2 * kU32, 0x1p-126), (1 << 13) + 1);
  EXPECT_EQ(room(case_of(FormatId::F32, 0x1p-140), 2 * kU32, 0x1p-126), (1 << 13) + 1) << "M is at least 2^12";
  EXPECT_EQ(room(value, 0x1p-10, 0x1p-126), (1 << 13) + (1 << 13)) << "whatever error is declared";
  EXPECT_EQ(room(value, 2 * kU32, 0), 0) << "a scale of 0 says that nothing errs";
  EXPECT_EQ(room(case_of(FormatId::F32, 1, "", 3), 2 * kU32, 0x1p-126), 3 * (1 << 13) + 1);
  EXPECT_EQ(room(case_of(FormatId::F32, 1, " each rows", 3), 2 * kU32, 0x1p-126), (1 << 13) + 1) << "a problem a row";
}

TEST(DeclaredUnderflow, EndsWhereItIsLessThanARoundingOfTheError) {
  // From S = N M 2^emin / u = 2 * 2^12 * 2^-126 * 2^24 on.
  const operation::Case value = case_of(FormatId::F32, 1);
  const auto steps_of = [](double number) {
    return number::ordinal(number::format(FormatId::F32), number::from_double(number::format(FormatId::F32), number));
  };
  EXPECT_EQ(room(value, 2 * kU32, 0x1p-89), steps_of(0x1p-112));
  EXPECT_GT(room(value, 2 * kU32, std::nextafter(0x1p-89, 0)), steps_of(0x1p-112));
}

TEST(DeclaredUnderflow, IsMultipliedByTheLargestInput) {
  const auto at = [](double x) { return room(case_of(FormatId::F32, x), 2 * kU32, 0x1p-126); };
  EXPECT_EQ(at(-8), 8 * (1 << 13) + 1);
  EXPECT_GT(at(0x1p63), at(0x1p62));
  EXPECT_EQ(at(INFINITY), (1 << 13) + 1) << "an infinity is no magnitude";
}

TEST(DeclaredUnderflow, IsOfKernelsThatDeclareTheirValues) {
  EXPECT_EQ(room(case_of(FormatId::F32, 1), 2 * kU32, 0x1p-126, {}), 1) << "others are held to e S alone";
}

TEST(DeclaredUnderflow, IsThatOfF32AndOfF64WhereAllTensorsAre) {
  const operation::Case half = case_of(FormatId::F16, 1);
  EXPECT_EQ(room(half, 0x1p-10, 0x1p-14), 1) << "2^-136 is nothing in F16, in which nothing is assumed to be computed";
  EXPECT_EQ(room(case_of(FormatId::F64, 1), 0x1p-53, 0x1p-1022), (1 << 13) + 1);
}

TEST(DeclaredUnderflow, DecidesNothingWhereItExceedsTheScale) {
  const operation::Case value = case_of(FormatId::F32, 1);
  const kernel::ErrorBound bound{.relative = 2 * kU32};
  const operation::Limits limits{.values = {{"x", {}}}};
  const DeclaredError error(value, number::format(FormatId::F32), bound, {}, limits);
  const auto decides = [&](double scale) {
    return error.decides(number::from_double(number::format(FormatId::F64), scale));
  };
  EXPECT_FALSE(decides(0x1p-136)) << "N M eta";
  EXPECT_TRUE(decides(std::nextafter(0x1p-136, 1)));
  EXPECT_TRUE(decides(0));
  EXPECT_TRUE(decides(1));
}

}  // namespace
}  // namespace negzero::property

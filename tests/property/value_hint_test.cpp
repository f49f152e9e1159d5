// The line that a finding proposes where inputs are so large that their squares or exponentials overflow.

#include <string>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/value_hint.hpp>

namespace negzero::property {
namespace {

using number::FormatId;
using verdict::FailureClass;

operation::Case case_of(FormatId format, double x, double w) {
  operation::Case value;
  value.operation = *operation::operation_named("own: y[n] <- x[n], w[n]");
  value.operation.set_formats(std::vector{format, format, format});
  value.operation.extent("n") = 2;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor& tensor = value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape)).first->second;
    tensor.set(1, number::from_double(tensor.format(), spec.name == "x" ? x : w));
  }
  return value;
}

std::string hint(const operation::Case& value, FailureClass kind = FailureClass::WrongValue,
                 DeclaredBy by = DeclaredBy::Line, const operation::Limits& limits = {}) {
  return value_hint(value, {.kind = kind, .rule = "reference.error"}, limits, by).value_or("none");
}

TEST(ValueHint, HasTheLineToPaste) {
  const operation::Case one = case_of(FormatId::F32, -3.8e22, 1), two = case_of(FormatId::F32, 0x1p70, 1e20);
  EXPECT_EQ(hint(one),
            "the square of x = -3.8e+22 overflows F32; if |x| never exceeds 1e18 (or less), declare it: values x "
            "-1e18..1e18");
  EXPECT_EQ(hint(two, FailureClass::WrongSpecialValue, DeclaredBy::Registration),
            "the square of x = 1.1805916e+21 overflows F32, the square of w = 1e+20 overflows F32; if |x| never "
            "exceeds 1e18 and "
            "|w| never exceeds 1e18 (or less), declare it: .values = {{\"x\", {-1e18, 1e18}}, {\"w\", {-1e18, "
            "1e18}}}");
  EXPECT_TRUE(hint(two, FailureClass::WrongValue, DeclaredBy::Python)
                  .ends_with("values={\"x\": (-1e18, 1e18), \"w\": (-1e18, 1e18)}"));
}

TEST(ValueHint, NarrowsWhatIsDeclared) {
  const auto within = [](operation::ValueRange range, DeclaredBy by = DeclaredBy::Line) {
    return hint(case_of(FormatId::F32, 1e30, 1), FailureClass::WrongValue, by, {.values = {{"x", range}}});
  };
  EXPECT_TRUE(within({.least = 0}).ends_with("declare it: values x 0..1e18"));
  EXPECT_TRUE(within({-5, 1e35}, DeclaredBy::Python).ends_with("values={\"x\": (-5, 1e18)}"));
  EXPECT_EQ(within({1e25, 1e35}), "none") << "nothing would be left";
}

TEST(ValueHint, IsOfWrongValuesWithSuchInputsAlone) {
  EXPECT_EQ(hint(case_of(FormatId::F32, 0x1.fffffep63, 1)), "none") << "its square is the largest number or less";
  EXPECT_NE(hint(case_of(FormatId::F32, 0x1p64, 1)), "none");
  EXPECT_EQ(hint(case_of(FormatId::F32, INFINITY, -INFINITY)), "none") << "an infinity says so itself";
  EXPECT_EQ(hint(case_of(FormatId::F32, 1e30, 1), FailureClass::DataRace), "none");
  EXPECT_EQ(hint(case_of(FormatId::F32, 1e30, 1), FailureClass::WrongZeroSign), "none");
  EXPECT_EQ(value_hint(case_of(FormatId::F32, 1e30, 1), {.kind = FailureClass::WrongValue, .rule = "meta.scale"}, {},
                       DeclaredBy::Line),
            std::nullopt);
  EXPECT_NE(hint(case_of(FormatId::F16, 300, 1)).find("never exceeds 1e2"), std::string::npos);
  EXPECT_EQ(value_hint(case_of(FormatId::F32, 1e30, 1), {.kind = FailureClass::WrongValue, .rule = "sum.exact"}, {},
                       DeclaredBy::Line),
            std::nullopt)
      << "the oracle knows what overflows";
  EXPECT_EQ(hint(case_of(FormatId::F16, 255, 1)), "none");
  EXPECT_EQ(hint(case_of(FormatId::F8_E4M3, 448, 448)), "none") << "nothing is computed in a byte";
}

/// The hint on an element of y that was observed to be `observed`, where the reference has a number or another special.
std::string special(FormatId format, double x, double observed, verdict::Rule rule = "reference.special",
                    const operation::Limits& limits = {}) {
  const operation::Case value = case_of(format, x, 1);
  const std::uint64_t word = number::from_double(number::format(format), observed);
  return value_hint(
             value,
             {.kind = FailureClass::WrongSpecialValue, .rule = rule, .output = "y", .element = 1, .observed = word},
             limits, DeclaredBy::Python)
      .value_or("none");
}

TEST(ValueHint, NamesExponentialsBehindSpecialValues) {
  EXPECT_EQ(special(FormatId::F32, 512, NAN),
            "the exponential of x = 512 overflows F32; if |x| never exceeds 80 (or less), declare it: values={\"x\": "
            "(-80, 80)}");
  EXPECT_TRUE(special(FormatId::F32, -512, INFINITY).starts_with("the exponential of x = -512 underflows F32; "));
  EXPECT_EQ(special(FormatId::F32, 88.72, NAN), "none") << "its exponential is the largest number or less";
  EXPECT_NE(special(FormatId::F32, 88.73, NAN), "none");
  EXPECT_TRUE(special(FormatId::F32, 1e30, NAN).starts_with("the square of x")) << "the larger limit is tried first";
  EXPECT_TRUE(special(FormatId::F64, 1000, NAN).ends_with("(-700, 700)}"));
  EXPECT_TRUE(special(FormatId::F16, 128, NAN)
                  .starts_with("the exponential of x = 128 overflows F32; if |x| never "
                               "exceeds 80"));
  EXPECT_TRUE(special(FormatId::F16, 12, NAN)
                  .starts_with("the exponential of x = 12 overflows F16; if |x| never "
                               "exceeds 10"));
  EXPECT_TRUE(special(FormatId::F32, 512, NAN, "reference.special", {.values = {{"x", {.least = 0}}}})
                  .ends_with("values={\"x\": (0, 80)}"));
}

TEST(ValueHint, NamesNoExponentialsOfOtherFailures) {
  EXPECT_EQ(special(FormatId::F32, 512, 1), "none") << "a number, where the reference has none";
  EXPECT_EQ(special(FormatId::F32, 512, NAN, "sum.exact"), "none") << "operations with an oracle have no exponentials";
  EXPECT_EQ(special(FormatId::F8_E5M2, 512, NAN), "none") << "nothing is computed in a byte";
  EXPECT_EQ(hint(case_of(FormatId::F32, 512, 1)), "none") << "a wrong number";
}

}  // namespace
}  // namespace negzero::property

// What a reference permits: the ends of each interval, special values, and what decides nothing.

#include <cfloat>
#include <cmath>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/reference.hpp>

namespace negzero::property {
namespace {

using kernel::ErrorBound;
using kernel::Reference;
using number::Format;
using number::FormatId;
using ::testing::HasSubstr;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

/// One element of an output in a format, against what a reference gives beside a scale.
struct Element {
  FormatId format = FormatId::F32;
  ErrorBound bound{};
  double right = 1, scale = 0;
  contract::Contract contract{};
  bool nan = true, zero_signs = false;
  double x = 0;  ///< of the kernel
  struct Another {
    double right, observed;
  };
  std::vector<Another> more{};  ///< elements beside it

  [[nodiscard]] const Format& of() const { return number::format(format); }
  [[nodiscard]] Verdict verdict(std::uint64_t observed) const {
    const Reference said{.kernel = "right", .errors = {{"y", bound}}, .nan = nan, .zero_signs = zero_signs};
    operation::Case value;
    value.operation = *operation::operation_named("f: y[n] <- x[n]");
    value.operation.extents()[0] = 1 + static_cast<std::int64_t>(more.size());
    value.operation.set_formats(std::vector{format, format});
    value.tensors.emplace("x", tensor::Tensor(format, {value.operation.extents()[0]}));
    value.tensors.at("x").set(0, number::from_double(of(), x));
    operation::pack_missing_layouts(value);
    const kernel::Kernel reference{.name = "right", .operation = line_for(said, value.operation.signature())};
    const operation::Case asked = case_for_reference(value, contract, reference);
    std::vector<tensor::Tensor> outputs{tensor::Tensor(format, {value.operation.extents()[0]})}, given;
    outputs[0].set(0, observed);
    for (std::size_t i = 0; i < more.size(); ++i) {
      outputs[0].set(static_cast<std::int64_t>(i) + 1, number::from_double(of(), more[i].observed));
    }
    for (const operation::TensorSpec& spec : operation::output_specs(asked.operation)) {
      tensor::Tensor& tensor = given.emplace_back(spec.format, spec.shape);
      tensor.set(0, number::from_double(tensor.format(), spec.name == "y" ? right : scale));
      for (std::size_t i = 0; i < more.size(); ++i) {
        tensor.set(static_cast<std::int64_t>(i) + 1,
                   number::from_double(tensor.format(), spec.name == "y" ? more[i].right : scale));
      }
    }
    return judge_by_reference(value, contract, {.name = "f", .operation = "f", .reference = said}, outputs, asked,
                              given);
  }
  [[nodiscard]] Verdict verdict_at(double observed) const { return verdict(number::from_double(of(), observed)); }
  [[nodiscard]] bool permits(double observed) const { return verdict_at(observed).kind == VerdictKind::Pass; }
};

TEST(Reference, UlpsAreStepsFromTheRoundedValue) {
  const Element two{.bound = {.ulps = 2}, .right = 1 + 1e-9};
  EXPECT_TRUE(two.permits(1 + 2 * FLT_EPSILON));
  EXPECT_FALSE(two.permits(1 + 3 * FLT_EPSILON));
  EXPECT_TRUE(two.permits(1 - FLT_EPSILON)) << "two steps of half the size below 1";
  EXPECT_FALSE(two.permits(1 - 1.5f * FLT_EPSILON));
  const Element none{.right = 1 + 0.75 * FLT_EPSILON};
  EXPECT_TRUE(none.permits(1 + FLT_EPSILON)) << "what is nearest";
  EXPECT_FALSE(none.permits(1));
  const Verdict verdict = two.verdict_at(1 + 3 * FLT_EPSILON);
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->rule.id(), "reference.error");
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongValue);
  EXPECT_EQ(verdict.failure->direction, verdict::Direction::TooHigh);
  EXPECT_THAT(verdict.failure->message, HasSubstr("the reference right 1.000000001"));
  EXPECT_THAT(verdict.failure->permitted_text, HasSubstr("1.0000002"));
}

TEST(Reference, ARelativeErrorIsRoundedOutward) {
  const Element element{.bound = {.relative = 0.25}, .right = 1, .scale = 2};
  EXPECT_TRUE(element.permits(1.5));
  EXPECT_FALSE(element.permits(1.5 + FLT_EPSILON));
  EXPECT_TRUE(element.permits(0.5));
  EXPECT_FALSE(element.permits(0.5 - FLT_EPSILON / 4));
  // 1 + 2^-30 lies between two numbers of F32: both are permitted however small the error is.
  const Element between{.bound = {.relative = 0x1p-40}, .right = 1 + 0x1p-30, .scale = 1};
  EXPECT_TRUE(between.permits(1));
  EXPECT_TRUE(between.permits(1 + FLT_EPSILON));
  EXPECT_FALSE(between.permits(1 - FLT_EPSILON / 2));
  const Element both{.bound = {.ulps = 1, .relative = 0x1p-40}, .right = 1 + 0x1p-30, .scale = 1};
  EXPECT_TRUE(both.permits(1 - FLT_EPSILON / 2));
  EXPECT_FALSE(both.permits(1 - FLT_EPSILON));
}

/// Every encoding of F8 against intervals that long double holds exactly.
TEST(Reference, AgreesWithAnotherWayToCountOnEveryEncodingOfF8) {
  for (const FormatId id : {FormatId::F8_E4M3, FormatId::F8_E5M2}) {
    const Format& format = number::format(id);
    for (const double right : {0.0, 1.0, 1.0625, -3.3, 0.011, 200.0, -0.002, 440.0, -464.0}) {
      for (const double relative : {0.0, 0x1p-6, 0.2}) {
        for (const std::uint64_t ulps : {std::uint64_t{0}, std::uint64_t{2}}) {
          const double scale = std::abs(right) + 0.5;
          const Element element{
              .format = id, .bound = {.ulps = ulps, .relative = relative}, .right = right, .scale = scale};
          // All numbers of the format in order; zeros are one.
          std::vector<long double> numbers;
          for (std::uint64_t word = 0; word < 256; ++word) {
            if (number::decode(format, word).is_finite()) numbers.push_back(number::to_double(format, word));
          }
          std::ranges::sort(numbers);
          numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
          const long double least = right - static_cast<long double>(relative) * scale;
          const long double greatest = right + static_cast<long double>(relative) * scale;
          auto low = std::ranges::upper_bound(numbers, least) - numbers.begin() - 1;
          auto high = std::ranges::lower_bound(numbers, greatest) - numbers.begin();
          if (relative == 0) {
            low = high =
                std::ranges::find(
                    numbers, static_cast<long double>(number::to_double(format, number::from_double(format, right)))) -
                numbers.begin();
          }
          low -= static_cast<std::ptrdiff_t>(ulps);
          high += static_cast<std::ptrdiff_t>(ulps);
          for (std::uint64_t word = 0; word < 256; ++word) {
            const bool is_nan = number::is_nan(format, word);
            if (is_nan ? format.has_infinity : !number::decode(format, word).is_finite()) continue;
            const auto at =
                std::ranges::find(numbers, static_cast<long double>(number::to_double(format, word))) - numbers.begin();
            const bool is_beyond = low < 0 || high >= std::ssize(numbers);
            const bool wanted = is_nan ? is_beyond : low <= at && at <= high;
            EXPECT_EQ(element.verdict(word).kind == VerdictKind::Pass, wanted)
                << format.name << " " << right << " relative " << relative << " ulps " << ulps << " word " << word;
          }
        }
      }
    }
  }
}

TEST(Reference, SpecialValuesAreWhereTheReferenceHasThem) {
  const auto kind_of = [](double right, double observed, Element element = {.bound = {.ulps = 1}}) {
    element.right = right;
    const Verdict verdict = element.verdict_at(observed);
    EXPECT_TRUE(!verdict.failure || verdict.failure->kind == FailureClass::WrongSpecialValue)
        << right << " " << observed;
    return verdict.kind;
  };
  using enum VerdictKind;
  EXPECT_EQ(kind_of(kNan, kNan), Pass);
  EXPECT_EQ(kind_of(kNan, 1), Fail);
  EXPECT_EQ(kind_of(1, kNan), Fail);
  EXPECT_EQ(kind_of(kInf, kInf), Pass);
  EXPECT_EQ(kind_of(kInf, -kInf), Fail);
  EXPECT_EQ(kind_of(kInf, FLT_MAX), Fail);
  EXPECT_EQ(kind_of(1, kInf), Fail);
  EXPECT_EQ(kind_of(kNan, 1, {.nan = false}), Vacuous) << "anything, and nothing else to decide";
  // Too large for the format: what rounding gives, and one step is the largest number.
  EXPECT_EQ(kind_of(1e300, kInf), Pass);
  EXPECT_EQ(kind_of(1e300, FLT_MAX), Pass);
  EXPECT_EQ(kind_of(1e300, FLT_MAX, {}), Fail);
  // A format without infinities: NaN or the largest number of the sign.
  const Element f8{.format = FormatId::F8_E4M3};
  EXPECT_EQ(kind_of(1000, kNan, f8), Pass);
  EXPECT_EQ(kind_of(1000, 448, f8), Pass);
  EXPECT_EQ(Element({.format = FormatId::F8_E4M3, .right = 1000}).verdict_at(-448).kind, Fail);
}

TEST(Reference, AFormatWithoutInfinitiesHasNanWhereAnEndOverflows) {
  // The tie 464 rounds to 448; 464 + 0.03 * 464 is too large, as 65504 + 0.03 * 65504 is for F16, which has Inf there.
  const auto kind_of = [](FormatId format, double right, ErrorBound bound, double observed) {
    return Element({.format = format, .bound = bound, .right = right, .scale = std::abs(right)})
        .verdict_at(observed)
        .kind;
  };
  constexpr FormatId kE4m3 = FormatId::F8_E4M3;
  using enum VerdictKind;
  EXPECT_EQ(kind_of(kE4m3, 464, {.relative = 0.03}, kNan), Pass);
  EXPECT_EQ(kind_of(kE4m3, -464, {.relative = 0.03}, kNan), Pass);
  EXPECT_EQ(kind_of(FormatId::F16, 65504, {.relative = 0.03}, kInf), Pass);
  EXPECT_EQ(kind_of(kE4m3, 464, {}, kNan), Fail);
  EXPECT_EQ(kind_of(kE4m3, 464.5, {}, kNan), Pass);
  // 256 * 1.75 = 448 is the last number, and 256 * 1.751 lies behind it.
  EXPECT_EQ(kind_of(kE4m3, 256, {.relative = 0.75}, kNan), Fail);
  EXPECT_EQ(kind_of(kE4m3, 256, {.relative = 0.751}, kNan), Pass);
  EXPECT_EQ(kind_of(kE4m3, 448, {.ulps = 1}, kNan), Pass) << "one number past the largest, as Inf is in F16";
  EXPECT_EQ(kind_of(kE4m3, 416, {.ulps = 1}, kNan), Fail);
  EXPECT_EQ(kind_of(FormatId::F16, 65504, {.ulps = 1}, kInf), Pass);
}

TEST(Reference, SignsOfZerosCountWhereThatIsDeclared) {
  const Element any{.right = -0.0};
  EXPECT_TRUE(any.permits(0.0));
  const Element signs{.right = -0.0, .zero_signs = true};
  EXPECT_TRUE(signs.permits(-0.0));
  const Verdict verdict = signs.verdict_at(0.0);
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongZeroSign);
}

TEST(Reference, FlushedSubnormalsMayBeZeros) {
  Element element{.right = 0x1p-140};
  EXPECT_FALSE(element.permits(0));
  element.contract.subnormal_results = contract::Subnormals::Either;
  EXPECT_TRUE(element.permits(0));
  EXPECT_TRUE(element.permits(0x1p-140));
  EXPECT_FALSE(element.permits(-0x1p-149));
  element.right = 0x1p-126;
  EXPECT_FALSE(element.permits(0)) << "a normal number";
}

/// The ordinals of F64 and I64 fill 64 bits: differences of them do not fit.
TEST(Reference, NumbersOfSixtyFourBitsAreHeldToTheirInterval) {
  for (const FormatId id : {FormatId::F64, FormatId::I64, FormatId::I32}) {
    for (const double right : {5.0, -5.0, 0.0, 1073741824.0}) {
      for (const std::uint64_t ulps : {0, 1}) {
        const Element element{.format = id, .bound = {.ulps = ulps}, .right = right};
        EXPECT_TRUE(element.permits(right)) << number::format(id).name << " " << right;
        for (const double wrong : {right - 2, right + 2, -right + 7, -999.0, -2147483648.0, 2147483647.0}) {
          EXPECT_FALSE(element.permits(wrong)) << number::format(id).name << " " << right << " " << wrong;
        }
      }
    }
  }
  const Element most{.format = FormatId::F64, .bound = {.ulps = 1}, .right = DBL_MAX};
  EXPECT_TRUE(most.permits(kInf));
  EXPECT_FALSE(most.permits(-kInf));
  for (const double right : {0x1p40, 0x1p41 + 1, 0x1p52 - 1, 0x1p62, 0x1p62 + 1024, -0x1p40, -0x1p63}) {
    const Element element{.format = FormatId::I64, .right = right};
    EXPECT_TRUE(element.permits(right)) << right;
    EXPECT_FALSE(element.permits(0)) << right;
    EXPECT_FALSE(element.permits(right / 2)) << right;
  }
  // An error beyond the ends of the format ends there.
  const Element wide{.format = FormatId::I32, .bound = {.relative = 0.5}, .right = 2147483647, .scale = 2147483648};
  EXPECT_TRUE(wide.permits(2147483647));
  EXPECT_TRUE(wide.permits(1073741823));
  EXPECT_FALSE(wide.permits(1073741822));
  EXPECT_FALSE(wide.permits(-2147483648));
}

TEST(Reference, SpecialsAloneDecideOnlyWhereThereAreNoNumbers) {
  const ErrorBound blind{.relative = 2};
  EXPECT_EQ(Element({.bound = blind, .right = kInf, .scale = 1}).verdict_at(kInf).kind, VerdictKind::Vacuous);
  EXPECT_EQ(Element({.bound = {.relative = 1e-6}, .right = kInf, .scale = kInf}).verdict_at(kInf).kind,
            VerdictKind::Pass);
  EXPECT_EQ(Element({.bound = blind, .right = kInf, .scale = kInf}).verdict_at(1).kind, VerdictKind::Fail);
  EXPECT_EQ(Element({.bound = blind, .right = kInf, .scale = 1, .more = {{1, 2}}}).verdict_at(kInf).kind,
            VerdictKind::Vacuous);
  EXPECT_EQ(
      Element({.bound = {.relative = 1e-6}, .right = kInf, .scale = kInf, .more = {{1, 5}}}).verdict_at(kInf).kind,
      VerdictKind::Vacuous);
  EXPECT_EQ(Element({.bound = {.relative = 1e-6}, .right = kInf, .scale = 1, .more = {{1, 1}}}).verdict_at(kInf).kind,
            VerdictKind::Pass);
}

TEST(Reference, SubnormalInputsThatMayBeFlushedOrNotDecideNothing) {
  Element element{.right = 0, .contract = {.subnormal_inputs = contract::Subnormals::Either}, .x = 0x1p-140};
  EXPECT_EQ(element.verdict_at(5).kind, VerdictKind::Vacuous);
  EXPECT_THAT(element.verdict_at(5).reason, HasSubstr("subnormal inputs"));
  element.x = 0x1p-126;
  EXPECT_EQ(element.verdict_at(5).kind, VerdictKind::Fail);
}

TEST(Reference, WhatCountsLeaveOutMayBeAnything) {
  const Reference said{.kernel = "right"};
  operation::Case value;
  value.operation =
      *operation::operation_named("f: y[groups, capacity] <- x[groups, capacity], rows[groups] <= capacity");
  value.operation.extents()[0] = 1;
  value.operation.extents()[1] = 2;
  value.operation.set_formats(std::vector{FormatId::F32, FormatId::F32});
  value.tensors.emplace("x", tensor::Tensor(FormatId::F32, {1, 2}));
  value.tensors.emplace("rows", tensor::Tensor(FormatId::I32, {1}));
  value.tensors.at("rows").set(0, 1);
  operation::pack_missing_layouts(value);
  const kernel::Kernel reference{.name = "right", .operation = line_for(said, value.operation.signature())};
  const operation::Case asked = case_for_reference(value, {}, reference);
  const auto kind_of = [&](std::int64_t wrong) {
    std::vector<tensor::Tensor> outputs{tensor::Tensor(FormatId::F32, {1, 2})};
    outputs[0].set(wrong, 1);
    const std::vector<tensor::Tensor> given{tensor::Tensor(FormatId::F64, {1, 2})};
    return judge_by_reference(value, {}, {.name = "f", .operation = "f", .reference = said}, outputs, asked, given)
        .kind;
  };
  EXPECT_EQ(kind_of(0), VerdictKind::Fail);
  EXPECT_EQ(kind_of(1), VerdictKind::Pass);
}

TEST(Reference, IntegersAreComparedAsTheyAre) {
  const Element exact{.format = FormatId::I32, .right = 7};
  EXPECT_TRUE(exact.permits(7));
  EXPECT_FALSE(exact.permits(8));
  EXPECT_TRUE(Element({.format = FormatId::I32, .bound = {.ulps = 1}, .right = 7}).permits(8));
}

TEST(Reference, AnErrorThatExceedsItsScaleDecidesNothing) {
  using enum VerdictKind;
  EXPECT_EQ(Element({.bound = {.relative = 1}, .right = 1, .scale = 1}).verdict_at(1).kind, Vacuous);
  EXPECT_EQ(Element({.bound = {.relative = 0.999}, .right = 1, .scale = 1}).verdict_at(1).kind, Pass);
  EXPECT_EQ(Element({.bound = {.ulps = std::uint64_t{1} << 23}}).verdict_at(1).kind, Vacuous) << "2^(p-1)";
  EXPECT_EQ(Element({.bound = {.ulps = (std::uint64_t{1} << 23) - 1}}).verdict_at(1).kind, Pass);
  EXPECT_EQ(Element({.bound = {.any = true}}).verdict_at(5).kind, Vacuous);
  EXPECT_EQ(Element({.bound = {.relative = 1e-6}, .right = 1, .scale = kInf}).verdict_at(9).kind, Vacuous)
      << "an infinite scale: the element is not judged";
  for (const double scale : {-1.0, kNan}) {
    const Verdict verdict = Element({.bound = {.relative = 1e-6}, .right = 1, .scale = scale}).verdict_at(1);
    EXPECT_EQ(verdict.kind, Error);
    EXPECT_THAT(verdict.reason, HasSubstr("reference right: its scale"));
  }
}

/// The reference's own line, and what is none.
TEST(Reference, ALineIsHeldToTheKernels) {
  const notation::Signature& own = **operation::signature_of("f: y[n], at[n] < m <- x[n, m], ends[n] <= m, s each n");
  const Reference said{.kernel = "r", .errors = {{"y", {.relative = 1e-6}}}};
  const auto mistake = [&](const Reference& reference, std::string_view line) {
    const base::Status status = validate_line(reference, own, **operation::signature_of(line));
    return status ? std::string("none") : status.error().message;
  };
  EXPECT_EQ(line_for(said, own), "f.reference: y[n], at[n] < m, y_scale[n] <- x[n, m], ends[n] <= m, s each n");
  EXPECT_EQ(mistake(said, line_for(said, own)), "none");
  EXPECT_EQ(mistake({.kernel = "r"}, "g: at[n] < m, y[n] <- s, ends[n] <= m, x[n, m]"), "none") << "in any order";
  EXPECT_THAT(mistake(said, "g: y[n], at[n] < m <- x[n, m], ends[n] <= m, s"),
              HasSubstr("must give as an output y_scale"));
  EXPECT_THAT(mistake({.kernel = "r"}, "g: y[n], at[n] < m <- x[m, n], ends[n] <= m, s"), HasSubstr("it has x[m, n]"));
  EXPECT_THAT(mistake({.kernel = "r"}, "g: y[n] <- x[n, m], ends[n] <= m, s"), HasSubstr("its line has no at"));
  EXPECT_THAT(mistake({.kernel = "r"}, "g: y[n], at[n] < m <- x[n, m], ends[n] <= m"),
              HasSubstr("takes the scalars {}"));
  EXPECT_THAT(mistake({.kernel = "r"}, "g: y[n], at[n] < m, z[n] <- x[n, m], ends[n] <= m, s"),
              HasSubstr("it has z[n], which is nothing of the kernel's"));
  // Cases are the kernel's: what it promises less of its indices, the reference may not ask.
  const auto asks = [](std::string_view kernel, std::string_view reference) {
    const auto line = [](std::string_view words) { return fmt::format("f: y[n] <- at[n] < m{}, x[m]", words); };
    const base::Status status = validate_line(Reference{.kernel = "r"}, **operation::signature_of(line(kernel)),
                                              **operation::signature_of(line(reference)));
    return !status.ok();
  };
  EXPECT_FALSE(asks(" distinct", " distinct"));
  EXPECT_FALSE(asks(" all distinct", " distinct"));
  EXPECT_FALSE(asks(" ascending", ""));
  EXPECT_FALSE(asks("", " none=-1"));
  EXPECT_TRUE(asks("", " distinct"));
  EXPECT_TRUE(asks(" distinct", " all distinct"));
  EXPECT_TRUE(asks("", " ascending"));
  EXPECT_TRUE(asks(" none=-1", ""));
  const auto wrong = [&](const Reference& reference, std::string_view line) {
    const base::Status status = validate(reference, **operation::signature_of(line));
    return status ? std::string("none") : status.error().message;
  };
  EXPECT_EQ(wrong(said, own.identity()), "none");
  EXPECT_THAT(wrong(said, "gemm"), HasSubstr("gemm ships"));
  EXPECT_THAT(wrong({.kernel = "r", .errors = {{"z", {}}}}, own.identity()), HasSubstr("f has no output z"));
  EXPECT_THAT(wrong({.kernel = "r", .errors = {{"y", {.relative = -1}}}}, own.identity()),
              HasSubstr("a number from 0"));
  EXPECT_THAT(wrong({.errors = {{"y", {}}}}, own.identity()), HasSubstr("errors without a kernel"));
  EXPECT_THAT(wrong({.kernel = "r", .errors = {{"y", {.any = true}}, {"at", {.any = true}}}}, own.identity()),
              HasSubstr("every output may be anything"));
}

TEST(Reference, TakesTheSameNumbersInF64) {
  operation::Case value;
  value.operation = *operation::operation_named("f: y[n] <- x[n], at[n] < m, s");
  value.operation.extents()[0] = 2;
  value.operation.extents()[1] = 3;
  value.operation.set_formats(std::vector{FormatId::F16, FormatId::F16, FormatId::I64});
  value.operation.scalars()[0] = {FormatId::F32, 0x3dcccccd};
  tensor::Tensor x(FormatId::F16, {2});
  x.set(0, 0x0001);  // The smallest subnormal, 2^-24.
  x.set(1, 0x3c01);
  value.tensors.emplace("x", std::move(x));
  value.tensors.emplace("at", tensor::Tensor(FormatId::I64, {2}));
  operation::pack_missing_layouts(value);
  const kernel::Kernel reference{
      .name = "r", .operation = "f.reference: y[n] <- x[n], at[n] < m, s", .contract = {.accumulate = FormatId::F64}};
  operation::Case asked = case_for_reference(value, {}, reference);
  EXPECT_TRUE(operation::validate(asked).ok());
  const tensor::Tensor& wide = asked.tensors.at("x");
  EXPECT_EQ(wide.format_id(), FormatId::F64);
  EXPECT_EQ(number::to_double(wide.format(), wide.get(0)), 0x1p-24);
  EXPECT_EQ(asked.tensors.at("at").format_id(), FormatId::I64);
  EXPECT_EQ(asked.operation.scalars()[0].format, FormatId::F64);
  EXPECT_EQ(number::to_double(number::format(FormatId::F64), asked.operation.scalars()[0].bits),
            static_cast<double>(0.1f));
  asked = case_for_reference(value, {.subnormal_inputs = contract::Subnormals::Flush}, reference);
  EXPECT_EQ(number::to_double(wide.format(), asked.tensors.at("x").get(0)), 0x1p-24) << "normal in F32";
}

}  // namespace
}  // namespace negzero::property

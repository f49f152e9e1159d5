// References that are evaluated again: which elements their own roundings excuse, and which they do not.

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/reference.hpp>

#include "caller.hpp"

namespace negzero::property {
namespace {

using number::FormatId;
using ::testing::HasSubstr;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN(),
                 kInfinite = std::numeric_limits<double>::infinity();

/// One element of F32, and what its reference gives rounded to nearest, downward and upward; none: it raises.
struct Again {
  double nearest = 1;
  std::optional<double> down = 1, up = 1;
  kernel::ErrorBound bound{.relative = 1e-3};
  double scale = 1;

  [[nodiscard]] Verdict verdict(double observed) const {
    const kernel::Reference said{.kernel = "right", .errors = {{"y", bound}}};
    operation::Case value;
    value.operation = *operation::operation_named("f: y[n] <- x[n]");
    value.operation.extents()[0] = 1;
    value.operation.set_formats(std::vector{FormatId::F32, FormatId::F32});
    value.tensors.emplace("x", tensor::Tensor(FormatId::F32, {1}));
    operation::pack_missing_layouts(value);
    const kernel::Kernel reference{.name = "right", .operation = line_for(said, value.operation.signature())};
    const auto launch = [&](const run::Job&, const protocol::LaunchPlan& plan, std::byte* image) {
      const std::optional<double> given[] = {nearest, down, up};
      const auto& y = given[static_cast<std::size_t>(plan.schedule.rounding)];
      if (!y) return run::Called{run::Called::How::Raised, "TypeError: float64 alone"};
      for (const protocol::PlannedBuffer& buffer : plan.buffers) {
        const double written = buffer.name == "y" ? *y : scale;
        if (buffer.name != "x") std::memcpy(image + buffer.at, &written, sizeof written);
      }
      return run::Called{};
    };
    Caller caller(launch);
    std::vector<tensor::Tensor> outputs{tensor::Tensor(FormatId::F32, {1})};
    outputs[0].set(0, number::from_double(outputs[0].format(), observed));
    return judge_by_reference(value, {}, {.name = "f", .operation = "f", .reference = said},
                              Referee{&reference, &caller.executor()}, outputs);
  }
  [[nodiscard]] VerdictKind kind_of(double observed) const { return verdict(observed).kind; }
};

TEST(ReferenceAgain, ExcusesWhatItsRoundingsMoveFurtherThanTheDeclaredError) {
  using enum VerdictKind;
  EXPECT_EQ(Again({.down = 1, .up = 1.0009}).kind_of(2), Fail) << "within the error";
  EXPECT_EQ(Again({.down = 1, .up = 1.002}).kind_of(2), NotJudged);
  EXPECT_EQ(Again({.down = 0.998, .up = 1}).kind_of(2), NotJudged);
  EXPECT_EQ(Again({.down = 0.5, .up = 2}).kind_of(1), Pass) << "the reference is asked again where an element fails";
  EXPECT_EQ(Again({.down = 0, .up = 2, .bound = {.ulps = 0}}).kind_of(2), Fail) << "no error, no excuse";
  EXPECT_THAT(Again({.down = 0.5, .up = 2}).verdict(3).reason,
              HasSubstr("the reference is not good to its error at 1 element: rounded downward right gives 0.5"));
  EXPECT_THAT(Again({.down = 2, .up = 2}).verdict(3).warnings.at(0), HasSubstr("evaluated again right gives 2 "));
}

TEST(ReferenceAgain, ExcusesANumberThatIsNoneWhenItIsRoundedOtherwise) {
  using enum VerdictKind;
  EXPECT_EQ(Again({.nearest = kNotANumber, .down = kNotANumber, .up = kNotANumber}).kind_of(1), Fail);
  EXPECT_EQ(Again({.nearest = kNotANumber, .down = 3, .up = kNotANumber}).kind_of(1), NotJudged);
  EXPECT_EQ(Again({.down = 1, .up = kNotANumber}).kind_of(2), NotJudged);
  EXPECT_EQ(Again({.nearest = kInfinite, .down = 1e300, .up = kInfinite}).kind_of(1), Fail) << "infinite in F32";
  EXPECT_EQ(Again({.nearest = kInfinite, .down = -kInfinite, .up = kInfinite}).kind_of(1), Fail) << "1 / (x - x)";
  EXPECT_EQ(Again({.nearest = kInfinite, .down = 1e30, .up = kInfinite}).kind_of(1), NotJudged);
  EXPECT_EQ(Again({.nearest = kInfinite, .down = kNotANumber, .up = kInfinite}).kind_of(1), NotJudged);
}

TEST(ReferenceAgain, AScaleThatIsNanIsNoErrorBesideAReferenceThatIsNan) {
  EXPECT_EQ(Again({.nearest = kNotANumber, .scale = kNotANumber}).kind_of(kNotANumber), VerdictKind::Pass);
  EXPECT_EQ(Again({.scale = kNotANumber}).kind_of(1), VerdictKind::Error);
}

TEST(ReferenceAgain, OneThatEndsWellOnlyOnceIsSaidToBeEvaluatedOnce) {
  const Verdict verdict = Again({.down = std::nullopt, .up = std::nullopt}).verdict(2);
  EXPECT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_THAT(verdict.warnings.at(0),
              HasSubstr("the reference right was evaluated once only: evaluated again it did not end "
                        "well: "));
  EXPECT_THAT(verdict.warnings.at(0), HasSubstr("float64 alone"));
}

}  // namespace
}  // namespace negzero::property

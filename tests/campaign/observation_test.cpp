// What a kernel gave for a case, looked at element by element: the real output, and what the oracle says of each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/observation.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using operation::Case;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using verdict::Failure;
using verdict::FailureClass;

std::uint64_t word(float value) { return number::from_double(number::format(number::FormatId::F32), value); }

/// A max over rows of these values.
Case rows_case(const std::vector<std::vector<float>>& rows) {
  const auto count = static_cast<std::int64_t>(rows.size()), columns = static_cast<std::int64_t>(rows.front().size());
  Case value;
  value.operation =
      operation::Reduce{operation::ReduceKind::Max, count, columns, number::FormatId::F32, number::FormatId::F32};
  tensor::Tensor x(number::FormatId::F32, {count, columns});
  std::int64_t at = 0;
  for (const auto& row : rows) {
    for (const float each : row) x.set(at++, word(each));
  }
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

TEST(Observation, HasTheOutputOfTheRunAndWhatIsExactAndPermitted) {
  const Case value = rows_case({{1, 2}, {4, 3}, {5, 6}});
  const Failure failure{.output = "y", .element = 0, .observed = word(1)};
  const Observation seen = observe(value, *kernel_named("bad.skips_last"), failure, {});
  EXPECT_EQ(seen.kernel, "bad.skips_last@host");
  EXPECT_EQ(seen.nothing, "");
  EXPECT_EQ(seen.remark, "");
  EXPECT_THAT(seen.output.words, ElementsAre(word(1), word(4), word(5)));
  ASSERT_EQ(seen.judged.size(), 3u);
  EXPECT_EQ(seen.judged[0].exact, word(2));
  EXPECT_EQ(seen.judged[1].exact, word(4));
  EXPECT_EQ(seen.judged[2].exact, word(6));
  EXPECT_FALSE(seen.judged[0].is_permitted);
  EXPECT_TRUE(seen.judged[1].is_permitted);
  EXPECT_EQ(seen.judged[0].permitted, "2 (0x40000000)");
  ASSERT_EQ(seen.inputs.size(), 1u);
  EXPECT_EQ(seen.inputs[0].words.size(), 6u);
}

TEST(Observation, SaysWhereTheRunShowsAnotherValueThanTheFinding) {
  const Failure failure{.output = "y", .element = 0, .observed = word(7), .observed_text = "7 (0x40e00000)"};
  const Observation seen = observe(rows_case({{1, 2}}), *kernel_named("bad.skips_last"), failure, {});
  EXPECT_THAT(seen.remark, HasSubstr("This run gave 1 (0x3f800000) where the finding has 7 (0x40e00000)"));
}

TEST(Observation, SaysWhereAFailureWithoutAnElementHasRightValues) {
  const Failure race{.kind = FailureClass::DataRace, .rule = "run.race"};
  EXPECT_THAT(observe(rows_case({{1, 2}}), *kernel_named("good.max"), race, {}).remark, HasSubstr("is permitted"));
  EXPECT_EQ(observe(rows_case({{1, 2}}), *kernel_named("bad.skips_last"), race, {}).remark, "");
}

TEST(Observation, ACrashAndAHangAreNotRunAgain) {
  for (const FailureClass kind : {FailureClass::Crash, FailureClass::Hang}) {
    const Observation seen = observe(rows_case({{1, 2}}), *kernel_named("good.max"), {.kind = kind}, {});
    EXPECT_THAT(seen.nothing, HasSubstr("no output"));
    EXPECT_TRUE(seen.judged.empty());
    EXPECT_EQ(seen.inputs.size(), 1u) << "the inputs are known all the same";
  }
}

TEST(Observation, ARunWithoutAnOutputSaysWhy) {
  const Failure failure{.kind = FailureClass::WrongValue};
  EXPECT_NE(observe(rows_case({{1, 2}}), *kernel_named("bad.always_exits"), failure, {}).nothing, "");
  EXPECT_THAT(
      observe(rows_case({{1, 2}, {1, 2}, {1, 2}, {1, 2}}), *kernel_named("bad.writes_behind"), failure, {}).nothing,
      HasSubstr("before"));
  Case other = rows_case({{1, 2}});
  other.contract = "no such contract";
  EXPECT_NE(observe(other, *kernel_named("good.max"), failure, {}).nothing, "");
}

TEST(Observation, IsMadeBehindTheHistoryOfACase) {
  Case value = rows_case({{1, 2}});
  const Failure failure{.kind = FailureClass::Stateful, .rule = "run.state"};
  EXPECT_EQ(observe(value, *kernel_named("bad.third_launch"), failure, {}).nothing, "") << "the first launch is right";
  value.history = {{.times = 2}};
  EXPECT_NE(observe(value, *kernel_named("bad.third_launch"), failure, {}).nothing, "") << "the third writes beside x";
}

TEST(Grid, HoldsAPartAroundAnElement) {
  tensor::Tensor tensor(number::FormatId::F32, {3, 40, 100});
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, static_cast<std::uint64_t>(i));
  for (const std::int64_t element : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{5050}, std::int64_t{11999}}) {
    const Grid grid = grid_of("d", tensor, element);
    EXPECT_EQ(grid.all_rows, 120);
    EXPECT_EQ(grid.words.size(), static_cast<std::size_t>(kMostRows * kMostColumns));
    EXPECT_FALSE(grid.is_whole());
    bool found = element < 0;
    for (std::int64_t row = 0; row < grid.rows; ++row) {
      for (std::int64_t column = 0; column < grid.columns; ++column) {
        const auto at = static_cast<std::uint64_t>(grid.element(row, column));
        EXPECT_EQ(grid.words[static_cast<std::size_t>(row * grid.columns + column)], at);
        found = found || at == static_cast<std::uint64_t>(element);
      }
    }
    EXPECT_TRUE(found) << element;
  }
}

TEST(Grid, AnyShapeIsAMatrix) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {5}, {0}, {3, 0}, {0, 3}, {2, 3}, {2, 1, 4}, {1, 0, 4}}) {
    const tensor::Tensor tensor(number::FormatId::F16, shape);
    const Grid grid = grid_of("d", tensor, -1);
    EXPECT_EQ(grid.words.size(), static_cast<std::size_t>(tensor.element_count()));
    EXPECT_TRUE(grid.is_whole());
  }
}

TEST(Check, FindingsHaveObservationsWhereTheyAreAskedFor) {
  class Silent final : public CheckListener {
    void on_progress(const CheckPoint&) override {}
    void on_shrinking(const std::string&, const Failure&) override {}
    void on_finding(const Finding&) override {}
  } listener;
  for (const bool wanted : {false, true}) {
    const Directory directory;
    CheckOptions options{.cases = 60, .save_dir = directory.path()};
    options.evaluation.observe = wanted;
    const auto report = check({kernel_named("bad.skips_last")}, options, listener, [] { return false; });
    ASSERT_TRUE(report.ok());
    ASSERT_FALSE(report->kernels[0].findings.empty());
    const Finding& finding = report->kernels[0].findings[0];
    ASSERT_EQ(finding.observations.size(), wanted ? 1u : 0u);
    if (!wanted) continue;
    const Observation& seen = finding.observations[0];
    EXPECT_EQ(seen.output.words.at(static_cast<std::size_t>(finding.failure.element)), finding.failure.observed);
    EXPECT_FALSE(seen.judged.at(static_cast<std::size_t>(finding.failure.element)).is_permitted);
  }
}

}  // namespace
}  // namespace negzero::campaign

// Scalars that are whole numbers or truth values, as they are drawn, changed and shrunk.

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/whole.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::generate {
namespace {

using operation::Case;
using operation::whole_value;

constexpr const char* kPick = "pick: y[n, m] <- x[n, m], first int, largest bool, scale";

Request request_with(operation::ByName<operation::ScalarRange> scalars = {}) {
  Request request{.operation = kPick};
  request.limits.scalars = std::move(scalars);
  EXPECT_TRUE(validate(request).ok());
  return request;
}

std::int64_t whole_of(const Case& value, std::size_t scalar) { return whole_value(value.operation.scalars()[scalar]); }

TEST(WholeScalars, OfNoRangeAreSmallNumbersExtentsAndEnds) {
  const Request request = request_with();
  std::map<std::int64_t, int> seen;
  int around_extents = 0, ends = 0, truths = 0, negative = 0;
  constexpr int kCases = 2000;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const Case value = make_case(request, 1, index);
    ASSERT_TRUE(operation::validate(value).ok());
    const std::int64_t first = whole_of(value, 0);
    ++seen[first];
    truths += static_cast<int>(whole_of(value, 1));
    negative += first < 0;
    ends += first == std::numeric_limits<std::int32_t>::min() || first == std::numeric_limits<std::int32_t>::max();
    const auto is_near = [&](std::int64_t extent) { return extent > 20 && std::abs(first - extent) <= 1; };
    around_extents += std::ranges::any_of(value.operation.extents(), is_near);
  }
  for (const std::int64_t plain : {0, 1, -1, 2, 3, 7}) EXPECT_GT(seen[plain], 10) << plain;
  EXPECT_GT(around_extents, kCases / 20);
  EXPECT_GT(ends, 10);
  EXPECT_LT(ends, kCases / 20) << "now and then";
  EXPECT_GT(negative, kCases / 20);
  EXPECT_NEAR(truths, kCases / 2, kCases / 10) << "both evenly";
}

TEST(WholeScalars, StayInTheirRanges) {
  const Request request = request_with({{"first", {3, 15}}, {"largest", {1, 1}}});
  std::map<std::int64_t, int> seen;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const Case value = make_case(request, 1, index);
    ASSERT_FALSE(operation::outside(request.limits, value).has_value());
    ++seen[whole_of(value, 0)];
    ASSERT_EQ(whole_of(value, 1), 1);
  }
  EXPECT_EQ(seen.size(), 13u) << "all of them";
  EXPECT_LT(seen[3], 250) << "what the range lacks does not become its end";
  EXPECT_GT(seen[15], 20);
}

TEST(WholeScalars, ALargeRangeHasItsEnds) {
  const Request request = request_with({{"first", {-5, 1e6}}});
  std::set<std::int64_t> seen;
  for (std::uint64_t index = 0; index < 1000; ++index) seen.insert(whole_of(make_case(request, 1, index), 0));
  EXPECT_TRUE(seen.contains(-5) && seen.contains(1'000'000) && seen.contains(0));
  EXPECT_GT(std::ranges::count_if(seen, [](std::int64_t value) { return value > 10'000; }), 20);
}

/// A scalar of floating point is drawn as if there were no others behind it.
TEST(WholeScalars, LeaveTheDrawsOfNumbersBeforeThemAlone) {
  const Request with{.operation = "pick: y[n] <- x[n], scale, first int"};
  const Request without{.operation = "pick: y[n] <- x[n], scale"};
  for (std::uint64_t index = 0; index < 100; ++index) {
    EXPECT_EQ(make_case(with, 3, index).operation.scalars()[0], make_case(without, 3, index).operation.scalars()[0]);
  }
}

TEST(WholeScalars, ChangedCasesAreValidAndInside) {
  const Request request = request_with({{"first", {-3, 40}}});
  const mutate::Change* const change = &*std::ranges::find(mutate::changes(), "scalar", &mutate::Change::name);
  Case value = make_case(request, 5, 1);
  std::set<std::int64_t> steps, truths;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    base::Random random(seed);
    const auto child = mutate::changed(*change, request, value, random);
    if (!child) continue;
    ASSERT_TRUE(operation::validate(*child).ok());
    ASSERT_FALSE(operation::outside(request.limits, *child).has_value());
    steps.insert(whole_of(*child, 0) - whole_of(value, 0));
    truths.insert(whole_of(*child, 1));
    value = *child;
  }
  EXPECT_GT(steps.size(), 10u);
  EXPECT_EQ(truths.size(), 2u);
}

TEST(WholeScalars, AreChangedByOneByTwoAndToExtents) {
  const Request request = request_with();
  const mutate::Change* const change = &*std::ranges::find(mutate::changes(), "scalar", &mutate::Change::name);
  Case value = make_case(request, 5, 1);
  value.operation.scalars()[0] = operation::whole_scalar(77'777);
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    base::Random random(seed);
    if (const auto child = mutate::changed(*change, request, value, random)) seen.insert(whole_of(*child, 0));
  }
  for (const std::int64_t wanted : {77'778, 77'776, 155'554, 38'888}) EXPECT_TRUE(seen.contains(wanted)) << wanted;
  for (const std::int64_t extent : value.operation.extents()) EXPECT_TRUE(seen.contains(extent)) << extent;
}

TEST(WholeScalars, ShrinkTowards0AsFarAsTheFailureAndTheRangeLet) {
  const auto least = [](const Request& request, std::int64_t begin, auto fails) {
    const verdict::Failure failure{.kind = verdict::FailureClass::DataRace, .rule = "run.race"};
    const auto evaluate = [&](std::span<const Case> cases) {
      std::vector<verdict::Verdict> verdicts;
      for (const Case& value : cases) {
        EXPECT_FALSE(operation::outside(request.limits, value).has_value());
        verdicts.push_back(fails(value) ? verdict::Verdict{.kind = verdict::VerdictKind::Fail, .failure = failure}
                                        : verdict::Verdict{.kind = verdict::VerdictKind::NotJudged});
      }
      return verdicts;
    };
    Case value = make_case(request, 1, 7);
    value.operation.scalars()[0] = operation::whole_scalar(begin);
    value.operation.scalars()[1] = operation::whole_scalar(1);
    return shrink::minimise(value, {.kind = verdict::VerdictKind::Fail, .failure = failure}, evaluate,
                            {.limits = request.limits})
        .value;
  };
  const auto always = [](const Case&) { return true; };
  const auto from_10 = [](const Case& value) { return whole_of(value, 0) >= 10; };
  const auto below_minus_4 = [](const Case& value) { return whole_of(value, 0) < -4; };
  const auto with_largest = [](const Case& value) { return whole_of(value, 1) == 1; };
  EXPECT_EQ(whole_of(least(request_with(), 1'000'000, always), 0), 0);
  EXPECT_EQ(whole_of(least(request_with(), -77, always), 0), 0);
  EXPECT_EQ(whole_of(least(request_with(), 1'000'000, always), 1), 0);
  EXPECT_EQ(whole_of(least(request_with(), 1'000'000, from_10), 0), 10);
  EXPECT_EQ(whole_of(least(request_with(), -1000, below_minus_4), 0), -5);
  EXPECT_EQ(whole_of(least(request_with(), 3, with_largest), 1), 1);
  EXPECT_EQ(whole_of(least(request_with({{"first", {4, 2e6}}}), 1'000'000, always), 0), 4)
      << "nearest to 0 of its range";
}

TEST(WholeScalars, SmallerPlansGoTowards0) {
  const Request request = request_with({{"first", {-9, 50}}});
  Plan plan = draw(request, 1, 3);
  plan.operation.scalars()[0] = operation::whole_scalar(40);
  std::set<std::int64_t> offered;
  for (const Plan& smaller : smaller_plans(request, plan)) offered.insert(whole_value(smaller.operation.scalars()[0]));
  for (const std::int64_t value : {0, 20, 30, 35, 38, 39}) EXPECT_TRUE(offered.contains(value)) << value;
}

}  // namespace
}  // namespace negzero::generate

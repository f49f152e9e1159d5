// Cases of lines with optional inputs: all variants are drawn, changed and crossed, and a failure shrinks to the inputs
// that it needs.

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::generate::optional_test {
namespace {

using operation::Case;
using Names = std::vector<std::string>;

constexpr const char* kLines[] = {
    "norm: y[rows, n] <- x[rows, n], gain[n], bias?[n] each rows",
    "gated: y[rows, n], at[rows] < n <- x[rows, n], mask?[rows, n], bias?[n], residual?[rows, n], scale",
    "ragged: y[b, n] <- x[b, n], lengths?[b] <= n",
    "rows: y[b, n] <- x[m, n], at?[b] < m, ends?[b + 1] <= m ascending, other?[deep] with n <= m",
    "only: y[n] <- x?[n]",
};

Request request_of(const std::string& line) {
  Request request{.operation = line};
  const base::Status status = validate(request);
  EXPECT_TRUE(status.ok()) << line << ": " << status.error().message;
  return request;
}

Names absent_of(const Case& value) { return operation::absent_inputs(value.operation.signature()); }

TEST(Optional, EachIsAbsentInAThirdOfTheCases) {
  for (const char* const line : kLines) {
    SCOPED_TRACE(line);
    const Request request = request_of(line);
    const Names inputs = operation::optional_inputs(*operation::find_signature(line));
    std::map<Names, int> seen;
    std::map<std::string, int> absent;
    constexpr int kCases = 600;
    for (std::uint64_t index = 0; index < kCases; ++index) {
      const Case value = make_case(request, 3, index);
      const base::Status status = operation::validate(value);
      ASSERT_TRUE(status.ok()) << index << ": " << status.error().message;
      ASSERT_EQ(make_case(request, 3, index), value) << "a case depends on its number alone";
      ++seen[absent_of(value)];
      for (const std::string& name : absent_of(value)) ++absent[name];
    }
    EXPECT_EQ(seen.size(), std::size_t{1} << inputs.size()) << "every variant is drawn";
    EXPECT_GT(seen[{}], kCases / 10);
    EXPECT_GT(seen[inputs], kCases / 10);
    for (const std::string& name : inputs) {
      EXPECT_GT(absent[name], kCases / 4) << name;
      EXPECT_LT(absent[name], kCases / 2) << name;
    }
  }
}

TEST(Optional, AreThereWithLimitsAndOutsideOfThemWhereTheyAreNot) {
  Request request = request_of("sum: y[rows, n] <- x[rows, n], residual?[rows, n], bias?[n]");
  request.limits.in_place = {.input = "residual", .always = true};
  request.limits.values["bias"] = {.least = 1, .greatest = 2};
  request.limits.tensors["bias"] = {.order = operation::LayoutOrder::Packed, .broadcast = false};
  ASSERT_TRUE(validate(request).ok());
  int in_place = 0;
  for (std::uint64_t index = 0; index < 300; ++index) {
    const Case value = make_case(request, 7, index);
    const auto outside = operation::outside(request.limits, value);
    ASSERT_FALSE(outside) << index << ": " << *outside;
    const bool is_there = value.tensors.contains("residual");
    ASSERT_EQ(value.in_place, is_there ? "residual" : "");
    in_place += is_there ? 1 : 0;
  }
  EXPECT_GT(in_place, 100);
  EXPECT_LT(in_place, 260);
}

TEST(Optional, StayValidInChangedCasesAndCrossedOnes) {
  for (const char* const line : kLines) {
    SCOPED_TRACE(line);
    const Request request = request_of(line);
    std::map<Names, int> seen;
    std::map<std::string_view, int> changes;
    Case value = make_case(request, 5, 1);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      base::Random random(seed);
      mutate::Child child = mutate::child_of(request, value, random);
      for (const mutate::Change* const change : child.changes) ++changes[change->name];
      const Case other = make_case(request, 5, seed);
      const Case crossed = mutate::cross(request, child.value, other, random);
      for (const Case* const each : std::initializer_list<const Case*>{&child.value, &crossed}) {
        const base::Status status = operation::validate(*each);
        ASSERT_TRUE(status.ok()) << seed << ": " << status.error().message;
      }
      ASSERT_EQ(absent_of(crossed), absent_of(child.value)) << "the inputs of the first one";
      ++seen[absent_of(child.value)];
      if (seed % 3 != 0) value = std::move(child.value);
    }
    EXPECT_GT(changes["input"], 10);
    EXPECT_GT(seen.size(), 1u) << "children of one case have several variants";
  }
}

TEST(Optional, ChangesOfOtherLinesAreNone) {
  const Request request = request_of("norm: y[n] <- x[n]");
  const auto input = std::ranges::find(mutate::changes(), std::string_view("input"), &mutate::Change::name);
  ASSERT_NE(input, mutate::changes().end());
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::Random random(seed);
    const mutate::Child child = mutate::child_of(request, make_case(request, 5, seed), random);
    for (const mutate::Change* const change : child.changes) EXPECT_NE(change->name, "input");
    EXPECT_FALSE(mutate::changed(*input, request, child.value, random));
  }
}

/// The smallest case that fails, of the first one that a request makes.
Case smallest(const Request& request, const std::function<bool(const Case&)>& fails) {
  const verdict::Failure failure{.kind = verdict::FailureClass::DataRace, .rule = "run.race"};
  const auto evaluate = [&](std::span<const Case> cases) {
    std::vector<verdict::Verdict> verdicts;
    for (const Case& value : cases) {
      const base::Status status = operation::validate(value);
      EXPECT_TRUE(status.ok()) << status.error().message;
      verdicts.push_back(fails(value) ? verdict::Verdict{.kind = verdict::VerdictKind::Fail, .failure = failure}
                                      : verdict::Verdict{.kind = verdict::VerdictKind::NotJudged});
    }
    return verdicts;
  };
  std::uint64_t index = 0;
  Case value = make_case(request, 9, index);
  while (!fails(value) && index < 3000) value = make_case(request, 9, ++index);
  EXPECT_TRUE(fails(value));
  shrink::Options options;
  options.limits = request.limits;
  return shrink::minimise(value, {.kind = verdict::VerdictKind::Fail, .failure = failure}, evaluate, options).value;
}

TEST(Optional, ShrinkToWhatAFailureNeeds) {
  const Request request = request_of(kLines[1]);
  const auto is_wide = [](const Case& value) { return value.operation.extent("n") >= 2; };
  const auto has = [](const char* name) { return [=](const Case& value) { return value.tensors.contains(name); }; };
  const auto has_mask = has("mask"), has_bias = has("bias"), has_residual = has("residual");
  EXPECT_EQ(absent_of(smallest(request, [&](const Case& value) { return is_wide(value) && has_mask(value); })),
            (Names{"bias", "residual"}));
  EXPECT_EQ(absent_of(smallest(
                request, [&](const Case& value) { return is_wide(value) && has_bias(value) && has_residual(value); })),
            Names{"mask"});
  const Case three =
      smallest(request, [&](const Case& value) { return is_wide(value) && (has_mask(value) || has_bias(value)); });
  EXPECT_EQ(absent_of(three).size(), 2u) << "one of them is enough";
  EXPECT_EQ(absent_of(smallest(request, is_wide)), (Names{"mask", "bias", "residual"}));
  EXPECT_EQ(absent_of(smallest(request, [&](const Case& value) { return is_wide(value) && !has_bias(value); })),
            (Names{"mask", "bias", "residual"}));
}

TEST(Optional, CountsThatAreAbsentLeaveNothingPadded) {
  const Request request = request_of(kLines[2]);
  const auto fails = [](const Case& value) {
    return !value.tensors.contains("lengths") && value.operation.extent("n") >= 2 && value.operation.extent("b") >= 1;
  };
  const Case least = smallest(request, fails);
  EXPECT_EQ(absent_of(least), Names{"lengths"});
  EXPECT_EQ(least.operation.extent("n"), 2);
  EXPECT_FALSE(least.operation.signature().has_counts());
}

TEST(Optional, PlansGetSimplerWithoutThem) {
  const Request request = request_of(kLines[0]);
  for (std::uint64_t index = 0; index < 20; ++index) {
    const Plan plan = draw(request, 1, index);
    const bool has_bias = plan.layouts.contains("bias");
    const std::vector<Plan> smaller = smaller_plans(request, plan);
    const bool leaves_out = std::ranges::any_of(smaller, [&](const Plan& each) {
      const Case value = expand(request, each);
      EXPECT_TRUE(operation::validate(value).ok());
      return !each.layouts.contains("bias");
    });
    const bool adds = std::ranges::any_of(smaller, [](const Plan& each) { return each.layouts.contains("bias"); });
    EXPECT_TRUE(has_bias ? leaves_out : !adds) << index;
  }
}

}  // namespace
}  // namespace negzero::generate::optional_test

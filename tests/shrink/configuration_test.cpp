// Options in shrinking: the smallest case names those that matter, with the simplest values that fail.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/shrink/shrink.hpp>

#include "../generate/requests.hpp"

namespace negzero::shrink {
namespace {

using operation::Case;
using operation::Configuration;
using verdict::Verdict;
using verdict::VerdictKind;

const verdict::Failure kFailure{.kind = verdict::FailureClass::WrongValue, .output = "y"};

generate::Request with_options() {
  using enum number::FormatId;
  generate::Request request = generate::reduce_request("reduce.sum", F32, F32, F32);
  request.limits.configuration = {{"algorithm", {0, 1, 2, 3, 4, 5}}, {"split", {1, 2, 4}}, {"workspace", {4096, 0}}};
  return request;
}

/// What is left of a configuration where a case fails by it.
Configuration smallest(const Configuration& from, const std::function<bool(const Configuration&)>& fails) {
  const generate::Request request = with_options();
  Case value = generate::make_case(request, 5, 0);
  value.configuration = from;
  const EvaluateBatch evaluate = [&](std::span<const Case> cases) {
    std::vector<Verdict> verdicts;
    for (const Case& each : cases) {
      EXPECT_FALSE(operation::outside(request.limits, each));
      const Configuration all = operation::whole(request.limits.configuration, each.configuration);
      verdicts.push_back(fails(all) ? Verdict{.kind = VerdictKind::Fail, .failure = kFailure}
                                    : Verdict{.kind = VerdictKind::Pass});
    }
    return verdicts;
  };
  return minimise(value, {.kind = VerdictKind::Fail, .failure = kFailure}, evaluate, {.limits = request.limits})
      .value.configuration;
}

TEST(ShrinkConfiguration, OnlyOptionsThatMatterAreLeft) {
  const Configuration all{{"algorithm", 2}, {"split", 4}, {"workspace", 0}};
  EXPECT_EQ(smallest(all, [](const Configuration&) { return true; }), Configuration{});
  EXPECT_EQ(smallest(all, [](const Configuration& c) { return c.at("algorithm") == 2; }),
            (Configuration{{"algorithm", 2}}));
  EXPECT_EQ(smallest(all, [](const Configuration& c) { return c.at("algorithm") == 2 && c.at("workspace") == 0; }),
            (Configuration{{"algorithm", 2}, {"workspace", 0}}));
}

TEST(ShrinkConfiguration, AValueIsTheEarliestThatFails) {
  EXPECT_EQ(smallest({{"algorithm", 5}}, [](const Configuration& c) { return c.at("algorithm") >= 2; }),
            (Configuration{{"algorithm", 2}}));
  EXPECT_EQ(smallest({{"algorithm", 5}, {"split", 4}},
                     [](const Configuration& c) { return c.at("algorithm") % 3 == 2 && c.at("split") > 1; }),
            (Configuration{{"algorithm", 2}, {"split", 2}}));
}

TEST(ShrinkConfiguration, WhatTheKernelDoesNotHaveAndADefaultThatIsSaidGo) {
  const auto fails = [](const Configuration& c) { return c.at("split") == 2; };
  EXPECT_EQ(smallest({{"algorithm", 0}, {"of_another", 9}, {"split", 2}}, fails), (Configuration{{"split", 2}}));
}

TEST(ShrinkConfiguration, CandidatesDifferInOneRespectAndAreLess) {
  const generate::Request request = with_options();
  Case value = generate::make_case(request, 5, 0);
  value.configuration = {{"algorithm", 2}, {"workspace", 0}};
  std::vector<Configuration> others;
  for (const Case& candidate : candidates(value, kFailure, request.limits)) {
    EXPECT_TRUE(less(candidate, value, request.limits));
    if (candidate.configuration == value.configuration) continue;
    others.push_back(candidate.configuration);
    Case same = candidate;
    same.configuration = value.configuration;
    EXPECT_EQ(same, value) << "nothing else changes";
  }
  EXPECT_THAT(others,
              testing::ElementsAre(Configuration{}, Configuration{{"workspace", 0}},
                                   Configuration{{"algorithm", 1}, {"workspace", 0}}, Configuration{{"algorithm", 2}}));
}

TEST(ShrinkConfiguration, ElementsCountMoreThanOptions) {
  const generate::Request request = with_options();
  using operation::Reduce;
  const auto made = [](std::int64_t columns, Configuration configuration) {
    Case value;
    value.operation = Reduce{.rows = 1, .columns = columns};
    value.tensors.emplace("x", tensor::Tensor(number::FormatId::F32, {1, columns}));
    operation::pack_missing_layouts(value);
    value.configuration = std::move(configuration);
    return value;
  };
  EXPECT_TRUE(less(made(2, {{"algorithm", 5}}), made(3, {}), request.limits));
  EXPECT_TRUE(less(made(2, {}), made(2, {{"algorithm", 1}}), request.limits));
  EXPECT_TRUE(less(made(2, {{"algorithm", 1}}), made(2, {{"algorithm", 2}}), request.limits));
  EXPECT_TRUE(less(made(2, {{"algorithm", 5}}), made(2, {{"algorithm", 5}, {"split", 2}}), request.limits));
}

}  // namespace
}  // namespace negzero::shrink

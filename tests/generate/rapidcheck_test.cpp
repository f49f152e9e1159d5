// Plans under RapidCheck: they shrink to the smallest plan that still fails.

#include <functional>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <negzero/generate/rapidcheck.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

/// The plan that RapidCheck's own walk over the shrink tree ends at, starting from a failing plan of `seed`.
std::optional<Plan> shrunk(const Request& request, std::uint64_t seed, const std::function<bool(const Plan&)>& fails) {
  for (std::uint64_t attempt = 0; attempt < 1000; ++attempt) {
    rc::Shrinkable<Plan> node = plans(request)(rc::Random(seed + attempt), 100);
    if (!fails(node.value())) continue;
    for (bool smaller = true; smaller;) {
      smaller = false;
      auto shrinks = node.shrinks();
      for (auto next = shrinks.next(); next; next = shrinks.next()) {
        if (!fails(next->value())) continue;
        node = *next;
        smaller = true;
        break;
      }
    }
    return node.value();
  }
  return std::nullopt;
}

Plan minimal_gemm(const std::string& strategy, std::int64_t m) {
  Plan plan;
  plan.strategy = strategy;
  operation::Gemm gemm;
  gemm.batch = gemm.n = gemm.k = 0;
  gemm.m = m;
  plan.operation = gemm;
  for (const auto& spec : operation::input_specs(plan.operation)) {
    plan.layouts[spec.name] = tensor::Layout::packed(spec.shape);
  }
  const auto output = operation::output_specs(plan.operation).front();
  plan.layouts[output.name] = tensor::Layout::packed(output.shape);
  return plan;
}

TEST(RapidCheck, ShrinksToTheSmallestPlan) {
  const Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto plan = shrunk(request, 1000 * seed,
                             [](const Plan& p) { return operation::view<operation::Gemm>(p.operation).m >= 10; });
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(to_string(*plan), to_string(minimal_gemm(plan->strategy, 10)));
    EXPECT_EQ(*plan, minimal_gemm(plan->strategy, 10));
  }
}

TEST(RapidCheck, KeepsWhatTheFailureNeeds) {
  const Request request = gemm_request(number::FormatId::F16, number::FormatId::F32, number::FormatId::F16);
  const auto padded = [](const Plan& plan) {
    const auto& a = plan.layouts.at("a");
    return a.shape[1] >= 2 && a.shape[2] >= 3 && a.strides[1] > a.shape[2] && a.strides[2] == 1;
  };
  const auto plan = shrunk(request, 5, padded);
  ASSERT_TRUE(plan.has_value());
  const auto& gemm = operation::view<operation::Gemm>(plan->operation);
  EXPECT_EQ(gemm.m, 2);
  EXPECT_EQ(gemm.k, 3);
  EXPECT_EQ(plan->layouts.at("b"), tensor::Layout::packed({gemm.batch, gemm.k, gemm.n}));
  const auto scaled = [](const Plan& p) {
    const auto& scalar = operation::view<operation::Gemm>(p.operation).beta;
    return !number::is_zero(number::format(scalar.format), scalar.bits);
  };
  const auto with_beta = shrunk(request, 9, scaled);
  ASSERT_TRUE(with_beta.has_value());
  EXPECT_EQ(operation::view<operation::Gemm>(with_beta->operation).beta.bits,
            number::one(number::format(number::FormatId::F32)));
}

TEST(RapidCheck, SmallerPlansStayInsideTheLimits) {
  for (const Request& request : all_requests()) {
    Plan plan = draw(request, 11, 3);
    int steps = 0;
    for (std::vector<Plan> next = smaller_plans(request, plan); !next.empty(); next = smaller_plans(request, plan)) {
      for (const Plan& candidate : next) {
        ASSERT_FALSE(operation::outside(request.limits, candidate.operation, candidate.layouts, candidate.in_place))
            << to_string(candidate);
        EXPECT_EQ(candidate.strategy, plan.strategy);
      }
      ASSERT_TRUE(operation::validate(expand(request, next.front())).ok()) << to_string(next.front());
      // The last of the candidates: the slowest way down must end too.
      plan = next.back();
      ASSERT_LT(++steps, 10000);
    }
    EXPECT_TRUE(operation::validate(expand(request, plan)).ok());
  }
}

TEST(RapidCheck, DrawsTheSamePlanFromTheSameRandomness) {
  const Request request = all_requests().front();
  const auto generator = plans(request);
  EXPECT_EQ(generator(rc::Random(3), 100).value(), generator(rc::Random(3), 0).value());
  EXPECT_NE(generator(rc::Random(3), 100).value(), generator(rc::Random(4), 100).value());
}

TEST(RapidCheck, PrintsAPlanOnOneLine) {
  std::ostringstream text;
  rc::show(minimal_gemm("exact", 2), text);
  EXPECT_EQ(text.str(),
            "exact gemm batch=0 m=2 n=0 k=0 alpha=1 beta=0, a 0x2x0 @0 (2, 1, 1), b 0x0x0 @0 (1, 1, 1), "
            "c 0x2x0 @0 (2, 1, 1), d 0x2x0 @0 (2, 1, 1), poison nan, schedule forward 0x0, elements 0x0");
}

}  // namespace
}  // namespace negzero::generate

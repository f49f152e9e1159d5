// Options of a drawn case: each value equally often, the default not stored, and nothing else of the case by them.

#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using operation::Configuration;

Request with_options() {
  Request request = reduce_request("reduce.sum", number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.configuration = {{"algorithm", {7, 0, 3}}, {"workspace", {4096, 0}}};
  return request;
}

TEST(DrawnConfiguration, EveryValueComesEquallyOften) {
  constexpr int kCases = 1200;
  const Request request = with_options();
  std::map<std::int64_t, int> algorithms, workspaces;
  std::map<Configuration, int> together;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const Configuration configuration = draw(request, 5, index).configuration;
    EXPECT_EQ(operation::accepted(request.limits.configuration, configuration), configuration) << "no default in it";
    const Configuration all = operation::whole(request.limits.configuration, configuration);
    ++algorithms[all.at("algorithm")];
    ++workspaces[all.at("workspace")];
    ++together[all];
  }
  // Six standard deviations of a binomial distribution are at most 100 here.
  ASSERT_EQ(algorithms.size(), 3u);
  for (const auto& [value, count] : algorithms) EXPECT_NEAR(count, kCases / 3, 100) << value;
  ASSERT_EQ(workspaces.size(), 2u);
  for (const auto& [value, count] : workspaces) EXPECT_NEAR(count, kCases / 2, 104) << value;
  EXPECT_EQ(together.size(), 6u) << "options do not depend on each other";
}

TEST(DrawnConfiguration, TheRestOfTheCaseIsWhatItIsWithoutOptions) {
  for (const Request& request : all_requests()) {
    Request with = request;
    with.limits.configuration = with_options().limits.configuration;
    for (std::uint64_t index = 0; index < 20; ++index) {
      operation::Case value = make_case(with, 5, index);
      EXPECT_EQ(value, make_case(with, 5, index)) << "the same again";
      value.configuration.clear();
      ASSERT_EQ(value, make_case(request, 5, index));
    }
  }
}

TEST(DrawnConfiguration, IsPartOfThePlanAndGetsSimpler) {
  Request request = with_options();
  Plan plan = draw(request, 5, 0);
  plan.configuration = {{"algorithm", 3}, {"workspace", 0}};
  EXPECT_NE(to_string(plan).find(", algorithm 3, workspace 0, poison"), std::string::npos) << to_string(plan);
  EXPECT_EQ(expand(request, plan).configuration, plan.configuration);
  bool drops_both = false, is_earlier = false;
  for (const Plan& smaller : smaller_plans(request, plan)) {
    drops_both = drops_both || smaller.configuration.empty();
    is_earlier = is_earlier || smaller.configuration == Configuration{{"algorithm", 0}, {"workspace", 0}};
  }
  EXPECT_TRUE(drops_both);
  EXPECT_TRUE(is_earlier);
  // A value that the limits do not have is no step down, as other plans would be refused for it.
  request.limits.configuration["algorithm"] = {7, 0};
  for (const Plan& smaller : smaller_plans(request, plan)) {
    EXPECT_EQ(smaller.configuration.count("algorithm"), 0u) << to_string(smaller);
  }
}

TEST(DrawnConfiguration, LimitsThatNoLaunchCanHaveAreRefused) {
  Request request = with_options();
  EXPECT_TRUE(validate(request).ok());
  request.limits.configuration["algorithm"].clear();
  const base::Status status = validate(request);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("option algorithm has no values"), std::string::npos);
}

}  // namespace
}  // namespace negzero::generate

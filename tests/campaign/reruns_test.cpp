// Cases that are run again: by all examiners at once, settled in order, read ahead no further than is held.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/reruns.hpp>

#include "kernels.hpp"
#include "processes.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using operation::Case;
using verdict::VerdictKind;

const Stop kGoOn = [] { return false; };

TEST(Reruns, AreSettledInOrderByAllExaminers) {
  // Kernels change, so that verdicts come in another order than cases went out.
  const Case value = max_case({1, 2, 3});
  for (const int jobs : {1, 2}) {
    const EvaluationOptions options{.jobs = jobs};
    std::size_t given = 0;
    std::vector<std::size_t> settled;
    const auto next = [&]() -> std::optional<Rerun> {
      if (given == 30) return std::nullopt;
      const bool fails = given % 3 > 0;
      return Rerun{.value = &value,
                   .kernel = campaign_test::kernel_named(fails ? "bad.skips_last" : "good.max"),
                   .watch = Watch::Never,
                   .explains = [](const verdict::Verdict&) { return false; },
                   .settle =
                       [&, fails, number = given++](RanAgain seen) {
                         EXPECT_EQ(seen.verdict.kind, fails ? VerdictKind::Fail : VerdictKind::Pass);
                         settled.push_back(number);
                         // The first two began together.
                         if (number != 2) return;
                         EXPECT_EQ(examiners().size(), static_cast<std::size_t>(jobs));
                       }};
    };
    ASSERT_TRUE(rerun(options, next, kGoOn).ok());
    EXPECT_EQ(settled.size(), 30u);
    EXPECT_TRUE(std::ranges::is_sorted(settled));
  }
}

TEST(Reruns, ThoseThatRunNothingAreSettledInTheirTurn) {
  const Case value = max_case({1});
  std::string order;
  std::size_t given = 0;
  const auto next = [&]() -> std::optional<Rerun> {
    if (given == 6) return std::nullopt;
    const bool runs = given == 2;
    return Rerun{.value = runs ? &value : nullptr,
                 .kernel = runs ? campaign_test::kernel_named("good.max") : nullptr,
                 .settle = [&, number = given++](RanAgain) { order += std::to_string(number); }};
  };
  ASSERT_TRUE(rerun({.jobs = 2}, next, kGoOn).ok());
  EXPECT_EQ(order, "012345");
}

TEST(Reruns, FewLargeCasesAreHeldAtATime) {
  const Case small = max_case({1});
  const Case large = max_case(std::vector<float>(std::size_t{1} << 22, 1));  // 16 MiB
  std::size_t given = 0, settled = 0, most = 0;
  const auto next = [&]() -> std::optional<Rerun> {
    if (given == 40) return std::nullopt;
    const bool first = given++ == 0;
    most = std::max(most, given - settled);
    return Rerun{.value = first ? &small : &large,
                 .kernel = first ? campaign_test::kernel_named("good.max") : nullptr,
                 .settle = [&](RanAgain) { ++settled; }};
  };
  ASSERT_TRUE(rerun({.jobs = 2}, next, kGoOn).ok());
  EXPECT_EQ(settled, 40u);
  EXPECT_EQ(most, 8u) << "four an examiner, behind the first one";
}

TEST(Reruns, AfterAStopNothingIsSettled) {
  const Case value = max_case({1});
  std::size_t settled = 0;
  const auto next = [&]() -> std::optional<Rerun> {
    return Rerun{
        .value = &value, .kernel = campaign_test::kernel_named("good.max"), .settle = [&](RanAgain) { ++settled; }};
  };
  ASSERT_TRUE(rerun({.jobs = 2}, next, [&] { return settled == 5; }).ok());
  EXPECT_EQ(settled, 5u);
}

}  // namespace
}  // namespace negzero::campaign

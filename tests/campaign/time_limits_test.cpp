// Limits of time hold within 2 s and one launch, whatever the kernel takes.

#include <chrono>

#include <gtest/gtest.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/shrinking.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using verdict::FailureClass;
using verdict::VerdictKind;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kLaunchMs = 700;
/// Besides what is promised, for a busy machine: processes start, the loop itself waits for a core.
constexpr milliseconds kBusy{3000};
constexpr milliseconds kPromised{2000};

const bool slow[] = {
    add_max("slow.right", [](const ReduceArgs&) { ::usleep(1000 * kLaunchMs); }),
    add_max(
        "slow.wrong", [](const ReduceArgs&) { ::usleep(1000 * kLaunchMs); }, true),
};

class Quiet final : public CheckListener {
 public:
  void on_progress(const CheckPoint&) override {}
  void on_shrinking(const std::string&, const verdict::Failure&) override { started = Clock::now(); }
  void on_finding(const Finding&) override { longest = std::max(longest, Clock::now() - started); }
  Clock::time_point started;
  Clock::duration longest{};  ///< of shrinking one failure
};

TEST(TimeLimits, OfAllCases) {
  const Directory directory;
  for (const int jobs : {1, 2}) {
    Quiet listener;
    CheckOptions options;
    options.cases = 1000;
    options.time_ms = 1500;
    options.save_dir = directory / "findings";
    options.evaluation.jobs = jobs;
    const auto start = Clock::now();
    const auto report = check({campaign_test::kernel_named("slow.right")}, options, listener, [] { return false; });
    const auto took = Clock::now() - start;
    ASSERT_TRUE(report.ok());
    EXPECT_GE(took, milliseconds(options.time_ms));
    EXPECT_LT(took, milliseconds(options.time_ms + kLaunchMs) + kPromised + kBusy);
    EXPECT_EQ(report->kernels.at(0).fail, 0u) << "a case that was cut off is no failure";
    EXPECT_EQ(report->kernels.at(0).error, 0u);
  }
}

TEST(TimeLimits, OfShrinkingEachFailure) {
  const Directory directory;
  Quiet listener;
  CheckOptions options;
  options.cases = 4;
  options.save_dir = directory / "findings";
  options.evaluation.jobs = 2;
  options.evaluation.shrink_time_ms = 2000;
  const auto report = check({campaign_test::kernel_named("slow.wrong")}, options, listener, [] { return false; });
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->kernels.at(0).findings.empty());
  for (const Finding& finding : report->kernels[0].findings) EXPECT_EQ(finding.cut, "shrinking stopped after 2 s");
  EXPECT_LT(listener.longest, milliseconds(options.evaluation.shrink_time_ms + kLaunchMs) + kPromised + kBusy);
}

TEST(TimeLimits, OfShrinkingWithTheRunsThatConfirm) {
  for (const std::string name : {"slow.wrong", "bad.always_aborts", "bad.hangs"}) {
    const EvaluationOptions options{.jobs = 2, .timeout_ms = kLaunchMs * 2, .shrink_time_ms = 1500};
    Evaluator evaluator(options);
    const operation::Case value = name == "bad.hangs" ? wide_case() : max_case({1, 2, 3, 4, 5, 6, 7, 8});
    const auto verdicts = evaluator.evaluate({&value, 1}, *campaign_test::kernel_named(name));
    ASSERT_TRUE(verdicts.ok());
    ASSERT_EQ(verdicts->front().kind, VerdictKind::Fail) << name;
    const auto start = Clock::now();
    const auto shrunk = shrink(evaluator, value, verdicts->front(), *campaign_test::kernel_named(name));
    const auto took = Clock::now() - start;
    ASSERT_TRUE(shrunk.ok()) << name;
    EXPECT_LT(took, milliseconds(options.shrink_time_ms + options.timeout_ms) + kPromised + kBusy) << name;
    EXPECT_EQ(shrunk->verdict.failure->kind, verdicts->front().failure->kind) << name;
  }
}

}  // namespace
}  // namespace negzero::campaign

// Verdicts of given cases in workers, and shrinking made of them.

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/run/death.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using operation::Case;
using ::testing::HasSubstr;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

TEST(Evaluator, OneVerdictACaseInOrder) {
  for (const int jobs : {1, 2, 3, 8}) {
    Evaluator evaluator({.jobs = jobs});
    std::vector<Case> cases;
    // The last column decides in every third case.
    for (int i = 0; i < 20; ++i)
      cases.push_back(max_case(i % 3 == 0 ? std::vector<float>{1, 2} : std::vector<float>{2, 1}));
    const auto verdicts = evaluator.evaluate(cases, *kernel_named("bad.skips_last"));
    ASSERT_TRUE(verdicts.ok());
    ASSERT_EQ(verdicts->size(), 20u);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ((*verdicts)[i].kind, i % 3 == 0 ? VerdictKind::Fail : VerdictKind::Pass) << i;
    }
  }
}

TEST(Evaluator, NoCasesNoVerdicts) {
  Evaluator evaluator({});
  const auto verdicts = evaluator.evaluate({}, *kernel_named("good.max"));
  ASSERT_TRUE(verdicts.ok());
  EXPECT_TRUE(verdicts->empty());
}

TEST(Evaluator, ACrashCostsOneVerdict) {
  Evaluator evaluator({.jobs = 2});
  const std::vector<Case> cases = {max_case({1}), wide_case(), max_case({2}), wide_case(), max_case({3})};
  const auto verdicts = evaluator.evaluate(cases, *kernel_named("bad.aborts"));
  ASSERT_TRUE(verdicts.ok());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Verdict& verdict = (*verdicts)[i];
    ASSERT_EQ(verdict.kind, i % 2 == 1 ? VerdictKind::Fail : VerdictKind::Pass) << i << ": " << verdict.reason;
    if (i % 2 == 1) {
      EXPECT_EQ(verdict.failure->kind, FailureClass::Crash);
    }
  }
}

TEST(Evaluator, AThrowingLaunchIsAFailureNotAnError) {
  Evaluator evaluator({});
  const Case value = max_case({1});
  const auto verdicts = evaluator.evaluate({&value, 1}, *kernel_named("bad.throws"));
  ASSERT_EQ(verdicts->front().kind, VerdictKind::Fail);
  EXPECT_THAT(verdicts->front().failure->message, HasSubstr("no table"));
}

TEST(Evaluator, WhatIsNotEvaluatedIsAnError) {
  Evaluator evaluator({});
  const std::vector<Case> cases(3, max_case({1}));
  const auto verdicts = evaluator.evaluate(cases, *kernel_named("good.max"), [] { return true; });
  ASSERT_TRUE(verdicts.ok());
  for (const Verdict& verdict : *verdicts) {
    EXPECT_EQ(verdict.kind, VerdictKind::Error);
    EXPECT_THAT(verdict.reason, HasSubstr("stopped"));
  }
}

TEST(Evaluator, AKernelThatIsNotRegisteredIsAnError) {
  Evaluator evaluator({});
  kernel::Kernel stranger = *kernel_named("good.max");
  stranger.name = "stranger";
  const Case value = max_case({1});
  const auto verdicts = evaluator.evaluate({&value, 1}, stranger);
  ASSERT_EQ(verdicts->front().kind, VerdictKind::Error);
  EXPECT_THAT(verdicts->front().reason, HasSubstr("stranger"));
}

TEST(Evaluator, AnotherOperationIsAnError) {
  Evaluator evaluator({});
  Case value = max_case({1});
  auto reduce = operation::view<operation::Reduce>(value.operation);
  reduce.kind = operation::ReduceKind::Sum;
  value.operation = reduce;
  const auto verdicts = evaluator.evaluate({&value, 1}, *kernel_named("good.max"));
  EXPECT_EQ(verdicts->front().kind, VerdictKind::Error);
}

/// Says what it was asked.
const bool echoes = add_claim("echo", [](const Question& question) {
  std::vector<Verdict> verdicts;
  for (const Case& value : question.cases) {
    std::string said = question.kernel.name + " " + value.strategy;
    for (const std::string& word : question.words) said += " " + word;
    verdicts.push_back({.kind = VerdictKind::Refused, .failure = {}, .reason = said});
  }
  return verdicts;
});

TEST(Evaluator, AnotherClaimMayJudge) {
  Evaluator evaluator({.jobs = 2}, "echo two words");
  Case value = max_case({1});
  value.strategy = "mine";
  const auto verdicts = evaluator.evaluate({&value, 1}, *kernel_named("good.max"));
  EXPECT_EQ(verdicts->front().kind, VerdictKind::Refused);
  EXPECT_EQ(verdicts->front().reason, "good.max mine two words");
}

/// Judges one case of a batch, as where that one hung.
const bool leaves = add_claim("leave", [](const Question& question) {
  std::vector<Verdict> verdicts(question.cases.size(), verdict::error_verdict(std::string(run::kLeft)));
  verdicts.front() = {.kind = VerdictKind::Refused, .failure = {}, .reason = question.cases.front().strategy};
  return verdicts;
});

TEST(Evaluator, CasesThatWereLeftComeNext) {
  Evaluator evaluator({.jobs = 1}, "leave");
  std::vector<Case> cases(20, max_case({1}));
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].strategy = std::to_string(i);
  const auto verdicts = evaluator.evaluate(cases, *kernel_named("good.max"));
  ASSERT_TRUE(verdicts.ok());
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ((*verdicts)[i].reason, std::to_string(i));
}

TEST(Evaluator, AClaimThatNobodyMakesIsAnError) {
  const Case value = max_case({1});
  for (const std::string claim : {"ecko", "metamorphic", "metamorphic no_such", "compare good.max@host"}) {
    Evaluator evaluator({}, claim);
    const auto verdicts = evaluator.evaluate({&value, 1}, *kernel_named("good.max"));
    EXPECT_EQ(verdicts->front().kind, VerdictKind::Error) << claim;
  }
}

ShrunkCase shrink_on(const std::string& name, const Case& value, const EvaluationOptions& options,
                     const std::function<bool()>& stop = {}, const Aims& aims = {}) {
  Evaluator evaluator(options);
  const auto verdicts = evaluator.evaluate({&value, 1}, *kernel_named(name));
  EXPECT_EQ(verdicts->front().kind, VerdictKind::Fail);
  const auto shrunk = shrink(evaluator, value, verdicts->front(), *kernel_named(name), stop, aims);
  EXPECT_TRUE(shrunk.ok());
  return *shrunk;
}

TEST(Shrink, ToTwoColumnsAndSmallValues) {
  const ShrunkCase shrunk = shrink_on("bad.skips_last", max_case({3.25f, -17, 1000.5f, 8, 1e30f}), {.jobs = 2});
  EXPECT_EQ(shrunk.verdict.kind, VerdictKind::Fail);
  EXPECT_LE(operation::view<operation::Reduce>(shrunk.value.operation).columns, 2);
  EXPECT_EQ(shrunk.hit_rate, 1);
}

/// In one process a case of one column fails too, behind others.
TEST(Shrink, ToACaseThatFailsAlone) {
  const ShrunkCase shrunk =
      shrink_on("bad.counts_columns", max_case({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), {.jobs = 2});
  EXPECT_EQ(operation::view<operation::Reduce>(shrunk.value.operation).columns, 9);
  EXPECT_EQ(shrunk.hit_rate, 1);
  EXPECT_TRUE(shrunk.value.history.empty());
}

TEST(Shrink, WhatIsLikelySparedAndIsNotComesToTheSame) {
  int asked = 0;
  const Aims aims{.spares = [&](const Case&, const verdict::Failure&) { return ++asked < 0; },
                  .is_likely_spared = true};
  const Case wide = max_case({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const char* const name : {"bad.skips_last", "bad.counts_columns"}) {
    const ShrunkCase shrunk = shrink_on(name, wide, {.jobs = 2}, {}, aims);
    const ShrunkCase expected = shrink_on(name, wide, {.jobs = 2});
    EXPECT_EQ(shrunk.value, expected.value) << name;
    EXPECT_EQ(shrunk.hit_rate, 1) << name;
    EXPECT_EQ(shrunk.cut, "") << name;
  }
  EXPECT_GT(asked, 0);
}

TEST(Shrink, WhatIsSparedRunsInNoFreshProcess) {
  // Where it ran in one it would be seen that it does not fail there.
  Evaluator evaluator({.jobs = 1});
  const Aims aims{.spares = [](const Case&, const verdict::Failure&) { return true; }, .is_likely_spared = true};
  const Verdict wrong{.kind = VerdictKind::Fail, .failure = verdict::Failure{.kind = FailureClass::WrongValue}};
  const auto shrunk = shrink(evaluator, wide_case(), wrong, *kernel_named("good.max"), {}, aims);
  ASSERT_TRUE(shrunk.ok());
  EXPECT_EQ(shrunk->hit_rate, std::nullopt);
  EXPECT_EQ(shrunk->cut, "");
}

TEST(Shrink, ACrashInFreshWorkers) {
  const ShrunkCase shrunk = shrink_on("bad.aborts", wide_case(), {.jobs = 2});
  const auto& reduce = operation::view<operation::Reduce>(shrunk.value.operation);
  EXPECT_EQ(reduce.rows, 2);
  EXPECT_EQ(reduce.columns, 6);
  EXPECT_EQ(shrunk.verdict.failure->kind, FailureClass::Crash);
}

TEST(Shrink, AHangWithATenthOfItsTime) {
  const auto start = std::chrono::steady_clock::now();
  const ShrunkCase shrunk = shrink_on("bad.hangs", wide_case(), {.jobs = 2, .timeout_ms = 1000});
  EXPECT_EQ(shrunk.verdict.failure->kind, FailureClass::Hang);
  EXPECT_EQ(shrunk.hit_rate, 1);
  const auto& reduce = operation::view<operation::Reduce>(shrunk.value.operation);
  EXPECT_EQ(reduce.rows, 2);
  EXPECT_EQ(reduce.columns, 6);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Shrink, AHangThatThereIsNoTimeToConfirmIsLeftAsItIs) {
  // Half of the time is for a run of the whole limit, which takes longer than that.
  const EvaluationOptions options{.jobs = 2, .timeout_ms = 1000, .shrink_time_ms = 1200};
  const ShrunkCase shrunk = shrink_on("bad.hangs", wide_case(), options);
  EXPECT_EQ(shrunk.value, wide_case());
  EXPECT_EQ(shrunk.hit_rate, std::nullopt);
  EXPECT_THAT(shrunk.verdict.failure->message, HasSubstr("no answer within 1 s"));
}

TEST(Shrink, TheTimeForIt) {
  const EvaluationOptions options{.timeout_ms = 3000, .shrink_time_ms = 1};
  const ShrunkCase shrunk = shrink_on("bad.aborts", wide_case(), options);
  EXPECT_LE(shrunk.evaluations, 50) << "one round at most";
  EXPECT_EQ(shrunk.verdict.failure->kind, FailureClass::Crash);
}

TEST(Shrink, ACrashThatDoesNotComeAgainIsLeftAsItIs) {
  Evaluator evaluator({.jobs = 2});
  const run::Outcome died = run::outcome_of({run::Death::Kind::Signal, SIGSEGV, protocol::Whereabouts::InKernel});
  const Verdict crashed{.kind = VerdictKind::Fail, .failure = died.failure};
  const auto shrunk = shrink(evaluator, wide_case(), crashed, *kernel_named("good.max"));
  ASSERT_TRUE(shrunk.ok());
  EXPECT_EQ(shrunk->value, wide_case());
  EXPECT_EQ(shrunk->verdict.failure->kind, FailureClass::Crash);
  EXPECT_EQ(shrunk->hit_rate, 0);
  EXPECT_EQ(shrunk->cut, "not shrunk: it did not happen again in 8 runs");
}

TEST(Shrink, AStopKeepsTheCase) {
  const ShrunkCase shrunk = shrink_on("bad.skips_last", max_case({1, 5, 7}), {}, [] { return true; });
  EXPECT_EQ(shrunk.value, max_case({1, 5, 7}));
  EXPECT_EQ(shrunk.verdict.kind, VerdictKind::Fail);
}

TEST(Shrinking, SaysHowLongItMayTake) {
  using verdict::FailureClass;
  EvaluationOptions options;
  EXPECT_EQ(shrinking_takes(options, FailureClass::WrongValue), "at most 60 s");
  EXPECT_EQ(shrinking_takes(options, FailureClass::Hang), "at most 60 s, 1 s a try, then runs of 10 s that confirm it");
  options.timeout_ms = 50;
  EXPECT_EQ(shrinking_takes(options, FailureClass::Hang),
            "at most 60 s, 50 ms a try, then runs of 50 ms that confirm it")
      << "never longer than the limit";
}

}  // namespace
}  // namespace negzero::campaign

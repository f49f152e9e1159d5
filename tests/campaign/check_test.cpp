// The loop of check: planted faults are found, shrunk and saved; counts add up; nothing depends on the workers.

#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/case_file/case_file.hpp>

#include "checking.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::HasSubstr;
using verdict::FailureClass;
using verdict::VerdictKind;

TEST(Check, APromiseOfDeterminismIsHeldAgainstASecondRun) {
  const Directory directory;
  Listener listener;
  const CheckOptions options = options_in(directory, 600);
  const CheckReport report = run_check({"bad.varies"}, options, listener);
  const KernelReport& kernel = report.kernels.at(0);
  ASSERT_EQ(kernel.findings.size(), 1u);
  const Finding& finding = kernel.findings.front();
  EXPECT_EQ(finding.failure.kind, FailureClass::NotDeterministic);
  EXPECT_EQ(finding.failure.rule, verdict::Rule("run.repeat"));
  EXPECT_LT(finding.failing_cases, 600u / 10) << "one case in twenty runs again";
  const auto& shrunk = operation::view<operation::Reduce>(finding.shrunk.operation);
  EXPECT_EQ(shrunk.rows, 1);
  EXPECT_LE(shrunk.columns, 3);  // A sum of two terms has one order.
  // A given case is always asked.
  Evaluator evaluator(options.evaluation);
  const auto again = evaluator.evaluate({&finding.shrunk, 1}, *kernel_named("bad.varies"));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->front().failure->kind, FailureClass::NotDeterministic);
}

TEST(Check, AFindingNamesTheOtherPlacesOfItsClass) {
  const Directory directory;
  Listener listener;
  const CheckReport report = run_check({"bad.at_two_places"}, options_in(directory, 300), listener);
  const std::vector<Finding>& findings = report.kernels.at(0).findings;
  ASSERT_EQ(findings.size(), 1u);
  const auto named = operation::source_lines_in(findings[0].failure.message);
  ASSERT_EQ(named.size(), 1u);
  const operation::SourceLine places[] = {{"sum.cuh", 41}, {"tiles.cu", 58}};
  const operation::SourceLine& other = named[0] == places[0] ? places[1] : places[0];
  ASSERT_EQ(findings[0].also_at.size(), 1u);
  EXPECT_EQ(findings[0].also_at.begin()->first, other);
  EXPECT_GT(findings[0].also_at.begin()->second, 1u);
  EXPECT_LT(findings[0].also_at.begin()->second, findings[0].failing_cases);
}

TEST(Check, ACorrectKernelPassesAndNothingIsWritten) {
  const Directory directory;
  Listener listener;
  const CheckReport report = run_check({"good.max"}, options_in(directory, 300), listener);
  const KernelReport& kernel = report.kernels.at(0);
  EXPECT_EQ(kernel.cases, 300u);
  EXPECT_EQ(kernel.pass, 300u);
  EXPECT_TRUE(kernel.decided());
  EXPECT_TRUE(kernel.findings.empty());
  EXPECT_EQ(kernel.note, "");
  EXPECT_EQ(listener.done, 300u);
  EXPECT_EQ(listener.total, 300u);
  EXPECT_FALSE(std::filesystem::exists(directory / "findings"));
}

TEST(Check, AKernelForWhichNoCaseCanBeMadeIsAnErrorAndTheOthersRun) {
  const Directory directory;
  Listener listener;
  kernel::Kernel unaligned = *kernel_named("good.other");
  unaligned.name = "good.unaligned";
  unaligned.limits.extents["rows"] = {.min = 2};
  unaligned.limits.extents["columns"] = {.min = 5, .max = 7};
  unaligned.limits.inputs = {.order = operation::LayoutOrder::Packed, .stride_multiple = 8};
  const CheckOptions options = options_in(directory, 100);
  const auto report = check({&unaligned, kernel_named("good.max")}, options, listener, [] { return false; });
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->errors.size(), 1u);
  EXPECT_THAT(report->errors[0].message, HasSubstr("kernel good.unaligned: no case fits the limits of reduce.max: "));
  EXPECT_EQ(report->kernels[0].cases, 0u);
  EXPECT_THAT(report->kernels[0].note, HasSubstr("no case can be made: "));
  EXPECT_EQ(report->kernels[1].pass, 100u);
  const auto alone = check({&unaligned}, options, listener, [] { return false; });
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().kind, base::ErrorKind::Usage);
}

TEST(Check, APlantedFaultIsFoundShrunkAndSaved) {
  const Directory directory;
  Listener listener;
  const CheckReport report = run_check({"bad.skips_last"}, options_in(directory, 300), listener);
  const KernelReport& kernel = report.kernels.at(0);
  ASSERT_FALSE(kernel.findings.empty());
  Evaluator evaluator(EvaluationOptions{});
  std::uint64_t failing = 0;
  for (const Finding& finding : kernel.findings) {
    failing += finding.failing_cases;
    EXPECT_EQ(finding.hit_rate, 1);
    EXPECT_GT(finding.evaluations, 0);
    EXPECT_EQ(finding.cut, "");
    EXPECT_THAT(finding.case_path, ::testing::EndsWith(".case.safetensors"));
    const auto& shrunk = operation::view<operation::Reduce>(finding.shrunk.operation);
    EXPECT_EQ(shrunk.rows, 1);
    EXPECT_LE(shrunk.columns, 2);
    for (const std::string& path : {finding.case_path, finding.original_path}) {
      const auto value = case_file::load(path);
      ASSERT_TRUE(value.ok()) << path;
      const auto verdicts = evaluator.evaluate({&*value, 1}, *kernel_named("bad.skips_last"));
      ASSERT_TRUE(verdicts.ok());
      ASSERT_EQ(verdicts->front().kind, VerdictKind::Fail) << path;
      EXPECT_EQ(verdicts->front().failure->kind, finding.failure.kind);
      EXPECT_EQ(value->kernel, "bad.skips_last");
    }
    EXPECT_EQ(*case_file::load(finding.case_path), finding.shrunk);
  }
  EXPECT_EQ(failing, kernel.fail);
  EXPECT_EQ(listener.failing, kernel.fail);
  EXPECT_EQ(listener.found.size(), kernel.findings.size());
  EXPECT_EQ(listener.told.size(), kernel.findings.size()) << "once when it is found";
  std::set<std::string> files = listener.told_paths;
  for (const Finding& finding : kernel.findings) files.insert({finding.case_path, finding.original_path});
  EXPECT_EQ(files_in(directory / "findings").size(), files.size()) << "none that nobody was told of";
}

TEST(Check, AFailureIsToldAndOnDiskWhileCasesRun) {
  const Directory directory;
  Listener listener;
  std::uint64_t first_told = 0;
  listener.at_case = [&](std::uint64_t done) {
    if (first_told == 0 && !listener.told.empty()) first_told = done;
  };
  const CheckReport report = run_check({"bad.skips_last"}, options_in(directory, 600, 1), listener);
  EXPECT_GT(first_told, 0u);
  EXPECT_LT(first_told, 300u);
  for (const Finding& finding : report.kernels.at(0).findings) {
    const std::string name = "bad.skips_last " + std::string(verdict::name(finding.failure.kind));
    EXPECT_EQ(std::ranges::count(listener.told, name), 1) << name;
  }
}

TEST(Check, NothingDependsOnTheNumberOfWorkers) {
  const std::vector<std::string> names = {"bad.skips_last", "good.max", "bad.aborts", "bad.always_aborts",
                                          "bad.writes_behind"};
  std::vector<std::vector<std::string>> summaries;
  for (const int jobs : {1, 2, 5}) {
    const Directory directory;
    Listener listener;
    summaries.push_back(summary(run_check(names, options_in(directory, 200, jobs), listener)));
  }
  EXPECT_EQ(summaries[0], summaries[1]);
  EXPECT_EQ(summaries[0], summaries[2]);
}

TEST(Check, KernelsDoNotDisturbEachOther) {
  const Directory directory;
  Listener listener;
  const CheckReport alone = run_check({"bad.skips_last"}, options_in(directory, 100), listener);
  const CheckReport among =
      run_check({"good.max", "bad.skips_last", "bad.aborts"}, options_in(directory, 100), listener);
  EXPECT_EQ(summary(alone).at(0), summary(among).at(1));
}

TEST(Check, TheMostTellingFindingComesFirst) {
  const Directory directory;
  Listener listener;
  // What it writes where it must not is why its results are wrong, although wrong values come first in an enumeration.
  const CheckReport report = run_check({"bad.both"}, options_in(directory, 300), listener);
  std::vector<FailureClass> kinds;
  for (const Finding& finding : report.kernels.at(0).findings) kinds.push_back(finding.failure.kind);
  ASSERT_GE(kinds.size(), 2u);
  EXPECT_EQ(kinds.front(), FailureClass::OutOfBoundsAccess);
}

TEST(Check, AFindingKnowsHowItWasFound) {
  const Directory directory;
  Listener listener;
  const CheckReport report = run_check({"bad.skips_last"}, options_in(directory, 100), listener);
  for (const Finding& finding : report.kernels.at(0).findings) {
    const operation::Expectation known{"bad.skips_last", "host", VerdictKind::Fail, finding.failure.kind,
                                       std::string(finding.failure.rule.id())};
    for (const std::string& path : {finding.case_path, finding.original_path}) {
      const auto value = case_file::load(path);
      ASSERT_TRUE(value.ok() && value->found.has_value()) << path;
      EXPECT_EQ(value->found->failure_class, known.failure_class);
      EXPECT_TRUE(value->expect.empty()) << "a mended kernel is to pass";
    }
    EXPECT_EQ(finding.shrunk.found, known);
  }
}

TEST(Check, OneKernelThatWasDecidedIsEnough) {
  CheckReport report;
  EXPECT_FALSE(report.decided());
  report.kernels.resize(2);
  report.kernels[0].refused = report.kernels[1].vacuous = 3;
  EXPECT_FALSE(report.decided());
  report.kernels[1].pass = 1;
  EXPECT_TRUE(report.decided());
}

TEST(Check, CountsAddUp) {
  const Directory directory;
  Listener listener;
  const CheckReport report =
      run_check({"good.max", "bad.skips_last", "bad.aborts", "bad.throws"}, options_in(directory, 150), listener);
  for (const KernelReport& kernel : report.kernels) {
    EXPECT_EQ(kernel.pass + kernel.vacuous + kernel.fail + kernel.refused + kernel.error, kernel.cases) << kernel.name;
    const std::uint64_t of_strategies =
        std::accumulate(kernel.strategies.begin(), kernel.strategies.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
    EXPECT_EQ(of_strategies, kernel.cases) << kernel.name;
    EXPECT_FALSE(kernel.strategies.contains("")) << kernel.name;
  }
}

}  // namespace
}  // namespace negzero::campaign

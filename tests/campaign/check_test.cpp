// The loop of check: planted faults are found, shrunk and saved; counts add up; nothing depends on the workers.

#include <filesystem>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/evaluate.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using operation::FailureClass;
using operation::VerdictKind;
using ::testing::HasSubstr;

/// Keeps what it was told, and runs a function at every case.
class Listener final : public CheckListener {
 public:
  std::function<void(std::uint64_t done)> at_case;
  std::uint64_t done = 0, total = 0, failing = 0;
  std::vector<std::string> told, shrinking, found;
  std::set<std::string> told_paths;
  bool started = false;
  std::function<void()> at_start;

  void on_start() override {
    started = true;
    shrinking.clear();
    if (at_start) at_start();
  }
  void on_progress(std::uint64_t done_, std::uint64_t total_, std::uint64_t failing_) override {
    done = done_;
    total = total_;
    failing = failing_;
    if (at_case) at_case(done_);
  }
  void on_failure(const std::string& kernel, const operation::Failure& failure, const std::string& path) override {
    EXPECT_TRUE(shrinking.empty()) << "failures are told before the first is shrunk";
    EXPECT_TRUE(path.empty() || operation::load_case(path).ok()) << path;
    told.push_back(kernel + " " + std::string(operation::name(failure.kind)));
    told_paths.insert(path);
  }
  void on_shrinking(const std::string& kernel, const operation::Failure&) override { shrinking.push_back(kernel); }
  void on_finding(const Finding& finding) override {
    EXPECT_EQ(shrinking.back(), finding.kernel);
    found.push_back(finding.kernel);
  }
};

std::vector<const kernel::Kernel*> kernels(const std::vector<std::string>& names) {
  std::vector<const kernel::Kernel*> result;
  for (const std::string& name : names) result.push_back(kernel_named(name));
  return result;
}

CheckReport run_check(
    const std::vector<std::string>& names, const CheckOptions& options, Listener& listener,
    const std::function<bool()>& stop = [] { return false; }) {
  const auto report = check(kernels(names), options, listener, stop);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return *report;
}

CheckOptions options_in(const Directory& directory, std::uint64_t cases, int jobs = 2) {
  CheckOptions options;
  options.cases = cases;
  options.save_dir = directory / "findings";
  options.evaluation.jobs = jobs;
  return options;
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(directory)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().string());
  return names;
}

TEST(Check, APromiseOfDeterminismIsHeldAgainstASecondRun) {
  const Directory directory;
  Listener listener;
  const CheckOptions options = options_in(directory, 600);
  const CheckReport report = run_check({"bad.varies"}, options, listener);
  const KernelReport& kernel = report.kernels.at(0);
  ASSERT_EQ(kernel.findings.size(), 1u);
  const Finding& finding = kernel.findings.front();
  EXPECT_EQ(finding.failure.kind, FailureClass::NotDeterministic);
  EXPECT_EQ(finding.failure.rule, "run.repeat");
  EXPECT_LT(finding.failing_cases, 600u / 10) << "one case in twenty runs again";
  const auto& shrunk = std::get<operation::Reduce>(finding.shrunk.operation);
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
  const auto named = operation::places_in(findings[0].failure.message);
  ASSERT_EQ(named.size(), 1u);
  const operation::Place places[] = {{"sum.cuh", 41}, {"tiles.cu", 58}};
  const operation::Place& other = named[0] == places[0] ? places[1] : places[0];
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
  unaligned.limits.rows = {.min = 2};
  unaligned.limits.columns = {.min = 5, .max = 7};
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
    const auto& shrunk = std::get<operation::Reduce>(finding.shrunk.operation);
    EXPECT_EQ(shrunk.rows, 1);
    EXPECT_LE(shrunk.columns, 2);
    for (const std::string& path : {finding.case_path, finding.original_path}) {
      const auto value = operation::load_case(path);
      ASSERT_TRUE(value.ok()) << path;
      const auto verdicts = evaluator.evaluate({&*value, 1}, *kernel_named("bad.skips_last"));
      ASSERT_TRUE(verdicts.ok());
      ASSERT_EQ(verdicts->front().kind, VerdictKind::Fail) << path;
      EXPECT_EQ(verdicts->front().failure->kind, finding.failure.kind);
      EXPECT_EQ(value->kernel, "bad.skips_last");
    }
    EXPECT_EQ(*operation::load_case(finding.case_path), finding.shrunk);
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
    const std::string name = "bad.skips_last " + std::string(operation::name(finding.failure.kind));
    EXPECT_EQ(std::ranges::count(listener.told, name), 1) << name;
  }
}

/// Everything in a report but times and paths.
std::vector<std::string> summary(const CheckReport& report) {
  std::vector<std::string> lines;
  for (const KernelReport& kernel : report.kernels) {
    std::string line = kernel.name + ": ";
    for (const std::uint64_t count :
         {kernel.cases, kernel.pass, kernel.vacuous, kernel.fail, kernel.refused, kernel.error}) {
      line += std::to_string(count) + " ";
    }
    line += std::to_string(kernel.worst_margin) + " " + kernel.note;
    for (const auto& [name, count] : kernel.strategies) line += " " + name + "=" + std::to_string(count);
    lines.push_back(line);
    for (const Finding& finding : kernel.findings) {
      lines.push_back(std::string(operation::name(finding.failure.kind)) + " " + finding.failure.message + " " +
                      std::filesystem::path(finding.case_path).filename().string() + " " +
                      std::filesystem::path(finding.original_path).filename().string() + " " +
                      std::to_string(finding.failing_cases));
    }
  }
  return lines;
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
                                       finding.failure.rule};
    for (const std::string& path : {finding.case_path, finding.original_path}) {
      const auto value = operation::load_case(path);
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

TEST(Check, ACrashIsAFindingAndTheKernelIsGivenUp) {
  const Directory directory;
  Listener listener;
  const CheckReport report =
      run_check({"bad.aborts", "bad.always_aborts", "good.max"}, options_in(directory, 400), listener);
  const KernelReport& some = report.kernels.at(0);
  EXPECT_EQ(some.fail, 5u);
  EXPECT_GT(some.pass, 0u);
  EXPECT_THAT(some.note, HasSubstr("given up"));
  ASSERT_EQ(some.findings.size(), 1u);
  EXPECT_EQ(some.findings[0].failure.kind, FailureClass::Crash);
  EXPECT_EQ(some.findings[0].failure.rule, "run.crash");
  EXPECT_THAT(some.findings[0].failure.message, HasSubstr("exit status 7 while the kernel ran"));
  const auto& shrunk = std::get<operation::Reduce>(some.findings[0].shrunk.operation);
  EXPECT_EQ(shrunk.rows, 2);
  EXPECT_EQ(shrunk.columns, 6);
  EXPECT_EQ(report.kernels.at(1).cases, 5u);
  EXPECT_EQ(report.kernels.at(2).pass, 400u) << "the others go on";
}

TEST(Check, AHangIsAFindingWithinItsTimeLimits) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, 400);
  options.evaluation.timeout_ms = 600;
  options.evaluation.shrink_time_ms = 12000;
  const CheckReport report = run_check({"bad.hangs"}, options, listener);
  const KernelReport& kernel = report.kernels.at(0);
  EXPECT_THAT(kernel.note, HasSubstr("5 hangs"));
  ASSERT_EQ(kernel.findings.size(), 1u);
  EXPECT_EQ(kernel.findings[0].failure.kind, FailureClass::Hang);
  EXPECT_THAT(kernel.findings[0].failure.message, HasSubstr("no answer within 600 ms while the kernel ran"))
      << "the time limit of the options, not the shorter one of shrinking";
  EXPECT_EQ(kernel.findings[0].hit_rate, 1);
}

TEST(Check, AFailureThatNeedsEarlierLaunchesIsStateAndComesWithThem) {
  const Directory directory;
  Listener listener;
  const CheckReport report = run_check({"bad.third_launch"}, options_in(directory, 60, 1), listener);
  ASSERT_EQ(report.kernels[0].findings.size(), 1u);
  const Finding& finding = report.kernels[0].findings[0];
  EXPECT_EQ(finding.failure.kind, FailureClass::Stateful);
  EXPECT_EQ(operation::launches(finding.shrunk.history), 2u);
  EXPECT_EQ(finding.hit_rate, 1);
  EXPECT_EQ(operation::load_case(finding.case_path)->history, finding.shrunk.history);
}

TEST(Check, AnEndThatDoesNotComeAgainAloneIsLookedInto) {
  for (const auto& [name, launches] : {std::pair("bad.ends_behind_wide", 1u), std::pair("bad.ends_at_third", 2u)}) {
    const Directory directory;
    Listener listener;
    const CheckReport report = run_check({name}, options_in(directory, 60, 1), listener);
    ASSERT_EQ(report.kernels[0].findings.size(), 1u) << name;
    const Finding& finding = report.kernels[0].findings[0];
    EXPECT_EQ(finding.failure.kind, FailureClass::Stateful) << name;
    EXPECT_EQ(operation::launches(finding.shrunk.history), launches) << name;
    EXPECT_THAT(finding.failure.message, HasSubstr("killed by signal 6"));
    EXPECT_EQ(finding.hit_rate, 1);
  }
}

TEST(Check, AnEndThatNothingExplainsIsAWarning) {
  const Directory directory;
  Listener listener;
  const CheckReport report = run_check({"bad.ends_by_two"}, options_in(directory, 200, 1), listener);
  const KernelReport& kernel = report.kernels[0];
  EXPECT_EQ(kernel.fail, 0u);
  EXPECT_EQ(kernel.error, 0u);
  EXPECT_GT(kernel.warnings, 0u);
  EXPECT_THAT(kernel.warning, HasSubstr("its process ended once and not again when the case ran alone: killed by"));
}

TEST(Check, AFailureThatComesAndGoesHasARate) {
  const Directory directory;
  // It comes in half of the runs: eight alike are rare, eight of them ten times in a row are not seen.
  for (int tries = 0; tries < 10; ++tries) {
    Listener listener;
    const CheckReport report = run_check({"bad.sometimes"}, options_in(directory, 20, 1), listener);
    // By chance it may also look like state: three times right alone and three times wrong behind others.
    const auto& findings = report.kernels[0].findings;
    const auto found = std::ranges::find_if(
        findings, [](const Finding& each) { return each.failure.kind == FailureClass::OutOfBoundsAccess; });
    ASSERT_NE(found, findings.end());
    const Finding& finding = *found;
    ASSERT_TRUE(finding.hit_rate.has_value());
    EXPECT_GE(*finding.hit_rate, 0);
    EXPECT_LE(*finding.hit_rate, 1);
    if (*finding.hit_rate > 0 && *finding.hit_rate < 1) return;
  }
  FAIL() << "no run came out differently from the others";
}

TEST(Check, ShrinkingThatRanOutOfTimeSaysSo) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, 300);
  options.evaluation.shrink_time_ms = 1;
  const CheckReport report = run_check({"bad.aborts"}, options, listener);
  ASSERT_FALSE(report.kernels[0].findings.empty());
  const Finding& finding = report.kernels[0].findings[0];
  EXPECT_EQ(finding.cut, "shrinking stopped after 1 ms");
  EXPECT_FALSE(finding.interrupted);
  EXPECT_THAT(finding.case_path, ::testing::EndsWith(".partial.safetensors"));
}

TEST(Check, NoTimeToShrinkLeavesFindingsAsGenerated) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, 300);
  options.evaluation.shrink_time_ms = 0;
  const CheckReport report = run_check({"bad.skips_last"}, options, listener);
  ASSERT_FALSE(report.kernels[0].findings.empty());
  const Finding& finding = report.kernels[0].findings[0];
  EXPECT_EQ(finding.cut, "not shrunk (--shrink-time 0s)");
  EXPECT_EQ(finding.evaluations, 0);
  EXPECT_EQ(finding.case_path, finding.original_path) << "one file";
  EXPECT_EQ(*operation::load_case(finding.case_path), finding.shrunk);
}

TEST(Check, TheTimeLimitEndsIt) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, std::uint64_t{1} << 39);
  options.time_ms = 300;
  const CheckReport report = run_check({"good.max", "good.other"}, options, listener);
  EXPECT_GE(report.elapsed_ms, 300u);
  EXPECT_LT(report.elapsed_ms, 20000u);
  EXPECT_FALSE(report.interrupted);
  for (const KernelReport& kernel : report.kernels) {
    EXPECT_GT(kernel.cases, 0u) << kernel.name;
    EXPECT_EQ(kernel.cases, kernel.pass + kernel.vacuous);
  }
}

TEST(Check, AnInterruptSavesWhatWasFound) {
  const Directory directory;
  Listener listener;
  bool stopped = false;
  listener.at_case = [&](std::uint64_t) { stopped = stopped || listener.failing > 3; };
  const CheckReport report =
      run_check({"bad.skips_last"}, options_in(directory, std::uint64_t{1} << 39), listener, [&] { return stopped; });
  EXPECT_TRUE(report.interrupted);
  const KernelReport& kernel = report.kernels.at(0);
  EXPECT_GT(kernel.fail, 3u);
  ASSERT_FALSE(kernel.findings.empty());
  EXPECT_TRUE(kernel.findings[0].interrupted);
  EXPECT_EQ(kernel.findings[0].cut, "shrinking was interrupted");
  EXPECT_THAT(kernel.findings[0].case_path, ::testing::EndsWith(".partial.safetensors"));
  const auto saved = operation::load_case(kernel.findings[0].case_path);
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(*saved, *operation::load_case(kernel.findings[0].original_path)) << "there was no time to shrink";
}

TEST(Check, BadWeightsAndDirectoriesAreErrorsBeforeTheFirstCase) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, 10);
  options.weights = {{"no_such_strategy", 1}};
  auto report = check(kernels({"good.max"}), options, listener, [] { return false; });
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, base::ErrorKind::Usage);
  EXPECT_THAT(report.error().message, HasSubstr("no_such_strategy"));

  options = options_in(directory, 10);
  std::ofstream(directory / "file") << "x";
  options.save_dir = directory / "file/below";
  report = check(kernels({"good.max"}), options, listener, [] { return false; });
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, base::ErrorKind::Infrastructure);
  EXPECT_THAT(report.error().message, HasSubstr("--save " + options.save_dir));
  EXPECT_EQ(listener.done, 0u);
  EXPECT_FALSE(listener.started) << "and before anything is said";
}

TEST(Check, AFindingThatCannotBeSavedIsStillReported) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, 100);
  // The directory that could be made becomes a file before the first case.
  listener.at_start = [&] { std::ofstream(options.save_dir) << "x"; };
  const CheckReport report = run_check({"bad.skips_last"}, options, listener);
  ASSERT_FALSE(report.kernels[0].findings.empty());
  EXPECT_EQ(listener.found.size(), report.kernels[0].findings.size());
  for (const Finding& finding : report.kernels[0].findings) {
    EXPECT_EQ(finding.case_path, "");
    EXPECT_EQ(finding.original_path, "");
  }
  ASSERT_EQ(report.errors.size(), 1u) << "one for all files";
  EXPECT_THAT(report.errors[0].message, HasSubstr(options.save_dir + "/bad.skips_last."));
  EXPECT_THAT(report.errors[0].message,
              HasSubstr("cannot be written: Not a directory; name a place that can be written"));
  EXPECT_THAT(report.errors[0].message, HasSubstr("more of this run could not be written either"));
}

TEST(Check, WeightsChooseStrategies) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, 40);
  options.weights = {{"special", 1}};
  const CheckReport report = run_check({"good.max"}, options, listener);
  EXPECT_EQ(report.kernels[0].strategies, (std::map<std::string, std::uint64_t>{{"special", 40}}));
}

TEST(Check, InProcessGivesTheSame) {
  const Directory directory;
  Listener listener;
  CheckOptions options = options_in(directory, 100);
  const auto isolated = summary(run_check({"bad.skips_last", "good.max"}, options, listener));
  options.evaluation.in_process = true;
  EXPECT_EQ(summary(run_check({"bad.skips_last", "good.max"}, options, listener)), isolated);
}

}  // namespace
}  // namespace negzero::campaign

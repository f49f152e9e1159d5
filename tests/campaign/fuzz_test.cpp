// The search: it finds, shrinks and keeps, tells a cause once, and goes on from its folder.

#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/shard_file.hpp>
#include <negzero/case_file/case_file.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::HasSubstr;
using verdict::FailureClass;

class FuzzNotes final : public FuzzListener {
 public:
  std::vector<std::string> failures, findings;
  bool resumed = false;
  std::function<void(const FuzzPoint&)> at_progress;

  void on_start(bool resumed_) override { resumed = resumed_; }
  void on_progress(const FuzzPoint& now, std::uint64_t, const BeingShrunk&) override {
    if (at_progress) at_progress(now);
  }
  void on_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path) override {
    EXPECT_TRUE(case_file::load(path).ok()) << "told only when it is on disk: " << path;
    (void)failure;
    failures.push_back(kernel + " " + path);
  }
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const Finding& finding) override {
    EXPECT_TRUE(case_file::load(finding.case_path).ok()) << finding.case_path;
    findings.push_back(finding.kernel);
  }
};

FuzzOptions searching_in(const Directory& directory, std::uint64_t cases) {
  FuzzOptions options;
  options.folder = directory.path();
  options.cases = cases;
  options.evaluation.jobs = 2;
  options.evaluation.timeout_ms = 2000;
  options.evaluation.shrink_time_ms = 20000;
  return options;
}

FuzzReport run_fuzz(
    const std::vector<std::string>& names, const FuzzOptions& options, FuzzNotes& listener,
    const Stop& stop = [] { return false; }) {
  std::vector<const kernel::Kernel*> kernels;
  for (const std::string& name : names) kernels.push_back(kernel_named(name));
  const auto report = fuzz(kernels, options, listener, stop);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return *report;
}

std::size_t files_below(const std::string& folder) {
  std::size_t count = 0;
  if (!std::filesystem::exists(folder)) return 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    count += entry.path().extension() == ".safetensors";
  }
  return count;
}

TEST(Fuzz, ACorrectKernelHasACorpusAndNoFinding) {
  const Directory directory;
  FuzzNotes listener;
  const FuzzReport report = run_fuzz({"good.max", "good.other"}, searching_in(directory, 1500), listener);
  EXPECT_FALSE(report.resumed);
  std::uint64_t cases = 0;
  for (const FuzzedKernel& kernel : report.kernels) {
    cases += kernel.cases;
    EXPECT_EQ(kernel.cases, kernel.pass + kernel.vacuous) << kernel.note;
    EXPECT_GT(kernel.corpus, 20u);
    EXPECT_GT(kernel.features, 50u);
    EXPECT_EQ(files_below(directory / "corpus/" + kernel.name), kernel.corpus);
    const Arm& changed = kernel.arms.all().back();
    EXPECT_GT(changed.cases, 100u) << "cases of the corpus are changed";
    EXPECT_GT(changed.kept, 0u);
  }
  EXPECT_EQ(cases, 1500u);
  EXPECT_TRUE(listener.failures.empty());
  EXPECT_EQ(files_below(directory / "findings"), 0u);
  ASSERT_FALSE(report.points.empty());
  EXPECT_EQ(report.points.back().cases, 1500u);
}

TEST(Fuzz, ACauseIsShrunkAndToldOnce) {
  const Directory directory;
  FuzzNotes listener;
  const FuzzReport report = run_fuzz({"bad.skips_last", "good.max"}, searching_in(directory, 1200), listener);
  const FuzzedKernel& bad = report.kernels.front();
  EXPECT_GT(bad.fail, bad.findings.size()) << "more cases fail than causes are told";
  EXPECT_EQ(std::set(listener.failures.begin(), listener.failures.end()).size(), listener.failures.size());
  std::set<Cause> causes;
  for (const Finding& finding : bad.findings) {
    const contract::Contract& contract = kernel_named("bad.skips_last")->contract;
    EXPECT_TRUE(causes.insert(cause_of(finding.failure.kind, finding.shrunk, contract)).second);
    EXPECT_EQ(finding.hit_rate, 1.0);
    EXPECT_THAT(finding.case_path, HasSubstr("/findings/bad.skips_last."));
    EXPECT_EQ(finding.shrunk.kernel, "bad.skips_last");
  }
  EXPECT_FALSE(causes.empty());
  EXPECT_EQ(listener.findings.size(), bad.findings.size()) << "told as often as there are";
  EXPECT_EQ(files_below(directory / "findings"), 2 * listener.failures.size()) << "as met, and shrunk or explained";
  EXPECT_TRUE(report.kernels.back().findings.empty());
  EXPECT_EQ(report.kernels.back().fail, 0u);
}

TEST(Fuzz, ItGoesOnFromItsFolder) {
  const Directory directory;
  FuzzNotes first, second;
  const FuzzReport before = run_fuzz({"bad.skips_last", "good.max"}, searching_in(directory, 600), first);
  const std::size_t findings = before.kernels.front().findings.size();
  ASSERT_GT(findings, 0u);
  const FuzzReport after = run_fuzz({"bad.skips_last", "good.max"}, searching_in(directory, 600), second);
  EXPECT_TRUE(after.resumed);
  EXPECT_TRUE(second.resumed);
  EXPECT_EQ(after.kernels.front().known.size(), findings);
  for (const Finding& finding : after.kernels.front().findings) {
    for (const Finding& known : before.kernels.front().findings) EXPECT_NE(finding.case_path, known.case_path);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE(after.kernels[i].cases, before.kernels[i].cases);
    EXPECT_GE(after.kernels[i].features, before.kernels[i].features) << "known features are known again";
    for (std::size_t arm = 0; arm < after.kernels[i].arms.all().size(); ++arm) {
      EXPECT_GE(after.kernels[i].arms.all()[arm].next, before.kernels[i].arms.all()[arm].next);
    }
  }
  EXPECT_GE(after.elapsed_ms, before.elapsed_ms);
  EXPECT_GT(after.points.size(), before.points.size());
}

TEST(Fuzz, WhatIsOnRecordDoesNotRunAgain) {
  const Directory directory;
  FuzzNotes listener;
  const FuzzReport before = run_fuzz({"good.max"}, searching_in(directory, 1500), listener);
  ASSERT_GT(before.kernels[0].corpus, 10u);
  // Of one more case, all that runs is new.
  FuzzReport after = run_fuzz({"good.max"}, searching_in(directory, 1), listener);
  EXPECT_EQ(after.kernels[0].cases, before.kernels[0].cases + 1);
  EXPECT_GE(after.kernels[0].features, before.kernels[0].features);
  std::size_t removed = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory / "corpus/good.max")) {
    if (file.path().extension() != ".json" || removed == 3) continue;
    std::filesystem::remove(file.path());
    ++removed;
  }
  after = run_fuzz({"good.max"}, searching_in(directory, 1), listener);
  EXPECT_EQ(after.kernels[0].cases, before.kernels[0].cases + 1 + removed + 1);
  FuzzOptions never = searching_in(directory, 1);
  never.evaluation.watch = Watch::Never;
  after = run_fuzz({"good.max"}, never, listener);
  EXPECT_GE(after.kernels[0].cases, before.kernels[0].cases + before.kernels[0].corpus) << "they ran otherwise";
}

TEST(Fuzz, AFailureThatWasNotShrunkIsShrunkByTheNextRun) {
  const Directory directory;
  FuzzNotes first, second;
  FuzzOptions options = searching_in(directory, 400);
  bool stop = false;
  first.at_progress = [&](const FuzzPoint&) { stop = stop || !first.failures.empty(); };
  const FuzzReport cut = run_fuzz({"bad.skips_last"}, options, first, [&] { return stop || !first.failures.empty(); });
  EXPECT_TRUE(cut.interrupted);
  ASSERT_FALSE(first.failures.empty());
  // As a run leaves it that is killed before it shrinks.
  for (const auto& entry : std::filesystem::directory_iterator(directory / "findings")) {
    if (entry.path().string().find(".original.") == std::string::npos) std::filesystem::remove(entry.path());
  }
  const FuzzReport report = run_fuzz({"bad.skips_last"}, options, second);
  std::set<std::string> shrunk;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "findings")) {
    if (entry.path().string().find(".case.") != std::string::npos) shrunk.insert(entry.path().string());
  }
  EXPECT_FALSE(shrunk.empty());
  EXPECT_GE(second.findings.size(), 1u);
}

TEST(Fuzz, ShardsShareWhatTheyKeepAndNoCase) {
  const Directory directory;
  FuzzNotes listener;
  FuzzOptions options = searching_in(directory, 300);
  options.shard = {.number = 1, .count = 2};
  const FuzzReport one = run_fuzz({"good.max"}, options, listener);
  options.shard = {.number = 2, .count = 2};
  const FuzzReport two = run_fuzz({"good.max"}, options, listener);
  EXPECT_FALSE(two.resumed);
  EXPECT_EQ(two.kernels.front().cases, 300u) << "what the first one kept is on record";
  EXPECT_GE(two.kernels.front().features, one.kernels.front().features);
  EXPECT_GE(files_below(directory / "corpus/good.max"), two.kernels.front().corpus);
  EXPECT_TRUE(load_shard(directory / "shards/1-of-2.json")->has_value());
  EXPECT_TRUE(load_shard(directory / "shards/2-of-2.json")->has_value());
}

TEST(Fuzz, AKernelThatKeepsEndingProcessesIsLeft) {
  const Directory directory;
  FuzzNotes listener;
  const FuzzReport report = run_fuzz({"bad.always_exits", "good.max"}, searching_in(directory, 2000), listener);
  EXPECT_LT(report.kernels.front().cases, 500u);
  EXPECT_THAT(report.kernels.front().note, HasSubstr("left after 30 cases that ended their process"));
  EXPECT_GT(report.kernels.back().pass, 1000u);
  ASSERT_EQ(report.kernels.front().findings.size(), 1u);
  EXPECT_EQ(report.kernels.front().findings.front().failure.kind, FailureClass::Crash);
}

TEST(Fuzz, TimeEndsIt) {
  const Directory directory;
  FuzzNotes listener;
  FuzzOptions options = searching_in(directory, 0);
  options.time_ms = 1500;
  const FuzzReport report = run_fuzz({"good.max"}, options, listener);
  EXPECT_GE(report.run_ms, 1500u);
  EXPECT_FALSE(report.interrupted);
  EXPECT_GT(report.kernels.front().cases, 0u);
}

TEST(Fuzz, AFolderThatCannotBeUsedIsAnErrorBeforeTheFirstCase) {
  const Directory directory;
  FuzzNotes listener;
  FuzzOptions options = searching_in(directory, 100);
  options.folder = "/proc/nowhere";
  const auto no_folder = fuzz({kernel_named("good.max")}, options, listener, [] { return false; });
  ASSERT_FALSE(no_folder.ok());
  EXPECT_EQ(no_folder.error().kind, base::ErrorKind::Infrastructure);
  EXPECT_THAT(no_folder.error().message, HasSubstr("/proc/nowhere"));
}

TEST(Fuzz, MergingKeepsWhatACorpusShows) {
  const Directory directory;
  FuzzNotes listener;
  const FuzzReport report = run_fuzz({"good.max"}, searching_in(directory, 800), listener);
  const auto merged = merge({kernel_named("good.max")}, searching_in(directory, 0), [] { return false; });
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  ASSERT_EQ(merged->size(), 1u);
  EXPECT_EQ(merged->front().before, report.kernels.front().corpus);
  EXPECT_LT(merged->front().after, merged->front().before);
  EXPECT_EQ(files_below(directory / "corpus/good.max"), merged->front().after);
  const auto again = merge({kernel_named("good.max")}, searching_in(directory, 0), [] { return false; });
  EXPECT_EQ(again->front().features, merged->front().features);
  EXPECT_EQ(again->front().after, merged->front().after);
  EXPECT_FALSE(merge({kernel_named("good.other")}, searching_in(directory, 0), [] { return false; }).ok());
}

}  // namespace
}  // namespace negzero::campaign

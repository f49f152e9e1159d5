// What a folder of shards holds: sums, time, findings by their smallest file; and what is wrong with one.

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/folder.hpp>
#include <negzero/campaign/survey.hpp>
#include <negzero/case_file/case_file.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::AllOf;
using ::testing::HasSubstr;

KernelState state_of(std::uint64_t pass, std::uint64_t fail, const std::string& arm, std::uint64_t kept) {
  KernelState state;
  state.cases = pass + fail;
  state.pass = pass;
  state.fail = fail;
  state.arms = Arms({Arm{.name = arm, .cases = pass + fail, .kept = kept}});
  return state;
}

void touch(const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << "x";
}

TEST(Folder, SumsWhatShardsCountAndCountsTheCorpus) {
  const Directory directory;
  ShardState first, second;
  first.elapsed_ms = 2000;
  first.kernels = {{"good.max", state_of(10, 0, "special", 3)}};
  second.elapsed_ms = 1000;
  second.kernels = {{"good.max", state_of(5, 0, "special", 1)}, {"bad.skips_last", state_of(1, 2, "exact", 0)}};
  ASSERT_TRUE(save_shard(shard_path(directory.path(), {10, 10}), first).ok());
  ASSERT_TRUE(save_shard(shard_path(directory.path(), {2, 10}), second).ok());
  for (const std::string name : {"a.safetensors", "b.safetensors", ".half.tmp"}) {
    touch(directory / "corpus/good.max/" + name);
  }
  touch(directory / "shards/notes.json");
  const auto state = read_folder(directory.path());
  ASSERT_TRUE(state.ok()) << state.error().message;
  ASSERT_EQ(state->shards.size(), 2u);
  EXPECT_EQ(state->shards[0].shard.to_string(), "2/10");
  EXPECT_EQ(state->shards[1].shard.to_string(), "10/10");
  ASSERT_EQ(state->kernels.size(), 2u);
  EXPECT_EQ(state->kernels[0].name, "bad.skips_last");
  EXPECT_EQ(state->kernels[0].fail, 2u);
  EXPECT_EQ(state->kernels[1].pass, 15u);
  EXPECT_EQ(state->kernels[1].corpus, 2u);
  ASSERT_EQ(state->kernels[1].arms.all().size(), 1u);
  EXPECT_EQ(state->kernels[1].arms.all()[0].cases, 15u);
  EXPECT_EQ(state->kernels[1].arms.all()[0].kept, 4u);
  const Survey survey{.folder = directory.path(), .state = *state};
  EXPECT_EQ(survey.elapsed_ms(), 3000u);
  EXPECT_EQ(survey.counts().cases, 18u);
  EXPECT_DOUBLE_EQ(survey.cases_a_second(), 5 + 8) << "10 in 2 s and 8 in 1 s, at the same time";
}

TEST(Folder, OverTimeCasesAddUpAndWhatOneKnowsAllKnow) {
  std::vector<ShardEntry> shards(2);
  shards[0].state.points = {{.elapsed_ms = 100, .cases = 10, .features = 7, .corpus = 3, .findings = 0},
                            {.elapsed_ms = 300, .cases = 30, .features = 9, .corpus = 5, .findings = 2}};
  // Its second run has not read its corpus again yet.
  shards[1].state.points = {{.elapsed_ms = 100, .cases = 20, .features = 8, .corpus = 4, .findings = 1},
                            {.elapsed_ms = 200, .cases = 25, .features = 1, .corpus = 0, .findings = 1}};
  const std::vector<FuzzPoint> expected = {{.elapsed_ms = 100, .cases = 30, .features = 8, .corpus = 4, .findings = 1},
                                           {.elapsed_ms = 200, .cases = 35, .features = 8, .corpus = 4, .findings = 1},
                                           {.elapsed_ms = 300, .cases = 55, .features = 9, .corpus = 5, .findings = 2}};
  EXPECT_EQ(together_over_time(shards), expected);
  EXPECT_TRUE(together_over_time({}).empty());
}

TEST(Folder, AFailureIsItsSmallestFile) {
  const Directory directory;
  for (const std::string name :
       {"k.hang.run.hang.original", "k.hang.run.hang.partial", "k.hang.run.hang.case", "l.crash.run.crash.original",
        "l.crash.run.crash.partial", "m.crash.run.crash.original", "strange"}) {
    touch(directory / (name + ".safetensors"));
  }
  touch(directory / "n.crash.run.crash.case.tmp");
  const auto failures = failures_in(directory.path());
  ASSERT_EQ(failures.size(), 3u);
  EXPECT_EQ(failures[0].name, "k.hang.run.hang");
  EXPECT_EQ(failures[0].smallest(), directory / "k.hang.run.hang.case.safetensors");
  EXPECT_EQ(failures[0].original, directory / "k.hang.run.hang.original.safetensors");
  EXPECT_EQ(failures[1].smallest(), directory / "l.crash.run.crash.partial.safetensors");
  EXPECT_EQ(failures[2].smallest(), directory / "m.crash.run.crash.original.safetensors");
  EXPECT_TRUE(failures_in(directory / "nowhere").empty());
}

TEST(Folder, OneThatIsNoneIsAUsageErrorThatSaysWhichIs) {
  const Directory directory;
  const auto error_of = [](const std::string& folder) {
    const auto state = read_folder(folder);
    EXPECT_FALSE(state.ok());
    return state.ok() ? base::Error{} : state.error();
  };
  EXPECT_EQ(error_of(directory / "x").kind, base::ErrorKind::Usage);
  EXPECT_THAT(error_of(directory / "x").message,
              AllOf(HasSubstr(directory / "x: there is no such folder"), HasSubstr("negzero fuzz --folder")));
  EXPECT_THAT(error_of(directory.path()).message, HasSubstr("holds no shards/I-of-N.json"));
  touch(directory / "shards/1-of-2.json");
  EXPECT_EQ(error_of(directory.path()).kind, base::ErrorKind::Usage);
  EXPECT_THAT(error_of(directory.path()).message, HasSubstr(directory / "shards/1-of-2.json"));
  touch(directory / "file");
  EXPECT_THAT(error_of(directory / "file").message, HasSubstr("is no folder of a campaign"));
}

class Nothing final : public FuzzListener {
  void on_progress(const FuzzPoint&, std::uint64_t, const BeingShrunk&) override {}
  void on_failure(const std::string&, const verdict::Failure&, const std::string&) override {}
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const Finding&) override {}
};

TEST(Survey, RunsFindingsAgainAndSaysHowFarEachWasShrunk) {
  const Directory directory;
  FuzzOptions options;
  options.folder = directory.path();
  options.cases = 400;
  options.evaluation.jobs = 2;
  options.evaluation.observe = true;
  Nothing listener;
  const Stop go_on = [] { return false; };
  ASSERT_TRUE(fuzz({kernel_named("bad.skips_last")}, options, listener, go_on).ok());
  std::size_t runs = 0;
  const auto count = [&](std::size_t, std::size_t) { ++runs; };
  const auto before = survey(directory.path(), options.evaluation, count, go_on);
  ASSERT_TRUE(before.ok()) << before.error().message;
  ASSERT_FALSE(before->findings.empty());
  EXPECT_EQ(runs, before->findings.size());
  EXPECT_TRUE(before->errors.empty());
  EXPECT_TRUE(before->decided());
  for (const FoundAgain& finding : before->findings) {
    EXPECT_EQ(finding.kernel, "bad.skips_last");
    EXPECT_EQ(finding.size, FoundAgain::Size::Shrunk);
    EXPECT_EQ(finding.unseen, "");
    EXPECT_EQ(finding.cut, "");
    EXPECT_THAT(finding.case_path, HasSubstr(".case.safetensors"));
    ASSERT_EQ(finding.observations.size(), 1u);
    EXPECT_FALSE(finding.observations[0].judged.empty());
  }

  // As a shard leaves it that is killed while it shrinks, then one whose shrinking ran out of time.
  const std::string stem = std::filesystem::path(before->findings[0].case_path).stem().stem().string();
  const std::string shrunk = directory / ("findings/" + stem + ".case.safetensors");
  const std::string partial = directory / ("findings/" + stem + ".partial.safetensors");
  std::filesystem::rename(shrunk, partial);
  // Others may have been shrunk to the same cause, and would be told in its place.
  for (const auto& entry : std::filesystem::directory_iterator(directory / "findings")) {
    if (!entry.path().filename().string().starts_with(stem + ".")) std::filesystem::remove(entry.path());
  }
  const auto size_of_it = [&] {
    const auto now = survey(directory.path(), options.evaluation, count, go_on);
    for (const FoundAgain& finding : now->findings) {
      if (finding.case_path.find(stem) != std::string::npos) return std::string(name(finding.size));
    }
    return std::string("it is gone");
  };
  EXPECT_EQ(size_of_it(), "partly_shrunk");
  std::filesystem::remove(partial);
  EXPECT_EQ(size_of_it(), "as_met");

  // What does not fail now is told by its file, and one that is no case is an error.
  auto passes = max_case({2, 1});
  passes.kernel = "bad.skips_last";
  passes.found = {"bad.skips_last", "host", verdict::VerdictKind::Fail, verdict::FailureClass::Hang, "run.hang"};
  ASSERT_TRUE(case_file::save(directory / "findings/bad.skips_last.hang.run.hang.case.safetensors", passes).ok());
  touch(directory / "findings/y.hang.run.hang.case.safetensors");
  const auto after = survey(directory.path(), options.evaluation, count, go_on);
  ASSERT_TRUE(after.ok());
  ASSERT_EQ(after->errors.size(), 1u);
  EXPECT_THAT(after->errors[0].message, HasSubstr("findings/y.hang.run.hang.case.safetensors"));
  const auto unseen =
      std::ranges::find_if(after->findings, [](const FoundAgain& each) { return !each.unseen.empty(); });
  ASSERT_NE(unseen, after->findings.end());
  EXPECT_THAT(unseen->unseen, HasSubstr("this time it did not fail: pass"));
  EXPECT_EQ(unseen->failure.kind, verdict::FailureClass::Hang);
  EXPECT_EQ(unseen->failure.rule, verdict::Rule("run.hang"));
}

TEST(Survey, AfterAStopNothingRuns) {
  const Directory directory;
  ASSERT_TRUE(save_shard(shard_path(directory.path(), {1, 1}), {}).ok());
  auto value = max_case({1});
  value.kernel = "bad.skips_last";
  value.found = {"bad.skips_last", "host", verdict::VerdictKind::Fail, verdict::FailureClass::Hang, "run.hang"};
  std::filesystem::create_directories(directory / "findings");
  ASSERT_TRUE(case_file::save(directory / "findings/bad.skips_last.hang.run.hang.case.safetensors", value).ok());
  const auto stopped = survey(
      directory.path(), {}, [](std::size_t, std::size_t) { FAIL() << "it runs"; }, [] { return true; });
  ASSERT_TRUE(stopped.ok());
  EXPECT_TRUE(stopped->interrupted);
  ASSERT_EQ(stopped->findings.size(), 1u);
  EXPECT_EQ(stopped->findings[0].unseen, "interrupted before it ran");
}

}  // namespace
}  // namespace negzero::campaign

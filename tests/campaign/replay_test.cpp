// Case files against what they expect: found, run, compared, recorded; whatever is wrong with one, the others go on.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/case_file/case_file.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using operation::Case;
using operation::Expectation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using verdict::FailureClass;
using verdict::VerdictKind;

const Expectation kPass{"good.max", "host", VerdictKind::Pass, std::nullopt, ""};
const Expectation kFail{"bad.skips_last", "*", VerdictKind::Fail, FailureClass::WrongSpecialValue, ""};

/// A kernel whose own contract no oracle knows: that is no file's fault.
const bool odd = [] {
  kernel::Kernel kernel = *campaign_test::kernel_named("good.max");
  kernel.name = "odd.model";
  kernel.contract.order = contract::Order::Model;
  kernel.contract.model = "abacus";
  return kernel::registry().add(std::move(kernel));
}();

/// The last column decides: bad.skips_last fails on it.
std::string save(const Directory& directory, const std::string& name, std::vector<Expectation> expect,
                 std::string kernel = "") {
  Case value = max_case({1, INFINITY});
  value.expect = std::move(expect);
  value.kernel = std::move(kernel);
  EXPECT_TRUE(case_file::save(directory / name, value).ok());
  return directory / name;
}

ReplayReport run_replay(const std::vector<std::string>& files, const ReplayOptions& options) {
  std::size_t told = 0;
  const auto report = replay(
      files, options, [&](const ReplayItem&) { ++told; }, [] { return false; });
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(told, report->items.size());
  return *report;
}

ReplayReport run_replay(const std::vector<std::string>& files) {
  const ReplayOptions options;
  return run_replay(files, options);
}

TEST(Replay, WhatIsExpectedIsAsExpected) {
  const Directory directory;
  const ReplayReport report = run_replay({save(directory, "a", {kPass, kFail})});
  ASSERT_EQ(report.items.size(), 2u);
  for (const ReplayItem& item : report.items) {
    EXPECT_EQ(item.status(), ReplayStatus::AsExpected) << item.difference();
    EXPECT_EQ(item.difference(), "");
    EXPECT_EQ(item.operation, "reduce.max");
  }
  EXPECT_THAT(report.items[1].counterexample, HasSubstr("replay"));
}

TEST(Replay, EveryPartOfAnExpectationCounts) {
  const Directory directory;
  const auto status = [&](const Expectation& expected) {
    return run_replay({save(directory, "a", {expected})}).items.at(0).status();
  };
  Expectation expected = kPass;
  expected.verdict = VerdictKind::Fail;
  EXPECT_EQ(status(expected), ReplayStatus::Different) << "a pass where a fail is expected";
  expected = kFail;
  expected.verdict = VerdictKind::Pass;
  expected.failure_class.reset();
  EXPECT_EQ(status(expected), ReplayStatus::Different);
  expected = kFail;
  expected.failure_class = FailureClass::Crash;
  EXPECT_EQ(status(expected), ReplayStatus::Different);
  expected = kFail;
  expected.rule = "run.crash";
  EXPECT_EQ(status(expected), ReplayStatus::Different);
  expected.failure_class.reset();
  expected.rule = "select.value";
  EXPECT_EQ(status(expected), ReplayStatus::AsExpected) << "no class stands for any";
}

TEST(Replay, WhatIsReportedDoesNotDependOnTheNumberOfJobs) {
  const Directory directory;
  std::vector<std::string> files;
  for (const char* const name : {"a", "b", "c", "d"}) {
    files.push_back(save(directory, name, {kPass, {"nobody.here", "host"}, kFail, {"good.max", "cuda"}}));
    files.push_back(directory / (std::string("not_") + name));
  }
  std::vector<std::string> texts;
  for (const int jobs : {1, 3}) {
    ReplayOptions options;
    options.evaluation.jobs = jobs;
    const ReplayReport report = run_replay(files, options);
    std::string text;
    for (const ReplayItem& item : report.items) text += item.path + " " + item.kernel + " " + item.skipped + "\n";
    for (const base::Error& error : report.errors) text += error.message + "\n";
    EXPECT_EQ(report.items.size(), 12u);
    EXPECT_EQ(report.errors.size(), 5u) << "the unknown kernel is said once";
    texts.push_back(text);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Replay, AFileThatIsNamedTwiceIsReadAgainOnceItIsRecorded) {
  const Directory directory;
  Expectation same = kPass;
  same.executor = "*";
  const std::string file = save(directory, "a", {kPass, same});
  ReplayOptions options;
  options.record = true;
  options.evaluation.jobs = 2;
  const ReplayReport report = run_replay({file, file}, options);
  EXPECT_EQ(report.items.size(), 3u) << "the two of one kernel have become one";
}

TEST(Replay, WithoutExpectationsTheCasesOwnKernelMustPass) {
  const Directory directory;
  EXPECT_EQ(run_replay({save(directory, "a", {}, "good.max")}).items.at(0).status(), ReplayStatus::AsExpected);
  const ReplayReport bad = run_replay({save(directory, "b", {}, "bad.skips_last")});
  EXPECT_EQ(bad.items.at(0).status(), ReplayStatus::Different);
  EXPECT_THAT(bad.items.at(0).difference(), HasSubstr("expected pass, got fail (wrong_special_value)"));
  const ReplayReport nobody = run_replay({save(directory, "c", {})});
  EXPECT_TRUE(nobody.items.empty());
  ASSERT_EQ(nobody.errors.size(), 1u);
  EXPECT_THAT(nobody.errors[0].message, HasSubstr("--kernel"));
}

TEST(Replay, KernelsOfTheCommandLineReplaceExpectations) {
  const Directory directory;
  ReplayOptions options;
  options.kernels = {"good.*", "bad.skips_last"};
  const ReplayReport report = run_replay({save(directory, "a", {kFail})}, options);
  std::vector<std::string> names;
  for (const ReplayItem& item : report.items) names.push_back(item.kernel);
  EXPECT_THAT(names, ElementsAre("bad.skips_last", "good.max", "good.other"));
  EXPECT_EQ(report.items[0].status(), ReplayStatus::Different) << "a pass is expected of it now";
}

TEST(Replay, OtherExecutorsAreSkipped) {
  const Directory directory;
  Expectation cuda = kPass;
  cuda.executor = "cuda";
  const ReplayReport report = run_replay({save(directory, "a", {cuda, kPass})});
  EXPECT_EQ(report.items.at(0).status(), ReplayStatus::Skipped);
  EXPECT_THAT(report.items.at(0).skipped, HasSubstr("cuda"));
  EXPECT_EQ(report.items.at(1).status(), ReplayStatus::AsExpected);
}

TEST(Replay, AKernelThatAProgramMayLackIsSkippedInWordsWhereItDoes) {
  const Directory directory;
  Expectation absent = kPass, here = kFail;
  absent.kernel = "other.max";
  here.needs = absent.needs = "--kernels other.py";
  const std::string file = save(directory, "needs", {absent, here});
  const ReplayReport report = run_replay({file});
  ASSERT_EQ(report.items.size(), 2u);
  EXPECT_TRUE(report.errors.empty());
  EXPECT_EQ(report.items[0].status(), ReplayStatus::Skipped);
  EXPECT_EQ(report.items[0].skipped, "no kernel of that name here; needs --kernels other.py");
  EXPECT_EQ(report.items[1].status(), ReplayStatus::AsExpected);
}

TEST(Replay, RefusedIsUndecidedUnlessExpected) {
  const Directory directory;
  Case value = max_case(std::vector<float>(100, 1.0f));
  value.kernel = "good.max";
  ASSERT_TRUE(case_file::save(directory / "a", value).ok());
  EXPECT_EQ(run_replay({directory / "a"}).items.at(0).status(), ReplayStatus::Undecided);
  value.expect = {{"good.max", "host", VerdictKind::Refused, std::nullopt, ""}};
  ASSERT_TRUE(case_file::save(directory / "a", value).ok());
  EXPECT_EQ(run_replay({directory / "a"}).items.at(0).status(), ReplayStatus::AsExpected);
}

TEST(Replay, AnErrorOfOursIsNoVerdict) {
  const Directory directory;
  Case value = max_case({1});
  value.kernel = "odd.model";
  ASSERT_TRUE(case_file::save(directory / "a", value).ok());
  ReplayOptions options;
  options.record = true;
  const ReplayReport report = run_replay({directory / "a"}, options);
  EXPECT_EQ(report.items.at(0).status(), ReplayStatus::Error);
  EXPECT_TRUE(case_file::load(directory / "a")->expect.empty()) << "and is not recorded";
}

TEST(Replay, OneBadFileDoesNotStopTheOthers) {
  const Directory directory;
  std::ofstream(directory / "broken") << "not a case";
  const ReplayReport report =
      run_replay({directory / "broken", save(directory, "unknown", {{"good.mix", "*", VerdictKind::Pass, {}, ""}}),
                  save(directory, "fine", {kPass})});
  ASSERT_EQ(report.errors.size(), 2u);
  EXPECT_THAT(report.errors[0].message, HasSubstr(directory / "broken"));
  EXPECT_THAT(report.errors[1].message, HasSubstr("good.mix"));
  EXPECT_THAT(report.errors[1].message, HasSubstr("good.max")) << "the closest";
  EXPECT_EQ(report.errors[1].kind, base::ErrorKind::Usage);
  ASSERT_EQ(report.items.size(), 1u);
  EXPECT_EQ(report.items[0].status(), ReplayStatus::AsExpected);
}

TEST(Replay, ACrashDoesNotStopTheOthers) {
  const Directory directory;
  const ReplayReport report =
      run_replay({save(directory, "a", {}, "bad.always_aborts"), save(directory, "b", {kPass})});
  EXPECT_EQ(report.items.at(0).verdict.failure->kind, FailureClass::Crash);
  EXPECT_EQ(report.items.at(1).status(), ReplayStatus::AsExpected);
}

TEST(Replay, RecordingKeepsWhatOthersExpect) {
  const Directory directory;
  Expectation cuda = kPass;
  cuda.executor = "cuda";
  Expectation wrong = kPass;
  wrong.verdict = VerdictKind::Vacuous;
  wrong.needs = "--kernels good.py";
  Expectation right = kPass;
  right.needs = wrong.needs;
  const std::string path = save(directory, "a", {cuda, wrong});
  ReplayOptions options;
  options.record = true;
  options.kernels = {"good.max", "bad.skips_last"};
  const ReplayReport report = run_replay({path}, options);
  for (const ReplayItem& item : report.items) EXPECT_EQ(item.status(), ReplayStatus::AsExpected);
  const Expectation fail{"bad.skips_last", "host", VerdictKind::Fail, FailureClass::WrongSpecialValue, "select.value"};
  EXPECT_THAT(case_file::load(path)->expect, ElementsAre(cuda, right, fail));
  for (const ReplayItem& item : run_replay({path}).items) {
    EXPECT_NE(item.status(), ReplayStatus::Different) << "what was recorded holds";
  }
}

TEST(Replay, WhatIsRecordedIsReported) {
  const Directory directory;
  ReplayOptions options;
  options.record = true;
  options.kernels = {"good.max", "bad.skips_last"};
  const std::string path = save(directory, "a", {});
  const ReplayReport report = run_replay({path}, options);
  ASSERT_EQ(report.recorded.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(report.recorded[i].path, path);
    EXPECT_EQ(report.recorded[i].now, case_file::load(path)->expect.at(i));
    EXPECT_TRUE(report.items[i].recorded);
  }
  EXPECT_TRUE(run_replay({path}).recorded.empty());
}

TEST(Replay, AKernelAskedForByNameHasOneExpectationAfterRecording) {
  const Directory directory;
  Expectation watched = kPass;
  watched.executor = "watched";
  watched.verdict = VerdictKind::Fail;
  const std::string path = save(directory, "a", {kFail, watched, kPass});
  ReplayOptions options;
  options.record = true;
  options.kernels = {"good.max"};
  run_replay({path}, options);
  EXPECT_THAT(case_file::load(path)->expect, ElementsAre(kFail, kPass))
      << "the mended kernel passes plainly and watched";
}

TEST(Replay, AStopEndsIt) {
  const Directory directory;
  const ReplayOptions options;
  int items = 0;
  const auto report = replay(
      {save(directory, "a", {kPass}), save(directory, "b", {kPass})}, options, [&](const ReplayItem&) { ++items; },
      [&] { return items == 1; });
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->interrupted);
  EXPECT_EQ(report->items.size(), 1u);
}

TEST(CaseFiles, DirectoriesStandForTheirCasesInOrder) {
  const Directory directory;
  std::filesystem::create_directories(directory / "d/deeper");
  for (const char* name : {"d/b.safetensors", "d/a.safetensors", "d/deeper/c.safetensors", "d/notes.txt", "other"}) {
    std::ofstream(directory / name) << "x";
  }
  const auto files = case_files({directory / "other", directory / "d"});
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files, ElementsAre(directory / "other", directory / "d/a.safetensors", directory / "d/b.safetensors",
                                  directory / "d/deeper/c.safetensors"));
}

TEST(Replay, CasesOfOtherOperationsAreSkipped) {
  const Directory directory;
  Case value = max_case({1});
  auto reduce = operation::view<operation::Reduce>(value.operation);
  reduce.kind = operation::ReduceKind::Min;
  value.operation = reduce;
  ASSERT_TRUE(case_file::save(directory / "min", value).ok());
  ReplayOptions options;
  options.kernels = {"good.*"};
  const ReplayReport report = run_replay({directory / "min", save(directory, "max", {kPass})}, options);
  EXPECT_TRUE(report.errors.empty());
  ASSERT_EQ(report.items.size(), 3u);
  EXPECT_EQ(report.items[0].status(), ReplayStatus::Skipped);
  EXPECT_EQ(report.items[0].kernel, "");
  EXPECT_EQ(report.items[0].skipped, "none of the kernels asked for implements reduce.min");
  EXPECT_EQ(report.items[1].status(), ReplayStatus::AsExpected);
}

TEST(Replay, GlobsThatMatchNoKernelAreOneErrorBeforeAnyFile) {
  const Directory directory;
  ReplayOptions options;
  options.kernels = {"good.mix"};
  const auto report = replay(
      {directory / "missing", save(directory, "a", {kPass})}, options, [](const ReplayItem&) { FAIL(); },
      [] { return false; });
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, base::ErrorKind::Undecided);
  EXPECT_THAT(report.error().message, HasSubstr("no kernel matches 'good.mix'"));
}

TEST(Replay, AKernelThatNobodyKnowsIsSaidOnce) {
  const Directory directory;
  const Expectation unknown{"good.mix", "*", VerdictKind::Pass, {}, ""};
  std::vector<std::string> files;
  for (const char* name : {"a", "b", "c"}) files.push_back(save(directory, name, {unknown, kPass}));
  files.push_back(save(directory, "d", {}, "good.mix"));
  const ReplayReport report = run_replay(files);
  EXPECT_EQ(report.items.size(), 3u) << "the known kernel of a, b and c";
  ASSERT_EQ(report.errors.size(), 2u) << "one of expectations, one of a case's own kernel";
  EXPECT_EQ(report.errors[0].message, (directory / "a") +
                                          " (and 2 more of these files): kernel 'good.mix' is not known; "
                                          "the closest is good.max");
  EXPECT_THAT(report.errors[1].message, HasSubstr(directory / "d"));
}

TEST(CaseFiles, WhatIsNotThereIsAnErrorWithItsCode) {
  const Directory directory;
  std::filesystem::create_directories(directory / "empty");
  for (const auto& [name, kind] :
       {std::pair{"nothing", base::ErrorKind::Usage}, std::pair{"empty", base::ErrorKind::Undecided}}) {
    const auto files = case_files({directory / name});
    ASSERT_FALSE(files.ok());
    EXPECT_EQ(files.error().kind, kind);
    EXPECT_THAT(files.error().message, HasSubstr(directory / name));
  }
}

TEST(CaseFiles, AListNamesThemAPathALine) {
  const Directory directory;
  std::filesystem::create_directories(directory / "d");
  for (const char* name : {"d/b.safetensors", "d/a.safetensors", "other"}) std::ofstream(directory / name) << "x";
  const auto write = [&](const std::string& text) { std::ofstream(directory / "list", std::ios::binary) << text; };
  write((directory / "d") + "\r\n\n  \n" + (directory / "other"));
  const auto files = case_files({directory / "other"}, directory / "list");
  ASSERT_TRUE(files.ok()) << files.error().message;
  EXPECT_THAT(*files, ElementsAre(directory / "other", directory / "d/a.safetensors", directory / "d/b.safetensors",
                                  directory / "other"));

  const auto error_of = [&](const std::vector<std::string>& paths, const std::string& list) {
    const auto wrong = case_files(paths, list);
    EXPECT_FALSE(wrong.ok());
    return wrong.ok() ? base::Error{} : wrong.error();
  };
  write((directory / "other") + "\n" + (directory / "nothing") + "\n");
  EXPECT_EQ(error_of({}, directory / "list").kind, base::ErrorKind::Usage);
  EXPECT_THAT(error_of({}, directory / "list").message,
              HasSubstr("--list " + (directory / "list") + ", line 2: " + (directory / "nothing")));
  write("\n \n");
  EXPECT_EQ(error_of({}, directory / "list").kind, base::ErrorKind::Undecided);
  write(std::string("a\0b\n", 4));
  EXPECT_EQ(error_of({}, directory / "list").kind, base::ErrorKind::Usage);
  EXPECT_THAT(error_of({}, directory / "list").message, HasSubstr("NUL byte"));
  EXPECT_EQ(error_of({}, directory / "nothing").kind, base::ErrorKind::Usage);
  EXPECT_THAT(error_of({}, directory / "nothing").message, HasSubstr("--list " + (directory / "nothing")));
  EXPECT_EQ(error_of({}, "").kind, base::ErrorKind::Usage);
}

TEST(CaseFiles, AContractThatIsNoneIsTheFilesFault) {
  const Directory directory;
  Case value = max_case({1});
  for (const std::string contract : {"no_such_preset", "{", "{\"order\":\"sideways\"}", "{\"model\":\"abacus\"}"}) {
    value.contract = contract;
    ASSERT_TRUE(case_file::save(directory / "a", value).ok());
    const auto loaded = load_case(directory / "a");
    ASSERT_FALSE(loaded.ok()) << contract;
    EXPECT_EQ(loaded.error().kind, base::ErrorKind::Usage);
    EXPECT_THAT(loaded.error().message, HasSubstr((directory / "a") + ": metadata contract: "));
    EXPECT_THAT(loaded.error().message, HasSubstr("; mend that entry, or remove it for the kernel's own"));
  }
  value.contract = "f32";
  ASSERT_TRUE(case_file::save(directory / "a", value).ok());
  EXPECT_TRUE(load_case(directory / "a").ok());
}

TEST(CaseFiles, AnInterruptedShrinkIsRecognisable) {
  const Directory directory;
  const std::pair<const char*, const char*> names[] = {{"small.safetensors", "small.partial.safetensors"},
                                                       {"x.case.safetensors", "x.partial.safetensors"},
                                                       {"x.partial.safetensors", "x.partial.safetensors"},
                                                       {"plain", "plain.partial.safetensors"}};
  for (const auto& [name, partial] : names) EXPECT_EQ(partial_path(directory / name), directory / partial);
  EXPECT_EQ(partial_path("/dev/null"), "/dev/null");
  EXPECT_EQ(finished_path("a b/x.partial.safetensors"), "a b/x.case.safetensors");
  EXPECT_EQ(finished_path("x.original.safetensors"), "x.case.safetensors");
  EXPECT_EQ(shrink_line("negzero", "a b/x.partial.safetensors", ""),
            "negzero shrink 'a b/x.partial.safetensors' -o 'a b/x.case.safetensors'");
}

TEST(ReplayLine, SurvivesAShell) {
  EXPECT_EQ(replay_line("./negzero.sh", "findings/a.safetensors", ""), "./negzero.sh replay findings/a.safetensors");
  EXPECT_EQ(replay_line("negzero", "a", "gemm.naive.f32", true), "negzero replay a --kernel gemm.naive.f32");
  for (const std::string path : {"a b", "it's", "$(echo no)", "a;b|c", "\"", "`x`", "*", ""}) {
    // printf repeats its format for every argument: what arrives is one a line.
    const std::string line = replay_line("printf", path, "").replace(0, 13, "printf '%s\\n'");
    FILE* const shell = ::popen(line.c_str(), "r");
    ASSERT_NE(shell, nullptr);
    char text[256] = "";
    (void)!std::fread(text, 1, sizeof text - 1, shell);
    ::pclose(shell);
    EXPECT_EQ(std::string(text), path + "\n") << line;
  }
}

TEST(KernelNames, UnknownOnesSuggestKnownOnes) {
  EXPECT_EQ(*negzero::campaign::kernel_named("good.max"), campaign_test::kernel_named("good.max"));
  const auto unknown = negzero::campaign::kernel_named("good.mac");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "kernel 'good.mac' is not known; the closest is good.max");
  const auto none = kernels_matching({"good.*", "qqqqqqqqqqqqqqqqqqqqqq"});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "no kernel matches 'qqqqqqqqqqqqqqqqqqqqqq'; `negzero list kernels` shows them");
  EXPECT_EQ(kernels_matching({"good.*"})->size(), 2u);
}

}  // namespace
}  // namespace negzero::campaign

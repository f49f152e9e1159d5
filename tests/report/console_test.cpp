// Lines for people: what they must say, and what they must never call a pass.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/report/console.hpp>
#include <negzero/report/json.hpp>

#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Console, AFindingHasTheLineThatWritesItAsCodeAndShortCode) {
  FindingEntry entry{.as_code = "negzero export x", .code = "int main() {\n\n}\n"};
  entry.search.emplace();
  EXPECT_THAT(finding_text(entry),
              HasSubstr("  as code    negzero export x\n             int main() {\n\n             }\n  as found "));
  entry.as_code.clear();
  entry.code.clear();
  EXPECT_THAT(finding_text(entry), Not(HasSubstr("as code")));
}

TEST(CheckText, NamesCountsSeedAndNotes) {
  const std::string text = text_of(check_report("text"));
  EXPECT_THAT(text, HasSubstr("good"));
  EXPECT_THAT(text, HasSubstr("10 cases       10 pass  worst margin 0.750"));
  EXPECT_THAT(text, HasSubstr("1 pass  3 FAIL  2 vacuous  4 refused  11 error"));
  EXPECT_THAT(text, HasSubstr("note: text"));
  EXPECT_THAT(text, HasSubstr("strategies: exact 6, special 25"));
  EXPECT_THAT(text, HasSubstr("2 kernels, 31 cases, seed 18446744073709551615, host executor, 1.2 s: 1 finding"));
  EXPECT_THAT(text, HasSubstr("6.5 % vacuous"));
  EXPECT_THAT(text, HasSubstr("11 errors of ours"));
}

TEST(ReportText, NothingThatItQuotesForgesALine) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  campaign::Finding plain = finding("x"), hostile = finding("x");
  hostile.watched = plain.watched + kHostile;
  hostile.original_path = kHostile;
  EXPECT_EQ(lines(told(hostile)), lines(told(plain)));
  campaign::CheckReport report = check_report("x"), odd = check_report("x");
  for (campaign::KernelReport& kernel : odd.kernels) {
    if (!kernel.note.empty()) kernel.note = kHostile;
    for (std::string& warning : kernel.warned) warning = kHostile;
  }
  EXPECT_EQ(lines(text_of(odd)), lines(text_of(report)));
  EXPECT_EQ(lines(told(item(kHostile, verdict::VerdictKind::Error))), 1);
  EXPECT_EQ(lines(told(item(kHostile, verdict::VerdictKind::Refused))), 1);
  EXPECT_EQ(lines(text_of(replay_report(kHostile))), lines(text_of(replay_report("x"))));
}

TEST(CheckText, SaysWhenNothingWasDecided) {
  campaign::CheckReport report;
  report.kernels.resize(1);
  report.kernels[0].name = "k";
  report.kernels[0].cases = report.kernels[0].vacuous = 5;
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("1 kernel with nothing decided"));
  EXPECT_THAT(text, HasSubstr("warning: nothing was decided in 5 cases (5 vacuous): this is no pass\n"));
  EXPECT_THAT(text_of(check_report("text")), Not(HasSubstr("nothing was decided")));
  EXPECT_THAT(text, HasSubstr("most cases were vacuous"));
  EXPECT_THAT(text, HasSubstr("100.0 % vacuous"));
}

TEST(CheckText, WarnsWhereEverythingWasToBeWatchedAndNothingWas) {
  campaign::CheckReport report;
  report.kernels.resize(1);
  campaign::KernelReport& kernel = report.kernels[0];
  kernel.name = "no.such.kernel";
  kernel.cases = kernel.pass = 5;
  const std::string warning = "warning: --watch always watched no case: the kernel has no watched build\n";
  EXPECT_THAT(text_of(report), Not(HasSubstr("warning")));
  report.watch = campaign::Watch::Always;
  EXPECT_THAT(text_of(report), HasSubstr(warning));
  EXPECT_THAT(json_of(report), HasSubstr("\"unwatched\": \"--watch always watched no case: the kernel has"));
  report.place = kernel::Place::Device;
  EXPECT_THAT(text_of(report), HasSubstr("watched no case: only the host executor can"));
  report.place = kernel::Place::Host;
  kernel.watched = 1;
  EXPECT_THAT(text_of(report), Not(HasSubstr("warning")));
  kernel.watched = kernel.pass = 0;
  kernel.refused = 5;
  EXPECT_THAT(text_of(report), Not(HasSubstr("--watch"))) << "nothing ran";
}

TEST(CheckText, SaysWhenItWasInterrupted) {
  campaign::CheckReport report;
  EXPECT_THAT(text_of(report), Not(HasSubstr("interrupted")));
  report.interrupted = true;
  EXPECT_THAT(text_of(report), HasSubstr("interrupted: what was found until then is saved"));
  report.errors = {base::infrastructure_error("disk full")};
  report.unsaved = true;
  EXPECT_THAT(text_of(report), HasSubstr("not everything could be saved"));
  EXPECT_THAT(text_of(report), Not(HasSubstr("is saved")));
}

TEST(FindingText, SaysWhereItIsAndHowOftenItFails) {
  const std::string text = told(finding("x"));
  EXPECT_THAT(text, HasSubstr("findings/original x (3 failing cases of this cause; shrunk in 17 runs"));
  EXPECT_THAT(text, HasSubstr("fails in 50 % of runs"));
  campaign::Finding unsaved = finding("x");
  unsaved.original_path.clear();
  unsaved.hit_rate = 1;
  EXPECT_THAT(told(unsaved), HasSubstr("not saved"));
  EXPECT_THAT(told(unsaved), Not(HasSubstr("% of runs")));
  unsaved.hit_rate = 0;
  EXPECT_THAT(told(unsaved), HasSubstr("fails in 0 % of runs"));
  unsaved.hit_rate.reset();
  EXPECT_THAT(told(unsaved), Not(HasSubstr("% of runs"))) << "nothing is said that was not counted";
  campaign::Finding partial = finding("x");
  EXPECT_THAT(told(partial), Not(HasSubstr("smaller")));
  partial.cut = "shrinking was interrupted";
  partial.case_path = "findings/k.partial.safetensors";
  EXPECT_THAT(told(partial), HasSubstr("interrupted; to go on: negzero shrink findings/k.partial.safetensors -o "
                                       "findings/k.case.safetensors\n"));
  partial.evaluations = 0;
  EXPECT_THAT(told(partial), Not(HasSubstr("shrunk in")));
  partial.case_path = "";
  EXPECT_THAT(told(partial), HasSubstr("  smaller    shrinking was interrupted\n")) << "no file";
}

TEST(FindingText, PlacesInSourceBeginTheirLines) {
  EXPECT_THAT(told(finding("x")), HasSubstr("\nk.cu:7: wrong_zero_sign\nk.cu:9: wrong_zero_sign, in 2 other cases\n"));
  campaign::ReplayItem replayed = item("x", verdict::VerdictKind::Fail);
  replayed.watched = "write at k.cu:7, and read at k.cuh:8";
  EXPECT_THAT(told(replayed), EndsWith("FAIL x\nk.cu:7: wrong_value\nk.cuh:8: wrong_value\n"));
}

TEST(FindingText, SaysWhereShrinkingCameToAnotherRule) {
  campaign::Finding other = finding("x");
  EXPECT_THAT(told(other), Not(HasSubstr("another cause")));
  other.original_rule = "sum.special";
  EXPECT_THAT(
      told(other),
      HasSubstr("the case as found fails by sum.special, the shrunk one by zero.sign: perhaps another cause\n"));
}

TEST(FindingText, StateIsTheCauseOfWhatWasFound) {
  campaign::Finding state = finding("x");
  state.failure.kind = verdict::FailureClass::Stateful;
  state.failure.rule = "run.state";
  state.original_rule = "sum.exact";
  EXPECT_THAT(told(state), Not(HasSubstr("another cause")));
}

TEST(CheckText, SaysTheFirstWarningAndHowManyThereAre) {
  campaign::CheckReport report = check_report("text");
  EXPECT_THAT(text_of(report), HasSubstr("warning: case 5: a lane (a warning at 3 cases)\n"));
  report.kernels[1].warnings = 1;
  EXPECT_THAT(text_of(report), HasSubstr("warning: case 5: a lane\n"));
  EXPECT_THAT(text_of(report), Not(HasSubstr("a warning at")));
  report.kernels[1].warned.push_back("case 6: another\nlane");
  EXPECT_THAT(text_of(report), HasSubstr("  warning: case 6: another"));
}

TEST(FindingText, SaysWhatAWatchedRunSays) {
  campaign::Finding watched = finding("x");
  EXPECT_THAT(told(watched), HasSubstr("  watched    k.cu:7: thread 1\n"));
  watched.watched.clear();
  EXPECT_THAT(told(watched), Not(HasSubstr("watched")));
}

TEST(ItemText, HasAWordForEveryStatus) {
  const campaign::ReplayReport report = replay_report("text");
  EXPECT_EQ(told(report.items[0]), "ok    text  gemm.naive.f32: pass\n");
  EXPECT_EQ(told(report.items[1]), "ok    text  gemm.naive.f32: fail (wrong_value, sum.exact), as expected\n");
  EXPECT_THAT(told(report.items[2]), StartsWith("FAIL  text  gemm.naive.f32: expected pass, got fail"));
  EXPECT_THAT(told(report.items[2]), HasSubstr("FAIL text")) << "the counterexample";
  EXPECT_EQ(told(report.items[3]), "none  text  gemm.naive.f32: nothing was decided: refused: text\n");
  EXPECT_EQ(told(report.items[4]), "ERROR text  gemm.naive.f32: text\n");
  EXPECT_EQ(told(report.items[5]), "skip  text  gemm.naive.f32: text\n");
}

TEST(ReplayText, CountsEveryStatus) {
  EXPECT_EQ(text_of(replay_report("text")),
            "recorded in text: gemm.naive.f32 on host: fail (hang) by run.hang\n"
            "3 verdicts: 1 pass, 1 FAIL, 1 as expected, 1 case where nothing was decided, 1 skipped, 2 errors\n");
  EXPECT_EQ(text_of(campaign::ReplayReport{}), "nothing was decided\n");
  campaign::ReplayReport one;
  one.items = {replay_report("text").items[2]};
  EXPECT_EQ(text_of(one), "1 verdict: 1 FAIL\n") << "a finding that is still there";
  one.items[0].expected = {"gemm.naive.f32", "host", verdict::VerdictKind::Pass, {}, ""};
  EXPECT_EQ(text_of(one), "1 verdict: 1 not as expected\n");
  one.items[0] = replay_report("text").items[1];
  one.items[0].recorded = true;
  EXPECT_EQ(text_of(one), "1 verdict: 1 to be expected from now on\n");
  EXPECT_EQ(told(one.items[0]), "ok    text  gemm.naive.f32: fail (wrong_value, sum.exact)\n");
  // A case of another operation is silent on its own and counted in the end.
  one.items = {replay_report("text").items[5], replay_report("text").items[5]};
  for (campaign::ReplayItem& item : one.items) item.kernel.clear();
  EXPECT_EQ(told(one.items[0]), "");
  EXPECT_EQ(text_of(one),
            "nothing was decided, 2 cases skipped whose operation none of the kernels asked for implements\n");
}

}  // namespace
}  // namespace negzero::report

// Lines for people: what they must say, and what they must never call a pass.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/report/console.hpp>

#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CheckText, NamesCountsSeedAndNotes) {
  const std::string text = check_text(check_report("text"));
  EXPECT_THAT(text, HasSubstr("good"));
  EXPECT_THAT(text, HasSubstr("10 cases       10 pass  worst margin 0.750"));
  EXPECT_THAT(text, HasSubstr("1 pass  3 FAIL  2 vacuous  4 refused  11 error"));
  EXPECT_THAT(text, HasSubstr("note: text"));
  EXPECT_THAT(text, HasSubstr("strategies: exact 6, special 25"));
  EXPECT_THAT(text, HasSubstr("2 kernels, 31 cases, seed 18446744073709551615, host executor, 1.2 s: 1 finding"));
  EXPECT_THAT(text, HasSubstr("6.5 % vacuous"));
  EXPECT_THAT(text, HasSubstr("11 errors of ours"));
}

TEST(CheckText, SaysWhenNothingWasDecided) {
  campaign::CheckReport report;
  report.kernels.resize(1);
  report.kernels[0].name = "k";
  report.kernels[0].cases = report.kernels[0].vacuous = 5;
  const std::string text = check_text(report);
  EXPECT_THAT(text, HasSubstr("1 kernel with nothing decided"));
  EXPECT_THAT(text, HasSubstr("most cases were vacuous"));
  EXPECT_THAT(text, HasSubstr("100.0 % vacuous"));
}

TEST(CheckText, SaysWhenItWasInterrupted) {
  campaign::CheckReport report;
  EXPECT_THAT(check_text(report), Not(HasSubstr("interrupted")));
  report.interrupted = true;
  EXPECT_THAT(check_text(report), HasSubstr("interrupted: what was found until then is saved"));
}

TEST(FindingText, SaysWhereItIsAndHowOftenItFails) {
  const std::string text = finding_text(finding("x"), "negzero");
  EXPECT_THAT(text, HasSubstr("findings/original x (3 failing cases of this class; shrunk in 17 runs"));
  EXPECT_THAT(text, HasSubstr("fails in 50 % of runs"));
  campaign::Finding unsaved = finding("x");
  unsaved.original_path.clear();
  unsaved.hit_rate = 1;
  EXPECT_THAT(finding_text(unsaved, "negzero"), HasSubstr("not saved"));
  EXPECT_THAT(finding_text(unsaved, "negzero"), Not(HasSubstr("% of runs")));
}

TEST(ItemText, HasAWordForEveryStatus) {
  const campaign::ReplayReport report = replay_report("text");
  EXPECT_EQ(item_text(report.items[0]), "ok    text  gemm.naive.f32: pass\n");
  EXPECT_EQ(item_text(report.items[1]), "ok    text  gemm.naive.f32: fail (wrong_value, sum.exact), as expected\n");
  EXPECT_THAT(item_text(report.items[2]), StartsWith("FAIL  text  gemm.naive.f32: expected pass, got fail"));
  EXPECT_THAT(item_text(report.items[2]), HasSubstr("FAIL text")) << "the counterexample";
  EXPECT_EQ(item_text(report.items[3]), "none  text  gemm.naive.f32: nothing was decided: refused: text\n");
  EXPECT_EQ(item_text(report.items[4]), "ERROR text  gemm.naive.f32: text\n");
  EXPECT_EQ(item_text(report.items[5]), "skip  text  gemm.naive.f32: text\n");
}

TEST(ReplayText, CountsEveryStatus) {
  EXPECT_EQ(replay_text(replay_report("text")),
            "3 verdicts: 2 as expected, 1 not, 1 case where nothing was decided, 1 skipped, 2 errors\n");
  EXPECT_EQ(replay_text({}), "0 verdicts: 0 as expected, 0 not\n");
}

}  // namespace
}  // namespace negzero::report

// JUnit: well-formed for any text, counted as its elements, and nothing that did not pass looks like a pass.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/report/junit.hpp>

#include "markup.hpp"
#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using ::testing::HasSubstr;
using ::testing::Not;

std::string junit_of(const campaign::ReplayReport& report) { return junit(document_of(report, {})); }
std::string junit_of(const campaign::CheckReport& report) { return junit(document_of(report, {})); }

TEST(JUnit, TheCheckerSeesWhatIsWrong) {
  const std::string head = "<?xml version=\"1.0\"?>";
  EXPECT_EQ(defect(head + "<a b=\"c\"><d/></a>\n"), "");
  for (const std::string body : {"<a>", "<a></b>", "<a b=\"<\"/>", "<a>&x;</a>", "<a>\x01</a>", "<a/><b/>", "text<a/>",
                                 "<a>& </a>", "<a b=\"1/>"}) {
    EXPECT_NE(defect(head + body), "") << body;
  }
}

TEST(JUnit, CountsAreThoseOfItsElements) {
  const std::string xml = junit_of(replay_report("text"));
  EXPECT_EQ(defect(xml), "") << xml;
  EXPECT_THAT(xml, HasSubstr("<testsuites tests=\"7\" failures=\"1\" errors=\"2\" skipped=\"2\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"gemm\" tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"2\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"negzero\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">"));
  EXPECT_EQ(count(xml, "<testcase "), 7u);
  EXPECT_EQ(count(xml, "<failure "), 1u);
  EXPECT_EQ(count(xml, "<error "), 2u);
  EXPECT_EQ(count(xml, "<skipped "), 2u);
}

TEST(JUnit, AFailureHoldsTheClaimAndTheCounterexample) {
  campaign::ReplayReport report;
  report.items = {item("x.safetensors", verdict::VerdictKind::Fail)};
  report.items[0].counterexample = "observed <1> & more";
  const std::string xml = junit_of(report);
  EXPECT_THAT(xml, HasSubstr("expected pass, got fail (wrong_value) by sum.exact"));
  EXPECT_THAT(xml, HasSubstr("observed &lt;1&gt; &amp; more</failure>"));
}

TEST(JUnit, NothingUndecidedLooksLikeAPass) {
  for (const auto kind : {verdict::VerdictKind::Vacuous, verdict::VerdictKind::Refused}) {
    campaign::ReplayReport report;
    report.items = {item("x", kind)};
    EXPECT_THAT(junit_of(report), HasSubstr("<skipped message=\"nothing was decided"));
  }
  campaign::ReplayReport passed;
  passed.items = {item("x", verdict::VerdictKind::Pass)};
  EXPECT_THAT(junit_of(passed), Not(HasSubstr("<skipped")));
}

TEST(JUnit, FindingsOfAKernelAreOneFailureWhoseNameStays) {
  campaign::CheckReport report = check_report("text");
  report.kernels[1].findings.push_back(report.kernels[1].findings[0]);
  const std::string xml = junit_of(report);
  EXPECT_EQ(defect(xml), "") << xml;
  EXPECT_EQ(count(xml, "<testcase "), 3u) << "two kernels and an error of ours";
  EXPECT_THAT(xml, HasSubstr("classname=\"gemm.text\" name=\"conformance\"><failure message=\"2 findings; "));
  EXPECT_THAT(xml, HasSubstr("classname=\"good\" name=\"conformance\"></testcase>"));
}

TEST(JUnit, AKernelOfWhichNothingWasDecidedIsSkippedAndOneWithErrorsIsAnError) {
  campaign::CheckReport report;
  report.kernels.resize(2);
  report.kernels[0].cases = report.kernels[0].refused = 3;
  report.kernels[1].cases = report.kernels[1].pass = 3;
  report.kernels[1].error = 1;
  const std::string xml = junit_of(report);
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("nothing was decided in 3 cases"));
}

TEST(JUnit, DifferencesThatAreFindingsAreOneFailure) {
  const std::string permitted = junit(document_of(compare_report("text"), {}, false));
  EXPECT_THAT(permitted, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_EQ(count(permitted, "both contracts permit it"), 0u);
  EXPECT_THAT(junit(document_of(compare_report("text"), {}, true)), HasSubstr("both contracts permit it"));
}

TEST(JUnit, EmptyIsWellFormed) { EXPECT_EQ(defect(junit(Document{})), ""); }

TEST(JUnit, HostileTextIsWellFormed) {
  EXPECT_EQ(defect(junit_of(replay_report(kHostile))), "");
  EXPECT_EQ(defect(junit_of(check_report(kHostile))), "");
}

RC_GTEST_PROP(JUnit, AnyBytesAreWellFormed, (const std::string& bytes)) {
  RC_ASSERT(defect(junit_of(replay_report(bytes))) == "");
  RC_ASSERT(defect(junit_of(check_report(bytes))) == "");
}

}  // namespace
}  // namespace negzero::report

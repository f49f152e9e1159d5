// Accepted findings in every form of a report: listed with reason and link, and neither a pass nor a failure.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/report/console.hpp>
#include <negzero/report/html.hpp>
#include <negzero/report/json.hpp>
#include <negzero/report/junit.hpp>
#include <negzero/report/markdown.hpp>
#include <negzero/report/sarif.hpp>

#include "markup.hpp"
#include "reports.hpp"
#include "sarif_checker.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

campaign::Acceptance acceptance(const std::string& text, std::size_t number) {
  return {.number = number, .reason = "because " + text, .link = "owner/repo#12"};
}

/// A kernel with an accepted finding, two that an accepted crash keeps from a run, and an entry that nothing came of.
campaign::CheckReport accepted_report(const std::string& text) {
  campaign::CheckReport report;
  campaign::KernelReport& kernel = report.kernels.emplace_back();
  kernel.name = "gemm." + text;
  kernel.cases = 10;
  kernel.pass = 7;
  kernel.fail = kernel.accepted = 3;
  kernel.findings = {finding(text)};
  kernel.findings[0].accepted = acceptance(text, 2);
  report.ledger.not_run = {{"not." + text, false, acceptance(text, 3)}, {kernel.name, true, acceptance(text, 4)}};
  report.ledger.stale = {"accepted finding #5 (x." + text + ", hang) did not occur: fixed? remove it from known.json"};
  return report;
}

/// The same with a finding that is not accepted.
campaign::CheckReport mixed_report() {
  campaign::CheckReport report = accepted_report("text");
  campaign::KernelReport& kernel = report.kernels[0];
  kernel.fail = 4;
  kernel.findings.push_back(finding("text"));
  kernel.findings[1].failure.rule = "sum.exact";
  kernel.findings[1].failure.message = "another";
  return report;
}

TEST(Accepted, InText) {
  const campaign::CheckReport report = accepted_report("text");
  EXPECT_THAT(told(report.kernels[0].findings[0]),
              HasSubstr("  accepted   by entry #2: because text (owner/repo#12)\n"));
  EXPECT_THAT(text_of(report),
              AllOf(HasSubstr("3 FAIL  3 accepted"),
                    HasSubstr(": no finding, 1 accepted finding, 1 kernel not run, 1 "
                              "accepted finding that did not occur\n"),
                    HasSubstr("\nnot.text  not run: accepted finding #3: because text (owner/repo#12)\n"),
                    HasSubstr("\ngemm.text  not run watched: accepted finding #4: because text (owner/repo#12)\n")));
  EXPECT_THAT(text_of(mixed_report()), HasSubstr(": 1 finding, 1 accepted finding, "));
  campaign::CheckReport nothing = report;
  nothing.kernels.clear();
  EXPECT_THAT(text_of(nothing), HasSubstr(": nothing was decided, 1 kernel not run, "));
}

TEST(Accepted, InJson) {
  const Json json = Json::parse(json_of(accepted_report("text")));
  const Json entry{{"entry", 2}, {"reason", "because text"}, {"link", "owner/repo#12"}};
  EXPECT_EQ(json["kernels"][0]["accepted"], 3);
  EXPECT_EQ(json["kernels"][0]["findings"][0]["accepted"], entry);
  ASSERT_EQ(json["ledger"]["not_run"].size(), 2u);
  EXPECT_EQ(json["ledger"]["not_run"][0]["kernel"], "not.text");
  EXPECT_EQ(json["ledger"]["not_run"][0]["watched_only"], false);
  EXPECT_EQ(json["ledger"]["not_run"][0]["accepted"]["entry"], 3);
  EXPECT_EQ(json["ledger"]["not_run"][1]["watched_only"], true);
  EXPECT_THAT(json["ledger"]["stale"][0].get<std::string>(), HasSubstr("#5 (x.text, hang) did not occur"));
}

TEST(Accepted, InJUnit) {
  const std::string xml = junit(document_of(accepted_report("text"), {}));
  EXPECT_EQ(defect(xml), "") << xml;
  // The kernel passed but for its accepted finding, which is skipped, as is the kernel that was not run.
  EXPECT_THAT(xml, HasSubstr("<testsuites tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\">"));
  EXPECT_THAT(xml, HasSubstr("classname=\"gemm.text\" name=\"conformance\"></testcase>"));
  EXPECT_THAT(xml, HasSubstr("classname=\"gemm.text\" name=\"conformance: wrong_zero_sign by zero.sign\"><skipped "
                             "message=\"accepted finding #2: because text (owner/repo#12)\"/>"));
  EXPECT_THAT(xml, HasSubstr("classname=\"not.text\" name=\"conformance\"><skipped message=\"not run: accepted "
                             "finding #3: because text (owner/repo#12)\"/>"));
  EXPECT_THAT(xml,
              HasSubstr("name=\"accepted finding #5\"><failure message=\"accepted finding #5 (x.text, hang) did "));
}

TEST(Accepted, AFindingBesideThemIsAFailureInJUnit) {
  const std::string xml = junit(document_of(mixed_report(), {}));
  EXPECT_THAT(xml,
              HasSubstr("name=\"conformance\"><failure message=\"1 finding; wrong_zero_sign by sum.exact: another"));
  EXPECT_EQ(count(xml, "<failure "), 2u);
  EXPECT_EQ(count(xml, "<skipped "), 2u);
}

TEST(Accepted, WhereNoCasePassedJUnitHasNoPass) {
  campaign::CheckReport report = accepted_report("text");
  report.kernels[0].pass = 0;
  const std::string xml = junit(document_of(report, {}));
  EXPECT_THAT(xml, HasSubstr("name=\"conformance\"><skipped message=\"no case passed: "));
}

TEST(Accepted, InSarif) {
  const Json log = Json::parse(sarif(document_of(mixed_report(), {})));
  EXPECT_EQ(sarif_defect(log), "");
  const Json& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["suppressions"],
            Json::array({{{"kind", "external"},
                          {"status", "accepted"},
                          {"justification", "accepted finding #2: because text (owner/repo#12)"}}}));
  EXPECT_EQ(results[1]["suppressions"], Json::array()) << "it is not suppressed";
  Json spoilt = log;
  spoilt["runs"][0]["results"][1].erase("suppressions");
  EXPECT_NE(sarif_defect(spoilt), "") << "the checker sees it";
  const Json without = Json::parse(sarif(document_of(check_report("text"), {})));
  EXPECT_FALSE(without["runs"][0]["results"][0].contains("suppressions"));
}

TEST(Accepted, InHtmlAndMarkdown) {
  const Document document = document_of(accepted_report("text"), {});
  const std::string page = html(document), summary = markdown(document);
  EXPECT_EQ(document.title,
            "negzero check: no finding, 1 accepted finding, 1 kernel not run, 1 accepted finding that did not occur");
  EXPECT_THAT(page, AllOf(HasSubstr("fails as accepted"), Not(HasSubstr(">FAIL<")),
                          HasSubstr("gemm.text: wrong_zero_sign, accepted"),
                          HasSubstr("It is accepted finding #2: because text (owner/repo#12)."),
                          HasSubstr("not run: accepted finding #3"), HasSubstr("not run watched: accepted finding #4"),
                          HasSubstr("accepted finding #5 (x.text, hang) did not occur")));
  EXPECT_THAT(summary, AllOf(HasSubstr("zero.sign &#40;accepted&#41;"), HasSubstr("**Not run**"),
                             HasSubstr("not.text&#58; not run&#58; accepted finding"), HasSubstr("because text"),
                             HasSubstr("did not occur")));
  EXPECT_THAT(html(document_of(mixed_report(), {})), HasSubstr(">FAIL<"));
}

TEST(Accepted, InTheReportsOfASearch) {
  campaign::FuzzReport report;
  campaign::FuzzedKernel& kernel = report.kernels.emplace_back();
  kernel.name = "gemm.text";
  kernel.cases = 10;
  kernel.pass = 7;
  kernel.fail = 3;
  kernel.known_accepted = {{"findings/x.case.safetensors", acceptance("text", 2)}};
  report.ledger.stale = {"accepted finding #5 (x, hang) did not occur: fixed? remove it from known.json"};
  EXPECT_THAT(text_of(report),
              AllOf(HasSubstr("accepted finding #2: because text (owner/repo#12), found before: negzero replay "
                              "findings/x.case.safetensors\n"),
                    HasSubstr(": no finding, 1 accepted finding, 1 accepted finding that did not occur\n")));
  const Json json = Json::parse(json_of(report));
  EXPECT_EQ(json["kernels"][0]["known_accepted"][0]["case"], "findings/x.case.safetensors");
  EXPECT_EQ(json["kernels"][0]["known_accepted"][0]["accepted"]["entry"], 2);
  EXPECT_EQ(json["ledger"]["stale"].size(), 1u);
  EXPECT_THAT(junit(document_of(report, {})), HasSubstr("failures=\"1\" errors=\"0\" skipped=\"0\""));
  kernel.known = {"findings/y.case.safetensors"};
  EXPECT_THAT(junit(document_of(report, {})), HasSubstr("failures=\"2\" errors=\"0\" skipped=\"0\""));
}

TEST(Accepted, HostileTextIsText) {
  const campaign::CheckReport report = accepted_report(kHostile);
  const Document document = document_of(report, {});
  EXPECT_EQ(defect(junit(document)), "");
  EXPECT_EQ(defect(html(document)), "");
  EXPECT_EQ(sarif_defect(Json::parse(sarif(document))), "");
  EXPECT_TRUE(Json::accept(json_of(report)));
  const std::string summary = markdown(document);
  const std::size_t list = summary.find("**Not run**");
  EXPECT_THAT(summary.substr(list, summary.find("<details>") - list), Not(HasSubstr("c<d>")));
  // A line for each of them, whatever they hold.
  const auto lines = [](const std::string& of) {
    const std::string text = text_of(accepted_report(of));
    return count(text.substr(text.find("not run: ")), "\n");
  };
  EXPECT_EQ(lines(kHostile), lines("x"));
}

}  // namespace
}  // namespace negzero::report

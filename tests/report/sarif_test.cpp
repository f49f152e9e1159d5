// SARIF: what the standard requires is there, and of its type; a location is a known one or none.
//
// Sections are those of "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS Standard.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <negzero/report/sarif.hpp>

#include "reports.hpp"
#include "sarif_checker.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using nlohmann::json;
using ::testing::HasSubstr;

Document document(const std::string& text) {
  Invocation invocation;
  invocation.repeat = invocation.version = text;
  Document result = document_of(check_report(text), invocation);
  result.findings[0].places = {
      {{"b.cuh", 3}, "", {}}, {{"a.cu", 7}, "kernels/a b.cu", {}}, {{"a.cu", 9}, "kernels/a b.cu", {}}};
  result.findings[0].registration = {{"a.cu", 40}, "/elsewhere/a.cu", {}};
  return result;
}

json log_of(const Document& document) {
  const std::string text = sarif(document);
  EXPECT_TRUE(json::accept(text)) << text;
  return json::parse(text);
}

TEST(Sarif, ValuesThatAreNotJudgedAreSaidToBe) {
  const json log = log_of(document_of(unjudged_report(), {}));
  EXPECT_EQ(sarif_defect(log), "");
  const json& notification = log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
  EXPECT_EQ(notification["level"], "warning");
  EXPECT_EQ(notification["message"]["text"], "unjudged: values not judged in 10 cases, which is no pass");
}

TEST(Sarif, TheCheckerSeesWhatIsWrong) {
  const json good = log_of(document("text"));
  ASSERT_EQ(sarif_defect(good), "");
  const auto spoilt = [&](const char* pointer, const json& value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    return sarif_defect(bad);
  };
  for (const auto& [pointer, value] : std::vector<std::pair<const char*, json>>{
           {"/version", "2.0.0"},
           {"/runs", json::object()},
           {"/runs/0/tool/driver/name", nullptr},
           {"/runs/0/tool/driver/rules/1/id", "sum.exact"},
           {"/runs/0/results/0/message", json::object()},
           {"/runs/0/results/0/ruleIndex", 0},
           {"/runs/0/results/0/ruleIndex", 1000},
           {"/runs/0/results/0/level", "bad"},
           {"/runs/0/results/0/kind", "pass"},
           {"/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0},
           {"/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", "a b"},
           {"/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uriBaseId", "OTHER"},
           {"/runs/0/invocations/0/executionSuccessful", "yes"},
           {"/runs/0/columnKind", "bytes"}}) {
    EXPECT_NE(spoilt(pointer, value), "") << pointer;
  }
}

TEST(Sarif, IsALogOfEveryCommand) {
  EXPECT_EQ(sarif_defect(log_of(document("text"))), "");
  EXPECT_EQ(sarif_defect(log_of(document_of(compare_report("text"), {}, true))), "");
  EXPECT_EQ(sarif_defect(log_of(document_of(replay_report("text"), {}))), "");
  EXPECT_EQ(sarif_defect(log_of(Document{})), "");
  EXPECT_EQ(log_of(Document{})["runs"][0]["results"], json::array()) << "an empty list says that nothing was found";
}

TEST(Sarif, HasARuleWithItsTextsForEverythingThatCanBeFound) {
  const json log = log_of(document("text"));
  const json& run = log["runs"][0];
  const json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "zero.sign");
  const json& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()];
  EXPECT_EQ(rule["shortDescription"]["text"], "A zero result carries a sign that the contract permits.");
  EXPECT_THAT(rule["fullDescription"]["text"].get<std::string>(), HasSubstr("IEEE 754-2019 6.3"));
  for (const Document& each : {document_of(compare_report("text"), {}, true), document_of(replay_report("text"), {})}) {
    const json results = log_of(each)["runs"][0]["results"];
    EXPECT_FALSE(results.empty());
    for (const json& found : results) EXPECT_TRUE(found.contains("ruleIndex")) << found;
  }
}

TEST(Sarif, TheFirstKnownPlaceIsTheLocation) {
  const json log = log_of(document("text"));
  const json& result = log["runs"][0]["results"][0];
  ASSERT_EQ(result["locations"].size(), 1u);
  const json& physical = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(physical["artifactLocation"], (json{{"uri", "kernels/a%20b.cu"}, {"uriBaseId", "SRCROOT"}}));
  EXPECT_EQ(physical["region"]["startLine"], 7);
  ASSERT_EQ(result["relatedLocations"].size(), 1u);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 9);
}

TEST(Sarif, TheRegistrationIsTheNextBestAndNoPlaceIsBetterThanAWrongOne) {
  Document one = document("text");
  one.findings[0].places.resize(1);
  json log = log_of(one);
  json location = log["runs"][0]["results"][0]["locations"][0];
  EXPECT_EQ(location["physicalLocation"]["artifactLocation"], (json{{"uri", "file:///elsewhere/a.cu"}}));
  EXPECT_EQ(location["physicalLocation"]["region"]["startLine"], 40);
  one.findings[0].registration = {};
  log = log_of(one);
  location = log["runs"][0]["results"][0]["locations"][0];
  EXPECT_FALSE(location.contains("physicalLocation")) << "b.cuh is a name, and no file that is known";
  EXPECT_EQ(location["logicalLocations"][0]["fullyQualifiedName"], "gemm.text");
}

TEST(Sarif, OurErrorsAreNotificationsAndNoSuccess) {
  json log = log_of(document("text"));
  const json& invocation = log["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], "text");
  EXPECT_EQ(log_of(Document{})["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

RC_GTEST_PROP(SarifProperty, AnyBytesAreALog, (const std::string& bytes)) {
  RC_ASSERT(sarif_defect(log_of(document(bytes))) == "");
  RC_ASSERT(sarif_defect(log_of(document_of(replay_report(bytes), {}))) == "");
}

}  // namespace
}  // namespace negzero::report

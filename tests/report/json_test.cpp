// JSON documents: exactly the fields of their schema, and parseable whatever the text holds.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <negzero/report/json.hpp>

#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using Json = nlohmann::json;
using ::testing::UnorderedElementsAre;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items()) result.push_back(key);
  return result;
}

TEST(CheckJson, NamesTheExecutorAndWhatItSkipped) {
  campaign::CheckReport report = check_report("text");
  report.place = kernel::Place::Device;
  report.skipped = {"gemm.host_only"};
  const Json json = Json::parse(json_of(report));
  EXPECT_EQ(json["executor"], "cuda");
  EXPECT_EQ(json["skipped"], Json::array({"gemm.host_only"}));
}

TEST(CheckJson, SaysWhatShareOfLostTermsWouldPass) {
  campaign::CheckReport report = check_report("text");
  report.kernels[1].blind = {{"exact", {0, 1}}, {"normal", {0.5, 1}}};
  const Json json = Json::parse(json_of(report));
  EXPECT_EQ(json["kernels"][0]["blind"], Json());
  EXPECT_EQ(json["kernels"][1]["blind"], 0.25);
  EXPECT_EQ(json["kernels"][1]["blind_by_strategy"], Json({{"exact", 0.0}, {"normal", 0.5}}));
}

TEST(CheckJson, SaysWhereErrorsAreImprobable) {
  campaign::CheckReport report = check_report("text");
  for (int i = 0; i < 20; ++i) report.kernels[1].random_errors.add({i < 8 ? 40.0 : 1.0, 100});
  Json json = Json::parse(json_of(report));
  EXPECT_EQ(json["kernels"][0]["random_errors"], (Json{{"cases", 0}, {"beyond", 0}}));
  EXPECT_EQ(json["kernels"][0]["improbable"], "");
  EXPECT_EQ(json["kernels"][1]["random_errors"], (Json{{"cases", 20}, {"beyond", 8}}));
  EXPECT_EQ(json["kernels"][1]["improbable"], campaign::to_string({64, 20, 8}));
  EXPECT_EQ(json["kernels"][1]["warnings"], 3) << "of cases";
  const std::string text = text_of(report);
  EXPECT_THAT(text, ::testing::HasSubstr("warning: improbable: errors exceed six standard deviations"));
  EXPECT_THAT(text, ::testing::HasSubstr(", 1 kernel with improbable errors"));
}

TEST(CheckJson, HasTheFieldsOfItsSchema) {
  const Json json = Json::parse(json_of(check_report("text")));
  EXPECT_THAT(keys(json), UnorderedElementsAre("version", "seed", "executor", "elapsed_ms", "interrupted", "kernels",
                                               "skipped", "ledger", "errors"));
  EXPECT_EQ(json["ledger"], (Json{{"not_run", Json::array()}, {"stale", Json::array()}}));
  EXPECT_EQ(json["version"], kJsonVersion);
  EXPECT_EQ(json["seed"], ~std::uint64_t{0});
  EXPECT_EQ(json["executor"], "host");
  EXPECT_EQ(json["skipped"], Json::array());
  EXPECT_EQ(json["elapsed_ms"], 1234);
  EXPECT_EQ(json["interrupted"], false);
  EXPECT_EQ(json["errors"], Json::array({"text"}));
  ASSERT_EQ(json["kernels"].size(), 2u);
  const Json& kernel = json["kernels"][1];
  EXPECT_THAT(keys(kernel), UnorderedElementsAre("name", "cases", "pass", "vacuous", "fail", "refused", "error",
                                                 "watched", "too_large", "not_judged", "accepted", "unwatched",
                                                 "decided", "worst_margin", "blind", "blind_by_strategy", "random_errors", "improbable", "note",
                                                 "warning", "warnings", "printed", "strategies", "findings"));
  EXPECT_EQ(kernel["name"], "gemm.text");
  EXPECT_EQ(kernel["cases"], 21);
  EXPECT_EQ(kernel["pass"], 1);
  EXPECT_EQ(kernel["vacuous"], 2);
  EXPECT_EQ(kernel["fail"], 3);
  EXPECT_EQ(kernel["refused"], 4);
  EXPECT_EQ(kernel["error"], 11);
  EXPECT_EQ(kernel["watched"], 12);
  EXPECT_EQ(kernel["decided"], true);
  EXPECT_EQ(kernel["unwatched"], "");
  EXPECT_EQ(kernel["warning"], "case 5: a lane");
  EXPECT_EQ(kernel["warnings"], 3);
  auto warned = check_report("text");
  warned.kernels[1].warned.push_back("case 6: another lane");
  EXPECT_EQ(Json::parse(json_of(warned))["kernels"][1]["more_warnings"], Json::array({"case 6: another lane"}));
  EXPECT_EQ(kernel["strategies"], (Json{{"special", 21}}));
  EXPECT_EQ(json["kernels"][0]["worst_margin"], 0.75);
  const Json unjudged = Json::parse(json_of(unjudged_report()));
  EXPECT_EQ(unjudged["kernels"][0]["worst_margin"], nullptr) << "nothing passed";
  EXPECT_EQ(json["kernels"][0]["findings"], Json::array());
  ASSERT_EQ(kernel["findings"].size(), 1u);
  const Json& finding = kernel["findings"][0];
  EXPECT_THAT(keys(finding),
              UnorderedElementsAre("class", "rule", "message", "permitted_under", "case", "original", "as_code",
                                   "original_rule", "interrupted", "cut", "watched", "hit_rate", "failing_cases",
                                   "also_at", "evaluations", "guessed", "accepted"));
  EXPECT_EQ(kernel["accepted"], 0);
  EXPECT_TRUE(finding["accepted"].is_null());
  EXPECT_EQ(finding["interrupted"], false);
  EXPECT_EQ(finding["cut"], "");
  EXPECT_EQ(finding["watched"], "k.cu:7: thread 1");
  EXPECT_EQ(finding["class"], "wrong_zero_sign");
  EXPECT_EQ(finding["rule"], "zero.sign");
  EXPECT_EQ(finding["message"], "text");
  EXPECT_EQ(finding["case"], "findings/text");
  EXPECT_EQ(finding["original"], "findings/original text");
  EXPECT_EQ(finding["original_rule"], "zero.sign");
  EXPECT_EQ(finding["hit_rate"], 0.5);
  EXPECT_EQ(finding["failing_cases"], 3);
  EXPECT_EQ(finding["evaluations"], 17);
  EXPECT_EQ(finding["also_at"], (Json{{{"place", "k.cu:9"}, {"cases", 2}}}));
}

TEST(CheckJson, ARateThatWasNotCountedIsNull) {
  campaign::CheckReport report = check_report("text");
  report.kernels[1].findings[0].hit_rate.reset();
  EXPECT_TRUE(Json::parse(json_of(report))["kernels"][1]["findings"][0]["hit_rate"].is_null());
  EXPECT_EQ(hit_rate_json(0.0), 0.0);
}

TEST(CheckJson, NoKernelsIsAnEmptyList) {
  const Json json = Json::parse(json_of(campaign::CheckReport{}));
  EXPECT_EQ(json["kernels"], Json::array());
  EXPECT_EQ(json["errors"], Json::array());
}

TEST(ReplayJson, HasTheFieldsOfItsSchema) {
  const Json json = Json::parse(json_of(replay_report("text")));
  EXPECT_THAT(keys(json), UnorderedElementsAre("version", "executor", "interrupted", "results", "recorded", "errors"));
  EXPECT_EQ(json["recorded"], Json::array({{{"case", "text"},
                                            {"kernel", "gemm.naive.f32"},
                                            {"executor", "host"},
                                            {"verdict", "fail"},
                                            {"class", "hang"},
                                            {"rule", "run.hang"}}}));
  ASSERT_EQ(json["results"].size(), 6u);
  std::vector<std::string> statuses;
  for (const Json& result : json["results"]) statuses.push_back(result["status"]);
  EXPECT_EQ(statuses,
            (std::vector<std::string>{"as_expected", "as_expected", "different", "undecided", "error", "skipped"}));
  const Json& failed = json["results"][2];
  EXPECT_THAT(keys(failed), UnorderedElementsAre("case", "operation", "kernel", "verdict", "class", "rule", "message",
                                                 "margin", "expected", "status"));
  EXPECT_EQ(failed["verdict"], "fail");
  EXPECT_EQ(failed["class"], "wrong_value");
  EXPECT_EQ(failed["expected"], "pass");
  EXPECT_EQ(json["results"][1]["expected"], "fail");
  EXPECT_THAT(keys(json["results"][5]), UnorderedElementsAre("case", "operation", "kernel", "skipped", "status"));
  EXPECT_EQ(json["errors"], Json::array({"text"}));
}

TEST(ErrorJson, NamesTheKind) {
  EXPECT_EQ(Json::parse(error_json(base::usage_error("x")))["error"], (Json{{"kind", "usage"}, {"message", "x"}}));
  EXPECT_EQ(Json::parse(error_json(base::infrastructure_error("x")))["error"]["kind"], "infrastructure");
  EXPECT_EQ(Json::parse(error_json({base::ErrorKind::Unavailable, "x"}))["error"]["kind"], "unavailable");
  EXPECT_EQ(Json::parse(error_json(base::undecided_error("x")))["error"]["kind"], "nothing_decided");
}

TEST(Json, HostileTextParses) {
  for (const std::string& text :
       {json_of(check_report(kHostile)), json_of(replay_report(kHostile)), error_json(base::usage_error(kHostile))}) {
    EXPECT_TRUE(Json::accept(text)) << text;
    EXPECT_EQ(text.back(), '\n');
  }
}

RC_GTEST_PROP(Json, AnyBytesParse, (const std::string& bytes)) {
  RC_ASSERT(Json::accept(json_of(check_report(bytes))));
  RC_ASSERT(Json::accept(json_of(replay_report(bytes))));
}

}  // namespace
}  // namespace negzero::report

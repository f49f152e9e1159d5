// The report of a whole campaign: every form of it, whatever text the folder holds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/report/document_parts.hpp>
#include <negzero/report/html.hpp>
#include <negzero/report/junit.hpp>
#include <negzero/report/markdown.hpp>
#include <negzero/report/sarif.hpp>

#include "markup.hpp"
#include "reports.hpp"
#include "sarif_checker.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using campaign::Arm;
using campaign::Arms;
using ::testing::HasSubstr;
using ::testing::Not;

campaign::Survey survey_of(const std::string& text) {
  campaign::Survey survey;
  survey.folder = text;
  campaign::KernelTotal good, bad;
  good.name = "good";
  good.cases = good.pass = 1000;
  good.corpus = 17;
  good.arms = Arms({Arm{.name = "special", .cases = 600, .kept = 6}, Arm{.name = "changed", .cases = 400, .kept = 40}});
  bad.name = "gemm." + text;
  bad.cases = 3;
  bad.fail = 3;
  survey.state.kernels = {good, bad};
  campaign::ShardEntry first{.shard = {1, 2}, .state = {}}, second{.shard = {2, 2}, .state = {}};
  first.state.elapsed_ms = 4000;
  first.state.seed = ~std::uint64_t{0};
  first.state.points = {
      {.elapsed_ms = 4000, .cases = 1000, .features = 50, .code_blocks = 9, .corpus = 17, .findings = 1}};
  first.state.kernels["good"] = good;
  survey.state.shards = {first, second};
  survey.state.points = campaign::together_over_time(survey.state.shards);
  campaign::FoundAgain shrunk, partly, met;
  static_cast<campaign::Finding&>(shrunk) = static_cast<campaign::Finding&>(partly) =
      static_cast<campaign::Finding&>(met) = finding(text);
  shrunk.failing_cases = partly.failing_cases = met.failing_cases = 0;
  shrunk.observations = {observation(text)};
  shrunk.also = {text};
  partly.size = campaign::FoundAgain::Size::Partly;
  partly.cut = "shrinking was cut short";
  met.size = campaign::FoundAgain::Size::AsMet;
  met.unseen = text;
  survey.findings = {shrunk, partly, met};
  survey.errors = {base::usage_error(text)};
  return survey;
}

TEST(Campaign, ThePageHasTheSumsTheTablesAndEachFinding) {
  const std::string page = html(document_of(survey_of("words"), {}));
  EXPECT_EQ(defect(page), "");
  EXPECT_THAT(page, HasSubstr("<h1>negzero campaign: 3 findings</h1>"));
  EXPECT_THAT(page, HasSubstr("<dt>shards</dt><dd>2</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>cases</dt><dd>1003</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>cases a second</dt><dd>250</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>features</dt><dd>50</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>code blocks</dt><dd>9</dd>"));
  EXPECT_THAT(page, Not(HasSubstr("<dt>seed</dt>"))) << "each shard has its own";
  EXPECT_THAT(page, HasSubstr("17 cases in the corpus"));
  EXPECT_EQ(count(page, "<article>"), 3u);
  EXPECT_EQ(count(page, "<figcaption>error in ulps"), 1u);
  EXPECT_THAT(page, HasSubstr("<h3>gemm.words: wrong_zero_sign</h3>"));
  EXPECT_THAT(page, HasSubstr("<h3>gemm.words: wrong_zero_sign, shrunk in part</h3>"));
  EXPECT_THAT(page, HasSubstr("<h3>gemm.words: wrong_zero_sign, as it was met</h3>"));
  EXPECT_THAT(page, HasSubstr("Not seen again: words."));
  EXPECT_THAT(page, HasSubstr("The same cause: words."));
  EXPECT_THAT(page, Not(HasSubstr("0 failing cases")));
  EXPECT_THAT(page, HasSubstr("<polyline"));
  EXPECT_THAT(page, HasSubstr("<tr><td>changed</td><td class=\"number\">400</td><td class=\"number\">40</td><td "
                              "class=\"number\">100.0</td></tr>\n<tr><td>special</td>"))
      << "what paid best comes first";
  EXPECT_THAT(page, HasSubstr("<tr><td>1/2</td><td class=\"number\">18446744073709551615</td>"));
  EXPECT_THAT(page, HasSubstr("<tr><td>2/2</td><td class=\"number\">0</td>")) << "a shard without a case yet";
}

TEST(Campaign, HostileTextStaysText) {
  const campaign::Survey survey = survey_of(kHostile);
  Invocation invocation;
  invocation.command = invocation.repeat = kHostile;
  const Document document = document_of(survey, invocation);
  EXPECT_EQ(defect(html(document)), "");
  EXPECT_EQ(defect(junit(document)), "");
  EXPECT_EQ(sarif_defect(nlohmann::json::parse(sarif(document))), "");
  const auto json = nlohmann::json::parse(json_of(survey));
  EXPECT_EQ(json["findings"].size(), 3u);
  EXPECT_THAT(markdown(document), HasSubstr("3 findings"));
}

TEST(Campaign, TheJsonHasWhatThePageHas) {
  const auto json = nlohmann::json::parse(json_of(survey_of("words")));
  EXPECT_EQ(json["version"], 2);
  EXPECT_EQ(json["folder"], "words");
  EXPECT_EQ(json["elapsed_ms"], 4000);
  EXPECT_EQ(json["cases_a_second"], 250.0);
  EXPECT_EQ(json["shards"][1]["shard"], "2/2");
  EXPECT_EQ(json["kernels"][0]["corpus"], 17);
  EXPECT_EQ(json["kernels"][0]["arms"]["changed"]["kept"], 40);
  EXPECT_EQ(json["findings"][0]["size"], "shrunk");
  EXPECT_EQ(json["findings"][1]["size"], "partly_shrunk");
  EXPECT_EQ(json["findings"][2]["size"], "as_met");
  EXPECT_EQ(json["findings"][2]["unseen"], "words");
  EXPECT_EQ(json["points"][0]["features"], 50);
  EXPECT_EQ(json["points"][0]["code_blocks"], 9);
  EXPECT_EQ(json["code_blocks"], 9);
  EXPECT_EQ(json["shards"][0]["code_blocks"], 9);
  EXPECT_EQ(json["errors"][0], "words");
}

TEST(Campaign, TheTextEndsWithTheSum) {
  const std::string text = text_of(survey_of("words"));
  EXPECT_THAT(text, HasSubstr("kept of cases made: changed 40 of 400, special 6 of 600\n"));
  EXPECT_THAT(text,
              HasSubstr("shard 1/2, seed 18446744073709551615: 1000 cases in 4.0 s, 50 features, 9 code blocks\n"));
  EXPECT_THAT(
      text,
      ::testing::EndsWith(
          "words: 1003 cases in 4.0 s of all shards together, 250 a second, 50 features, 9 code blocks: 3 findings\n"));
  EXPECT_THAT(text, HasSubstr("  warning    words\n"));
  EXPECT_THAT(text, HasSubstr("  also       words\n"));
}

TEST(Campaign, LongTimesAreToldInHours) {
  EXPECT_EQ(long_time(59'999), "60.0 s");
  EXPECT_EQ(long_time(60'000), "1 min 0 s");
  EXPECT_EQ(long_time(3'599'999), "59 min 59 s");
  EXPECT_EQ(long_time(14'700'000), "4 h 5 min");
}

TEST(Campaign, OneWithoutACaseIsNoPass) {
  campaign::Survey survey;
  survey.state.shards.resize(1);
  EXPECT_THAT(text_of(survey), HasSubstr("nothing was decided"));
  EXPECT_EQ(document_of(survey, {}).title, "negzero campaign: nothing was decided");
  EXPECT_EQ(defect(html(document_of(survey, {}))), "");
}

}  // namespace
}  // namespace negzero::report

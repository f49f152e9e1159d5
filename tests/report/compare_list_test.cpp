// Lists of pairs in every form: no pair without a result may look like a pass, whatever text a worker sends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
using campaign::ComparedPair;
using ::testing::HasSubstr;
using ::testing::Not;

ComparedPair pair(const campaign::CompareReport& report) {
  return {.report = report, .error = std::nullopt, .line = 3, .ran = true};
}

/// One pair of each outcome: same bits, differences, all refused, an error, and one that did not run.
campaign::CompareListReport list_report(const std::string& text) {
  campaign::CompareReport same, refused;
  same.first = refused.first = "one@host";
  same.second = refused.second = "three@host";
  same.cases = same.identical = 8;
  refused.cases = refused.refused = 5;
  refused.refusal = text;
  ComparedPair failed = pair(same), waits = pair(same);
  failed.report.cases = failed.report.identical = waits.report.cases = waits.report.identical = 0;
  failed.error = base::infrastructure_error(text);
  failed.ran = waits.ran = false;
  return {.path = text,
          .seed = ~std::uint64_t{0},
          .elapsed_ms = 1234,
          .pairs = {pair(same), pair(compare_report(text)), pair(refused), failed, waits},
          .alone = {{.kernel = "k." + text, .partner = "l." + text, .line = 7}}};
}

TEST(CompareListReport, JsonHasEveryPair) {
  const auto json = nlohmann::json::parse(json_text(document_of(list_report(kHostile), {}, false)));
  ASSERT_EQ(json["pairs"].size(), 5u);
  const char* const outcomes[] = {"identical", "finding", "undecided", "error", "not_run"};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(json["pairs"][i]["outcome"], outcomes[i]);
  const auto differs = json["pairs"][1];
  EXPECT_EQ(differs["identical"], 7);
  EXPECT_EQ(differs["both_permitted"], 1);
  EXPECT_EQ(differs["not_permitted"], 1);
  EXPECT_EQ(differs["differences"].size(), 2u);
  EXPECT_TRUE(json["pairs"][2]["differences"].empty()) << "those of another pair are not its own";
  EXPECT_EQ(json["pairs"][3]["errors"].size(), 1u);
  EXPECT_EQ(json["without_partner"][0]["line"], 7);
  EXPECT_EQ(json["seed"], ~std::uint64_t{0});
}

TEST(CompareListReport, ALineForAPairSaysHowItCameOut) {
  const auto report = list_report("text");
  EXPECT_EQ(pair_line(report.pairs[0], false), "ok    one@host against three@host: 8 cases, 8 bit-identical, 0.0 s\n");
  EXPECT_THAT(pair_line(report.pairs[1], false),
              HasSubstr("FAIL  one@host against two@watched: 10 cases, 7 bit-identical, 1 differ and both contracts "
                        "permit it, 1 differ otherwise"));
  EXPECT_THAT(pair_line(report.pairs[2], false),
              HasSubstr("none  one@host against three@host: 5 cases, 0 bit-identical, 5 refused: nothing was compared "
                        "(text)"));
  EXPECT_EQ(pair_line(report.pairs[3], false), "ERROR one@host against three@host: text\n");
  EXPECT_EQ(pair_line(report.pairs[4], false), "skip  one@host against three@host: not run\n");
  ComparedPair lost = report.pairs[0];
  lost.report.error = 3;
  lost.report.errors = {base::infrastructure_error("no torch\n"), base::infrastructure_error("another")};
  EXPECT_THAT(pair_line(lost, false), HasSubstr("ERROR one@host against three@host: 8 cases, 8 bit-identical, 3 errors "
                                                "(no torch"));
  ComparedPair permitted = report.pairs[1];
  permitted.report.differences.pop_back();
  EXPECT_THAT(pair_line(permitted, false), HasSubstr("ok    one"));
  EXPECT_THAT(pair_line(permitted, true), HasSubstr("FAIL  one"));
}

TEST(CompareListReport, TheTableAndTheSumsNameWhatIsNoPass) {
  const std::string text = console_text(document_of(list_report("text"), {}, false));
  EXPECT_THAT(text, HasSubstr("5 pairs: 1 same bits, 1 FINDING, 1 ERROR, 1 nothing compared, 1 not run, seed "));
  EXPECT_THAT(text, HasSubstr("line 7: k.text has no partner l.text\n"));
  EXPECT_THAT(text, HasSubstr("one@host against two@watched: differ, and both contracts permit it: "));
  campaign::CompareListReport broad = list_report("text");
  broad.alone.assign(22, broad.alone.front());
  EXPECT_THAT(console_text(document_of(broad, {}, false)), HasSubstr("\n2 more have no partner; --json has all\n"));
  const Document document = document_of(list_report("text"), {}, false);
  EXPECT_EQ(document.title, "negzero compare --list text: 1 finding, 3 pairs not decided");
  ASSERT_EQ(document.tables.size(), 1u);
  EXPECT_EQ(document.tables[0].rows[2], (std::vector<std::string>{"one@host against three@host", "nothing compared",
                                                                  "5", "0", "0", "0", "0", "5", "0"}));
}

TEST(CompareListReport, FilesHaveAJudgementAPair) {
  const Document document = document_of(list_report(kHostile), {}, false);
  EXPECT_THAT(junit(document), HasSubstr("<testsuites tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"2\">"));
  for (const std::string& text : {junit(document), html(document)}) EXPECT_EQ(report_test::defect(text), "");
  EXPECT_EQ(sarif_defect(nlohmann::json::parse(sarif(document))), "");
  EXPECT_THAT(markdown(document), HasSubstr("nothing compared"));
  EXPECT_THAT(markdown(document), HasSubstr("</code> | 1 |\n")) << "how many cases differed so";
}

TEST(CompareListReport, APairThatWasInterruptedIsNoPass) {
  campaign::CompareListReport report = list_report("text");
  report.pairs.resize(1);
  report.pairs[0].report.interrupted = report.interrupted = true;
  EXPECT_EQ(pair_line(report.pairs[0], false),
            "skip  one@host against three@host: 8 cases, 8 bit-identical, 0.0 s, interrupted\n");
  const Document document = document_of(report, {}, false);
  EXPECT_THAT(junit(document), HasSubstr("<testsuites tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\">"));
  EXPECT_THAT(junit(document), HasSubstr("interrupted after 8 cases"));
  EXPECT_THAT(console_text(document), HasSubstr("1 pair: 1 interrupted, seed "));
}

}  // namespace
}  // namespace negzero::report

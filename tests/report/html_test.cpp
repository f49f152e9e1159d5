// The page: well-formed and closed in itself whatever it is made of, and nothing of what it must say is missing.

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/report/html.hpp>
#include <negzero/report/over_time.hpp>

#include "markup.hpp"
#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using ::testing::HasSubstr;
using ::testing::Not;

/// A document of everything that there can be in one.
Document full(const std::string& text) {
  campaign::CheckReport report = check_report(text);
  report.kernels[1].margins["special"][2] = {.cases = 4, .fail = 1, .margin = 0.5, .index = 7, .shape = text};
  report.kernels[1].findings[0].observations = {observation(text)};
  Invocation invocation;
  invocation.repeat = invocation.version = invocation.written = invocation.command = text;
  Document document = document_of(report, invocation);
  document.findings[0].places = {{{text, 7}, text, {{6, text}, {7, text}}}};
  document.findings[0].registration = {{text, 8}, text, {}};
  document.findings[0].case_text = text;
  document.over_time = {{}, {.elapsed_ms = 1000, .cases = 50, .features = 20, .findings = 1}};
  document.interrupted = true;
  return document;
}

/// Documents of every command.
std::vector<Document> documents(const std::string& text) {
  Document replayed = document_of(replay_report(text), {});
  replayed.findings[0].observations = {observation(text)};
  return {full(text), document_of(compare_report(text), {}, true), replayed, Document{}};
}

TEST(Html, IsWellFormed) {
  for (const Document& document : documents("text")) EXPECT_EQ(defect(html(document)), "") << html(document);
}

TEST(Html, ValuesThatAreNotJudgedHaveNoMargin) {
  const std::string page = html(document_of(unjudged_report(), {}));
  EXPECT_THAT(page, HasSubstr("unjudged"));
  EXPECT_THAT(page, Not(HasSubstr("Worst margins")));
  EXPECT_THAT(page, Not(HasSubstr("0.000")));
}

TEST(Html, HostileTextIsText) {
  for (const Document& document : documents(kHostile + "<script>x</script><img src=x onerror=y>")) {
    const std::string page = html(document);
    EXPECT_EQ(defect(page), "");
    EXPECT_EQ(count(page, "<script"), 0u);
    EXPECT_EQ(count(page, "<img"), 0u);
  }
}

RC_GTEST_PROP(HtmlProperty, AnyBytesAreWellFormed, (const std::string& bytes)) {
  for (const Document& document : documents(bytes)) RC_ASSERT(defect(html(document)) == "");
}

TEST(Html, AsksNothingOfAnyPlace) {
  for (const Document& document : documents("text")) {
    const std::string page = html(document);
    for (const std::string part : {"http:", "https:", "src=", "href=", "url(", "@import", "<link", "<script", "<iframe",
                                   "<object", "<form", "xlink"}) {
      EXPECT_EQ(count(page, part), 0u) << part;
    }
    EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
  }
}

TEST(Html, HasEverythingOfAFinding) {
  const std::string page = html(full("words"));
  for (const std::string part :
       {"gemm.words", "wrong_zero_sign", "zero.sign: A zero result carries a sign that the contract permits.",
        "IEEE 754-2019 6.3", "k.cu:7: thread 1", "findings/words", "3 failing cases of this cause",
        "Fails in 50 % of runs", "<code>words:7</code>", "    7  words", "observed: words F32[2, 3]", "exact result",
        "error in ulps", "Too large to be drawn: words", "Over time", "Interrupted", "18446744073709551615"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(Html, TheKernelIsNamedWhereNoLineIs) {
  Document document = full("words");
  document.findings[0].places.clear();
  EXPECT_THAT(html(document), HasSubstr("No line is named; the kernel is registered at <code>words:8</code>"));
  document.findings[0].registration = {};
  EXPECT_THAT(html(document), Not(HasSubstr("In source")));
}

TEST(Html, WorstMarginsHaveTheirShape) {
  const std::string page = html(full("words"));
  EXPECT_THAT(page, HasSubstr("<b>0.500</b><small>case 7: words</small><small>4 cases, "));
  EXPECT_THAT(page, HasSubstr("1 failing"));
}

TEST(Html, SectionsWithoutContentAreLeftOut) {
  const std::string page = html(Document{});
  EXPECT_EQ(count(page, "<h2>"), 0u) << page;
  EXPECT_EQ(count(page, "<article>"), 0u);
  EXPECT_THAT(html(full("x")), HasSubstr("<h2>Over time</h2>"));
  campaign::CheckReport clean;
  clean.kernels.resize(1);
  EXPECT_THAT(html(document_of(clean, {})), Not(HasSubstr("<h2>Over time</h2>")));
}

TEST(Html, ManyFindingsAreAllThere) {
  Document document = full("x");
  document.findings.resize(200, document.findings[0]);
  const std::string page = html(document);
  EXPECT_EQ(count(page, "<article>"), 200u);
  EXPECT_EQ(defect(page), "");
}

TEST(Html, AReplayListsWhatDidNotPass) {
  const std::string page = html(document_of(replay_report("x.safetensors"), {}));
  EXPECT_THAT(page, HasSubstr("2 as expected"));
  EXPECT_EQ(count(page, "<td>failed</td>"), 1u);
  EXPECT_EQ(count(page, "<td>error</td>"), 2u) << "a case, and a file";
  EXPECT_EQ(count(page, "<td>skipped</td>"), 2u);
}

TEST(OverTime, IsALineWithAMarkForEachFinding) {
  std::vector<campaign::FuzzPoint> points;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t findings = i < 100 ? 0 : i < 4000 ? 1 : 3;
    points.push_back({.elapsed_ms = i * 10, .cases = i, .features = i / 2, .findings = findings});
  }
  const std::string section = over_time_section(points);
  EXPECT_EQ(count(section, "<circle "), 2u) << "two findings of one moment are one mark";
  EXPECT_EQ(count(section, "<tr>"), 13u) << "a heading and 12 rows";
  EXPECT_THAT(section, HasSubstr("50.0 s"));
  EXPECT_LT(section.size(), 30000u) << "however many points there are";
  EXPECT_EQ(defect("<?xml version=\"1.0\"?><a>" + section + "</a>"), "");
}

TEST(OverTime, OnePointAtTheStartIsDrawn) {
  const std::string section = over_time_section({{}});
  EXPECT_EQ(count(section, "nan"), 0u);
  EXPECT_EQ(count(section, "<tr>"), 2u);
  EXPECT_EQ(over_time_section({}), "");
}

}  // namespace
}  // namespace negzero::report

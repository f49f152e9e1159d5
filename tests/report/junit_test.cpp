// JUnit: well-formed for any text, counted as its elements, and nothing that did not pass looks like a pass.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/report/junit.hpp>

#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using ::testing::HasSubstr;
using ::testing::Not;

/// What is wrong with an XML document, or nothing: a checker for the part of XML that a report needs, written apart
/// from the writer. Elements nest, attributes are quoted, no < or bare & in text, only characters that XML 1.0 allows.
std::string defect(const std::string& xml) {
  std::vector<std::string> open;
  const auto text_defect = [](std::string_view text) -> std::string {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c == '<') return "a bare <";
      if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') return "a character that XML forbids";
      if (c >= 0x7f) return "a byte outside ASCII";
      if (c != '&') continue;
      const std::size_t end = text.find(';', i);
      if (end == std::string_view::npos) return "an entity without end";
      const std::string_view entity = text.substr(i + 1, end - i - 1);
      const bool known = entity == "amp" || entity == "lt" || entity == "gt" || entity == "quot" || entity == "#10";
      if (!known) return "an unknown entity";
    }
    return "";
  };
  std::size_t at = xml.find("?>");
  if (!xml.starts_with("<?xml ") || at == std::string::npos) return "no declaration";
  at += 2;
  bool root = false;
  while (at < xml.size()) {
    const std::size_t tag = xml.find('<', at);
    const std::string_view text = std::string_view(xml).substr(at, tag == std::string::npos ? tag : tag - at);
    if (const std::string wrong = text_defect(text); !wrong.empty()) return wrong;
    if (open.empty() && text.find_first_not_of(" \n") != std::string_view::npos) return "text outside the root";
    if (tag == std::string::npos) break;
    // The end of the tag is the first > outside quotes.
    std::size_t end = tag;
    bool quoted = false;
    for (; end < xml.size() && (quoted || xml[end] != '>'); ++end) quoted = quoted != (xml[end] == '"');
    if (end == xml.size()) return "a tag without end";
    std::string inside = xml.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1)) return "a wrong closing tag: " + inside;
      open.pop_back();
      continue;
    }
    const bool empty = inside.ends_with('/');
    if (empty) inside.pop_back();
    const std::string name = inside.substr(0, inside.find(' '));
    if (open.empty() && std::exchange(root, true)) return "two roots";
    for (std::size_t quote = inside.find('"'); quote != std::string::npos;) {
      const std::size_t close = inside.find('"', quote + 1);
      if (inside[quote - 1] != '=' || close == std::string::npos) return "an attribute without value";
      if (const std::string wrong = text_defect(inside.substr(quote + 1, close - quote - 1)); !wrong.empty())
        return wrong;
      quote = inside.find('"', close + 1);
    }
    if (!empty) open.push_back(name);
  }
  return open.empty() ? "" : "an element without end: " + open.back();
}

std::size_t count(const std::string& xml, const std::string& part) {
  std::size_t result = 0;
  for (std::size_t at = xml.find(part); at != std::string::npos; at = xml.find(part, at + 1)) ++result;
  return result;
}

TEST(JUnit, TheCheckerSeesWhatIsWrong) {
  const std::string head = "<?xml version=\"1.0\"?>";
  EXPECT_EQ(defect(head + "<a b=\"c\"><d/></a>\n"), "");
  for (const std::string body : {"<a>", "<a></b>", "<a b=\"<\"/>", "<a>&x;</a>", "<a>\x01</a>", "<a/><b/>", "text<a/>",
                                 "<a>& </a>", "<a b=\"1/>"}) {
    EXPECT_NE(defect(head + body), "") << body;
  }
}

TEST(JUnit, CountsAreThoseOfItsElements) {
  const std::string xml = junit(replay_report("text"));
  EXPECT_EQ(defect(xml), "") << xml;
  EXPECT_THAT(xml, HasSubstr("<testsuites tests=\"7\" failures=\"1\" errors=\"2\" skipped=\"2\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"gemm\" tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"2\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"files\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">"));
  EXPECT_EQ(count(xml, "<testcase "), 7u);
  EXPECT_EQ(count(xml, "<failure "), 1u);
  EXPECT_EQ(count(xml, "<error "), 2u);
  EXPECT_EQ(count(xml, "<skipped "), 2u);
}

TEST(JUnit, AFailureHoldsTheClaimAndTheCounterexample) {
  campaign::ReplayReport report;
  report.items = {item("x.safetensors", operation::VerdictKind::Fail)};
  report.items[0].counterexample = "observed <1> & more";
  const std::string xml = junit(report);
  EXPECT_THAT(xml, HasSubstr("expected pass, got fail (wrong_value) by sum.exact"));
  EXPECT_THAT(xml, HasSubstr("observed &lt;1&gt; &amp; more</failure>"));
}

TEST(JUnit, NothingUndecidedLooksLikeAPass) {
  for (const auto kind : {operation::VerdictKind::Vacuous, operation::VerdictKind::Refused}) {
    campaign::ReplayReport report;
    report.items = {item("x", kind)};
    EXPECT_THAT(junit(report), HasSubstr("<skipped message=\"nothing was decided"));
  }
  campaign::ReplayReport passed;
  passed.items = {item("x", operation::VerdictKind::Pass)};
  EXPECT_THAT(junit(passed), Not(HasSubstr("<skipped")));
}

TEST(JUnit, EmptyIsWellFormed) { EXPECT_EQ(defect(junit({})), ""); }

TEST(JUnit, HostileTextIsWellFormed) { EXPECT_EQ(defect(junit(replay_report(kHostile))), ""); }

RC_GTEST_PROP(JUnit, AnyBytesAreWellFormed, (const std::string& bytes)) {
  RC_ASSERT(defect(junit(replay_report(bytes))) == "");
}

}  // namespace
}  // namespace negzero::report

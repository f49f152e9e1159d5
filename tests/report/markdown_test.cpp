// The summary for a pull request: short, and no text of a stranger has a meaning in it.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/report/markdown.hpp>

#include "markup.hpp"
#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// What stands outside blocks and code elements: there, characters have a meaning.
std::string outside_code(const std::string& text) {
  std::string result;
  std::string fence;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    std::string line = text.substr(at, end + 1 - at);
    at = end + 1;
    const std::string ticks = line.substr(0, line.find_first_not_of('`'));
    if (fence.empty() && ticks.size() >= 3) {
      fence = ticks;
    } else if (!fence.empty()) {
      if (line == fence + "\n") fence.clear();
    } else {
      for (std::size_t code = line.find("<code>"); code != std::string::npos; code = line.find("<code>")) {
        const std::size_t close = line.find("</code>", code);
        if (close == std::string::npos) return "a code element without end: " + line;
        line.erase(code, close + 7 - code);
      }
      result += line;
    }
  }
  return fence.empty() ? result : "a block without end";
}

std::string of(const std::string& text) {
  Invocation invocation;
  invocation.repeat = invocation.command = text;
  return markdown(document_of(check_report(text), invocation));
}

TEST(Markdown, HasTheKernelsThatFailedAndEachFindingFolded) {
  const std::string text = of("words");
  EXPECT_THAT(text, StartsWith("### <code>negzero check&#58; 1 finding</code>\n"));
  EXPECT_THAT(text, HasSubstr("| <code>gemm.words</code> | <code>wrong&#95;zero&#95;sign by zero.sign</code> |"));
  EXPECT_THAT(text,
              HasSubstr("<details>\n<summary><code>gemm.words&#58; wrong&#95;zero&#95;sign</code></summary>\n\n```"));
  EXPECT_THAT(text, HasSubstr("words replay findings/words\n"));
  EXPECT_THAT(text, HasSubstr("**Errors**\n\n- <code>words</code>"));
  EXPECT_THAT(text, Not(HasSubstr("good")));
}

TEST(Markdown, ACleanRunIsShort) {
  campaign::CheckReport clean;
  clean.kernels.resize(1);
  clean.kernels[0].cases = clean.kernels[0].pass = 10;
  const std::string text = markdown(document_of(clean, {}));
  EXPECT_THAT(text, HasSubstr("no finding"));
  EXPECT_THAT(text, Not(HasSubstr("|")));
  EXPECT_LT(text.size(), 600u);
  EXPECT_THAT(markdown(Document{}), Not(HasSubstr("<details>")));
}

TEST(Markdown, NothingDecidedIsNoPass) {
  EXPECT_THAT(markdown(document_of(campaign::CheckReport{}, {})), HasSubstr("nothing was decided"));
}

TEST(Markdown, HostileTextStandsInCodeAlone) {
  const std::string hostile = "</code></summary></details>\n```\n# x\n@someone #1 [a](http://b) | <b> `";
  const std::string other = outside_code(of("words"));
  EXPECT_EQ(outside_code(of(hostile)), other) << of(hostile);
}

RC_GTEST_PROP(MarkdownProperty, AnyBytesStandInCodeAlone, ()) {
  const std::string text = *rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::element('`', '\n', '<', '/', '|', '@', '#', 'c', '\xff', '\r', '\0')));
  RC_ASSERT(outside_code(of(text)) == outside_code(of("words")));
}

TEST(Markdown, HasRoomInAComment) {
  Document document = document_of(check_report(kHostile), {});
  document.findings[0].counterexample = std::string(100000, '`') + "\nsecond line";
  document.findings.resize(500, document.findings[0]);
  for (std::size_t i = 0; i < document.findings.size(); ++i)
    document.findings[i].kernel += std::to_string(i) + kHostile;
  document.errors.resize(500, std::string(10000, '_'));
  document.invocation.repeat = std::string(100000, 'x');
  const std::string text = markdown(document);
  EXPECT_LE(text.size(), kMostMarkdownBytes);
  EXPECT_THAT(text, HasSubstr("more findings left out here"));
  EXPECT_THAT(text, HasSubstr("460 more failed."));
  EXPECT_THAT(text, HasSubstr("480 more."));
}

}  // namespace
}  // namespace negzero::report

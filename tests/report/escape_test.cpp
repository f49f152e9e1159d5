// Text of strangers: nothing of it is markup, and what is not ASCII arrives all the same.

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/report/escape.hpp>

#include "markup.hpp"

namespace negzero::report {
namespace {

TEST(Escape, MarkupIsText) {
  EXPECT_EQ(escape_markup("<a b=\"c\" d='e'>&amp;"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
  EXPECT_EQ(escape_markup("plain {} %s \\"), "plain {} %s \\");
}

TEST(Escape, WhatIsNotAsciiIsAReference) {
  EXPECT_EQ(escape_markup("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "&#233; &#8364; &#128512;");
}

TEST(Escape, WhatNoDocumentMayHoldIsReplaced) {
  EXPECT_EQ(escape_markup(std::string_view("\0\x01\x1b\x7f\r", 5)), "?????");
  EXPECT_EQ(escape_markup("\xff\xc3"), "??") << "no UTF-8";
  EXPECT_EQ(escape_markup("\xef\xbf\xbf"), "?") << "U+FFFF is no character of XML";
  EXPECT_EQ(escape_markup("\xe2\x80\xae"), "?") << "U+202E turns the text around";
  EXPECT_EQ(escape_markup("a\tb\nc"), "a b&#10;c");
}

RC_GTEST_PROP(EscapeProperty, AnyBytesAreTextOfADocument, (const std::string& bytes)) {
  RC_ASSERT(report_test::defect("<?xml version=\"1.0\"?><a b=\"" + escape_markup(bytes) + "\">" + escape_markup(bytes) +
                                "</a>") == "");
}

TEST(Escape, MarkdownInALineHasNoMeaning) {
  EXPECT_EQ(markdown_code("a_b"), "<code>a&#95;b</code>");
  const std::string all = markdown_code("|`*_[]()<>!@#&\\~$-+=:\"'\n");
  for (const char c : std::string("|`*_[]()!@\\~$\"'\n")) {
    EXPECT_EQ(all.substr(6, all.size() - 13).find(c), std::string::npos) << c;
  }
  EXPECT_EQ(report_test::count(all, "<"), 2u) << all;
}

TEST(Escape, NothingEndsABlockOfMarkdownBeforeItsEnd) {
  EXPECT_EQ(markdown_block("a"), "```text\na\n```\n");
  EXPECT_EQ(markdown_block("x\n```\ny\n"), "````text\nx\n```\ny\n````\n");
  EXPECT_EQ(markdown_block("`````"), "``````text\n`````\n``````\n");
}

RC_GTEST_PROP(EscapeProperty, ABlockEndsWhereItsFenceIs, ()) {
  const std::string text = *rc::gen::container<std::string>(rc::gen::element('`', '\n', 'a', '\r', ' '));
  const std::string block = markdown_block(text);
  const std::string fence = block.substr(0, block.find("text"));
  RC_ASSERT(block.ends_with("\n" + fence + "\n"));
  RC_ASSERT(report_test::count(block, fence) == 2u);
}

TEST(Escape, PathsAreReferences) {
  EXPECT_EQ(uri_path("kernels/gemm/a_b-c.1~.cu"), "kernels/gemm/a_b-c.1~.cu");
  EXPECT_EQ(uri_path("a b/c:d%#?\xc3\xa9"), "a%20b/c%3Ad%25%23%3F%C3%A9");
}

}  // namespace
}  // namespace negzero::report

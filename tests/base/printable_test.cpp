// Text from strangers on its way to a terminal: what stays, what goes, and what a JSON document makes of it.

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/base/printable.hpp>

namespace negzero::base {
namespace {

TEST(Printable, KeepsTextAndDropsWhatATerminalObeys) {
  EXPECT_EQ(printable("plain, \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n"),
            "plain, \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n");
  EXPECT_EQ(printable("a\x1b[31mb\tc\rd\x7f"
                      "e\b"),
            "a?[31mb?c?d?e?");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m")
      << "a control sequence of one character";
  EXPECT_EQ(printable("\x9b"
                      "31m\xff"),
            "?31m?")
      << "no UTF-8";
  EXPECT_EQ(printable("safe\xe2\x80\xaegnp"), "safe?gnp") << "text from right to left";
  EXPECT_EQ(printable("a\xe2\x80\xa8"
                      "b"),
            "a?b")
      << "a separator of lines";
  EXPECT_EQ(printable("\xc0\x8a|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82"), "??|???|????|??") << "no UTF-8";
  EXPECT_EQ(printable("a\x01", ' '), "a ");
  EXPECT_EQ(one_line("ok\nforged"), "ok?forged");
}

TEST(Printable, WhatIsQuotedEndsWhereItsQuoteEnds) {
  EXPECT_EQ(quoted("plain \xc3\xa9", 20), "\"plain \xc3\xa9\"");
  EXPECT_EQ(quoted("", 20), "\"\"");
  EXPECT_EQ(quoted("a\"; verdict: pass \\\n::error::", 40), R"("a\"; verdict: pass \\\n::error::")");
  EXPECT_EQ(quoted("\x1b[2J\xc2\x9b\xff\xe2\x80\xae", 20), R"("\x1b[2J\xc2\x9b\xff\xe2\x80\xae")");
  EXPECT_EQ(quoted("abcd", 4), "\"abcd\"");
  EXPECT_EQ(quoted("abcde", 4), "\"abcd\" ...");
  EXPECT_EQ(quoted("abc\xc3\xa9", 4), "\"abc\" ...") << "no half of a character";
}

TEST(Printable, ADocumentSaysTheSame) {
  EXPECT_EQ(printable_json("{\n  \"a\": \"\x7f \xc2\x9b \xe2\x80\xae \xc3\xa9\"\n}\n"),
            "{\n  \"a\": \"\\u007f \\u009b \\u202e \xc3\xa9\"\n}\n");
}

RC_GTEST_PROP(Printable, NothingThatATerminalObeysIsLeft, (const std::string& text)) {
  const std::string clean = one_line(text);
  RC_ASSERT(one_line(clean) == clean);
  RC_ASSERT(clean.size() <= text.size());
  for (std::string_view rest = clean; !rest.empty();) {
    const Character next = first_character(rest);
    RC_ASSERT(next.code != Character::kNone && !is_obeyed(next.code));
    rest.remove_prefix(next.size_bytes);
  }
}

}  // namespace
}  // namespace negzero::base

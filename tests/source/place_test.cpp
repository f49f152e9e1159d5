// Lines and columns, and the messages of two compilers.

#include <gtest/gtest.h>

#include <negzero/source/place.hpp>

namespace negzero::source {
namespace {

TEST(Places, CountFromOne) {
  const std::string_view text = "ab\n\ncd";
  EXPECT_EQ(place_of(text, 0), (Place{1, 1}));
  EXPECT_EQ(place_of(text, 2), (Place{1, 3}));
  EXPECT_EQ(place_of(text, 3), (Place{2, 1}));
  EXPECT_EQ(place_of(text, 5), (Place{3, 2}));
  for (std::size_t at = 0; at <= text.size(); ++at) EXPECT_EQ(character_of(text, place_of(text, at)), at);
}

TEST(Places, BeyondALineAreItsEnd) {
  EXPECT_EQ(character_of("ab\ncd", {1, 9}), 2u);
  EXPECT_EQ(character_of("ab\ncd", {7, 1}), 5u);
  EXPECT_EQ(character_of("ab\ncd", {2, 0}), 3u);
  EXPECT_EQ(line_of("ab\ncd\n", 2), "cd");
  EXPECT_EQ(line_of("ab\ncd\n", 9), "");
}

TEST(Messages, OfGcc) {
  const auto messages = messages_in(
      "In file included from /c/glue.cpp:1:\n"
      "/a b/x.cu: In instantiation of 'void f(T) [with T = int]':\n"
      "/a b/x.cu:9:12:   required from here\n"
      "/a b/x.cu:3:7: error: 'y' was not declared in this scope\n"
      "    3 |   y = 1;\n"
      "/a b/x.cu:3:7: warning: unused\n"
      "/a b/x.cu:3:7: note: suggested alternative\n"
      "/a b/x.cu:1:10: fatal error: q.h: No such file or directory\n");
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0].kind, Message::Kind::Context);
  EXPECT_EQ(messages[0].place, (Place{9, 12}));
  EXPECT_EQ(messages[1].kind, Message::Kind::Error);
  EXPECT_EQ(messages[1].file, "/a b/x.cu");
  EXPECT_EQ(messages[1].text, "'y' was not declared in this scope");
  EXPECT_EQ(messages[2].kind, Message::Kind::Note);
  EXPECT_EQ(messages[3].text, "q.h: No such file or directory");
}

TEST(Messages, OfClang) {
  const auto messages = messages_in(
      "/x.cu:3:7: error: use of undeclared identifier 'y'\n"
      "/x.cu:9:12: note: in instantiation of function template specialization 'f<int>' requested here\n"
      "1 error generated.\n");
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].kind, Message::Kind::Error);
  EXPECT_EQ(messages[1].kind, Message::Kind::Context);
  EXPECT_EQ(messages[1].place, (Place{9, 12}));
}

TEST(Messages, OfTheAssembler) {
  const auto messages =
      messages_in("/x.cu: Assembler messages:\n/x.cu:50: Error: no such instruction: `mov.u32 %edx'\n");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].place, (Place{50, 0}));
  EXPECT_EQ(messages[0].kind, Message::Kind::Error);
  EXPECT_EQ(messages[0].text, "inline PTX is not on the host: no such instruction: `mov.u32 %edx'");
}

TEST(Messages, OfConstraintsThatOnlyPtxHas) {
  for (const char* text : {"impossible constraint in ‘asm’", "impossible constraint in 'asm'",
                           "output constraint 0 must specify a single register",
                           "invalid output constraint '=l' in asm", "invalid instruction mnemonic 'mov.u32'"}) {
    const auto messages = messages_in("/x.cu:3:7: error: " + std::string(text) + "\n");
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].text, "inline PTX is not on the host: " + std::string(text));
  }
}

TEST(Messages, OtherLinesAreNone) {
  EXPECT_TRUE(messages_in("").empty());
  EXPECT_TRUE(messages_in("ld: error\nmake: 3: 4\n/x:y:z: error: no\n:1:2").empty());
}

}  // namespace
}  // namespace negzero::source

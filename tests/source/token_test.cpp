// Tokens of CUDA text: forms that went wrong once, and what holds for any bytes.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {
namespace {

using ::testing::ElementsAre;

/// The tokens but space.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (const Token& token : tokens_of(text)) {
    if (token.kind != TokenKind::Space) result.emplace_back(token.text);
  }
  return result;
}

std::string joined(std::string_view text) {
  std::string result;
  for (const Token& token : tokens_of(text)) result += token.text;
  return result;
}

TEST(Tokens, OfALaunch) {
  EXPECT_THAT(words("k<float, 4><<<grid, 32>>>(x);"),
              ElementsAre("k", "<", "float", ",", "4", ">", "<<<", "grid", ",", "32", ">>>", "(", "x", ")", ";"));
  EXPECT_THAT(words("a::b->c>>2"), ElementsAre("a", "::", "b", "->", "c", ">", ">", "2"));
}

TEST(Tokens, OfNumbers) {
  EXPECT_THAT(words("1e-5f+.5 0x1p+3 1'000'000ull 1..2 3.f-x"),
              ElementsAre("1e-5f", "+", ".5", "0x1p+3", "1'000'000ull", "1..2", "3.f", "-", "x"));
}

TEST(Tokens, OfLiterals) {
  EXPECT_THAT(words(R"x(f("a\"b", '\'', u8"<<<", L'x'))x"),
              ElementsAre("f", "(", R"("a\"b")", ",", R"('\'')", ",", "u8\"<<<\"", ",", "L'x'", ")"));
  EXPECT_THAT(words("R\"(a)\" b\")\" uR\"x(>>>)\"\n)x\";"),
              ElementsAre("R\"(a)\"", "b", "\")\"", "uR\"x(>>>)\"\n)x\"", ";"));
  EXPECT_THAT(words("Ru8\"a\""), ElementsAre("Ru8", "\"a\"")) << "no prefix";
  EXPECT_THAT(words("\"a\nb"), ElementsAre("\"a", "b")) << "an unfinished string ends with its line";
  EXPECT_THAT(words("R\"(a\nb"), ElementsAre("R\"(a\nb"));
}

TEST(Tokens, CommentsAreSpace) {
  EXPECT_THAT(words("a // <<<\\\n still\nb /* \" */ c /* open"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words("\"/*\" a \"*/\""), ElementsAre("\"/*\"", "a", "\"*/\""));
}

/// The words of directives.
std::vector<std::string> directives(std::string_view text) {
  std::vector<std::string> result;
  for (const Token& token : tokens_of(text)) {
    if (token.is_directive && token.kind != TokenKind::Space) result.emplace_back(token.text);
  }
  return result;
}

TEST(Tokens, DirectivesEndWithTheirLine) {
  EXPECT_THAT(directives("a\n # define A b \\\n c\nd"), ElementsAre("#", "define", "A", "b", "c"));
  EXPECT_THAT(directives("a # b"), ElementsAre()) << "a # that begins no line";
  EXPECT_THAT(directives("/* x\n */ # if 1 // y \\\n z\na"), ElementsAre("#", "if", "1"));
  EXPECT_THAT(directives("#pragma unroll\r\nx"), ElementsAre("#", "pragma", "unroll"));
  EXPECT_THAT(directives("#if A /* one\n line */ B\nC"), ElementsAre("#", "if", "A", "B"))
      << "a comment is one space, whatever it holds";
}

TEST(Tokens, AreTheTextWhateverItIs) {
  base::Random random(1);
  const std::string_view pieces[] = {"\"", "'",  "\\",  "\n",  "\r\n", "R\"(", ")\"", "/*",
                                     "*/", "//", "<<<", ">>>", "::",   "->",   "#",   " ",
                                     "a",  "1",  ".",   "e+",  "\xff", "(",    "u8R", std::string_view("\0", 1)};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(24); n > 0; --n) text += pieces[random.below(std::size(pieces))];
    ASSERT_EQ(joined(text), text);
  }
}

}  // namespace
}  // namespace negzero::source

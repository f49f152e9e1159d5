// The strict reader of JSON: what it accepts, and each thing it refuses that a common reader lets through.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <negzero/files/strict_json.hpp>

namespace negzero::files {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Kind = JsonValue::Kind;

std::string error_of(const std::string& text, const JsonBounds& bounds = {}) {
  const base::Result<JsonDocument> result = parse_strict_json(text, "metadata x", bounds);
  if (result) return "accepted: " + to_nlohmann(result->root()).dump();
  EXPECT_EQ(result.error().kind, base::ErrorKind::Usage);
  EXPECT_THAT(result.error().message, HasSubstr("metadata x: "));
  EXPECT_TRUE(is_utf8(result.error().message));
  return result.error().message;
}

TEST(StrictJson, ReadsNestedDocuments) {
  const std::string text = R"( {"b":[1,-2,{"c":null}],"a":"\u00e9\ud83d\ude00","d":true} )";
  const std::string_view document = std::string_view(text).substr(1);
  const base::Result<JsonDocument> result = parse_strict_json(document, "x");
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(to_nlohmann(result->root()).dump(), "{\"a\":\"é😀\",\"b\":[1,-2,{\"c\":null}],\"d\":true}");
}

TEST(StrictJson, KeepsAll64BitIntegers) {
  const base::Result<JsonDocument> result =
      parse_strict_json("[18446744073709551615,-9223372036854775808,9007199254740993,-0]", "x");
  ASSERT_TRUE(result.ok()) << result.error().message;
  std::vector<std::pair<Kind, std::uint64_t>> numbers;
  for (const JsonValue& value : result->root()) numbers.emplace_back(value.kind, value.number);
  const std::vector<std::pair<Kind, std::uint64_t>> expected{{Kind::Unsigned, 18446744073709551615u},
                                                             {Kind::Negative, std::uint64_t{1} << 63},
                                                             {Kind::Unsigned, 9007199254740993u},
                                                             {Kind::Unsigned, 0}};
  EXPECT_EQ(numbers, expected);
}

TEST(StrictJson, SortsTheChildrenOfObjects) {
  const base::Result<JsonDocument> result = parse_strict_json(R"({"b":1,"d":[3,1],"a":"\\","c":{},"":null})", "x");
  ASSERT_TRUE(result.ok()) << result.error().message;
  std::string keys;
  for (const JsonValue& child : result->root()) keys += "/" + std::string(child.key);
  EXPECT_EQ(keys, "//a/b/c/d");
  EXPECT_EQ(result->root().size, 5u);
  EXPECT_EQ(result->root().find("a")->text, "\\");
  EXPECT_EQ(result->root().find("e"), nullptr);
}

/// Text that is nearly JSON.
rc::Gen<std::string> broken_document() {
  return rc::gen::exec([] {
    static const std::vector<std::string> kPieces{
        "{",       "}",       "[",       "]",     ",",    ":",    "\"",   "\\",       "\"a\"",        "\"a\":",
        "1",       "-",       "0",       ".",     "e",    "-7",   "01",   "1.5e3",    "tru",          "true",
        "false",   "null",    " ",       "\n",    "\x01", "\x7f", "\xc3", "\xc3\xa9", "\xed\xa0\x80", "\xf0\x9f",
        "\\u00e9", "\\ud83d", "\\ude00", "\\u12", "\\n",  "\\x",  "\xff", "/"};
    std::string text = *rc::gen::element<std::string>("[", "{", "{\"a\":", "[\"");
    for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces))) {
      text += piece;
    }
    return text;
  });
}

TEST(StrictJson, NamesTheByteThatBreaksTheText) {
  for (const auto& [text, byte] : std::vector<std::pair<std::string, int>>{
           {"[1,]", 4}, {"{\"a\" 1}", 6}, {"[1] x", 5}, {"[tru]", 5}, {"{\"a\":\"b\"", 9}}) {
    EXPECT_EQ(error_of(text), "metadata x: it is not JSON (byte " + std::to_string(byte) + ")") << text;
  }
}

RC_GTEST_PROP(StrictJson, ReadsWhatNlohmannReads, ()) {
  const std::string text = *broken_document();
  const base::Result<JsonDocument> result = parse_strict_json(text, "x");
  if (result) RC_ASSERT(to_nlohmann(result->root()) == json::parse(text));
  if (!result && json::accept(text)) {
    const std::string& why = result.error().message;
    RC_ASSERT(why.find("twice") != why.npos || why.find("64-bit") != why.npos || why.find("deeper") != why.npos);
  }
}

TEST(StrictJson, RefusesDuplicateKeysAtAnyDepth) {
  EXPECT_THAT(error_of(R"({"a":1,"a":1})"), HasSubstr("the key \"a\" stands twice"));
  EXPECT_THAT(error_of(R"({"a":1,"\u0061":2})"), HasSubstr("twice"));
  EXPECT_THAT(error_of(R"([{"b":{"c":1,"d":2,"c":3}}])"), HasSubstr("the key \"c\" stands twice"));
  EXPECT_TRUE(parse_strict_json(R"([{"a":1},{"a":1}])", "x").ok());
}

TEST(StrictJson, RefusesNumbersThatAreNo64BitIntegers) {
  for (const char* number : {"1.0", "1e3", "1e30", "-1e-400", "1e999", "0.5", "18446744073709551616",
                             "-9223372036854775809", "99999999999999999999999999"}) {
    EXPECT_THAT(error_of(std::string("[") + number + "]"), HasSubstr("is not")) << number;
  }
}

TEST(StrictJson, ReadsRealsWhereTheyAreAskedFor) {
  const auto document =
      parse_strict_json(R"({"a":[1e-6,0.1,-2.5,3,1e30,18446744073709551616]})", "it", {.reals = true});
  ASSERT_TRUE(document) << document.error().message;
  const nlohmann::json read = to_nlohmann(document->root());
  EXPECT_EQ(read["a"][0].get<double>(), 1e-6);
  EXPECT_EQ(read["a"][1].get<double>(), 0.1) << "rounded once";
  EXPECT_EQ(read["a"][2].get<double>(), -2.5);
  EXPECT_TRUE(read["a"][3].is_number_unsigned()) << "an integer stays one";
  EXPECT_EQ(read["a"][4].get<double>(), 1e30);
  EXPECT_TRUE(read["a"][5].is_number_float());
  EXPECT_FALSE(parse_strict_json(R"({"a":1e999})", "it", {.reals = true}));
}

TEST(StrictJson, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           "null",
                           "1",
                           "\"a\"",
                           " {}",
                           "{",
                           "}",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "[1] x",
                           "[01]",
                           "[+1]",
                           "[NaN]",
                           "[Infinity]",
                           "['a']",
                           "[\"\\ud800\"]",
                           "[\"\x01\"]",
                           "[\"\xff\"]",
                           "[\"\xc0\xaf\"]",
                           "[\"\xed\xa0\x80\"]",
                           "\xef\xbb\xbf{}",
                           "[1] // x",
                           "[/**/1]"}) {
    EXPECT_THAT(error_of(text), testing::Not(HasSubstr("accepted"))) << text;
  }
}

TEST(StrictJson, RefusesTextBehindANulByte) {
  EXPECT_THAT(error_of(std::string("{}\0{\"hidden\":1}", 15)), HasSubstr("NUL byte (byte 2)"));
}

TEST(StrictJson, BoundsDepthAndSize) {
  EXPECT_TRUE(parse_strict_json("[[[]]]", "x", {.depth = 3}).ok());
  EXPECT_THAT(error_of("[[[[]]]]", {.depth = 3}), HasSubstr("nests deeper than 3 levels"));
  EXPECT_THAT(error_of(R"({"a":[{"b":[]}]})", {.depth = 3}), HasSubstr("nests deeper"));
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), HasSubstr("nests deeper than 8 levels"));
  EXPECT_TRUE(parse_strict_json("[1,2,3]", "x", {.values = 4}).ok());
  EXPECT_THAT(error_of("[1,2,3,4]", {.values = 4}), HasSubstr("more than 4 values"));
}

TEST(StrictJson, ErrorsAreShortWhateverTheText) {
  EXPECT_LT(error_of("[" + std::string(100'000, '9') + "]").size(), 200u);
  EXPECT_LT(error_of("{\"" + std::string(100'000, 'k') + "\":1,\"" + std::string(100'000, 'k') + "\":2}").size(), 200u);
  EXPECT_LT(error_of("[\"" + std::string(100'000, 's') + "\xff\"]").size(), 200u);
}

RC_GTEST_PROP(StrictJson, NeverAcceptsWhatNlohmannRefuses, (const std::string& text)) {
  const std::string document = *rc::gen::element<std::string>("[", "{", "{\"a\":", "[\"") + text;
  const bool accepted = parse_strict_json(document, "x").ok();
  RC_ASSERT(!accepted || json::accept(document));
  RC_ASSERT(!accepted || is_utf8(document));
}

TEST(IsUtf8, KnowsTheEdgesOfRfc3629) {
  for (const char* valid : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                            "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(valid)) << in_quotes(valid);
  }
  for (const char* invalid :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xe1\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xf1\x80\x80"}) {
    EXPECT_FALSE(is_utf8(invalid)) << in_quotes(invalid);
  }
}

RC_GTEST_PROP(IsUtf8, AgreesWithTheStrictReader, (const std::string& text)) {
  std::string escaped;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') escaped += c;
  }
  RC_ASSERT(is_utf8(escaped) == parse_strict_json("[\"" + escaped + "\"]", "x").ok());
}

TEST(InQuotes, IsOnePrintableLine) {
  EXPECT_EQ(in_quotes("plain"), "\"plain\"");
  EXPECT_EQ(in_quotes("a\"b\\c\n\xff"), "\"a\\\"b\\\\c\\x0a\\xff\"");
  EXPECT_EQ(in_quotes(std::string(65, 'x')), "\"" + std::string(64, 'x') + "...\"");
}

}  // namespace
}  // namespace negzero::files

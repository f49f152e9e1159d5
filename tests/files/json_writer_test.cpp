// The writer of JSON: its bytes, and nlohmann's as the measure for strings.

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <negzero/files/json_writer.hpp>

namespace negzero::files {
namespace {

TEST(JsonWriter, WritesTheseBytes) {
  JsonWriter to;
  to.open('{').key("a").open('[').close(']').key("b").open('[').integer(-1).open('{').close('}').boolean(true);
  to.boolean(false).close(']').key("c").string("x").key("d").integers(std::vector<std::int64_t>{1, 2}).close('}');
  EXPECT_EQ(to.take(), R"({"a":[],"b":[-1,{},true,false],"c":"x","d":[1,2]})");
}

TEST(JsonWriter, WritesAll64BitIntegers) {
  JsonWriter to;
  to.open('[').integer(std::numeric_limits<std::int64_t>::min()).integer(~std::uint64_t{0}).integer(0u).close(']');
  EXPECT_EQ(to.take(), "[-9223372036854775808,18446744073709551615,0]");
}

RC_GTEST_PROP(JsonWriter, WritesStringsAsNlohmannDoes, (const std::string& text)) {
  static const std::vector<std::string> kPieces{"\"", "\\",       "\n",       "\x14",     "\x7f",         "\xc3\xa9",
                                                "a",  "\xe0\x80", "\xe2\x82", "\xf0\x9f", "\xf0\x9f\x98", "\xff"};
  std::string mixed = text;
  for (const auto& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces))) mixed += piece;
  const nlohmann::json value = mixed;
  JsonWriter to;
  to.string(mixed);
  // Digits of escapes may be capital letters.
  const std::string expected = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), seen = to.take();
  RC_ASSERT(nlohmann::json::parse(seen) == nlohmann::json::parse(expected));
  const auto is_odd = [](char c) { return c >= 0 && c < ' ' && (c % 16) > 9; };
  RC_ASSERT(seen == expected || std::ranges::any_of(mixed, is_odd));
}

}  // namespace
}  // namespace negzero::files

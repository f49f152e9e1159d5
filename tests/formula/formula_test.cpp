// Formulas: what they come to, how they are printed, and where what is none is wrong.

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/formula/formula.hpp>

namespace negzero::formula {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::map<std::string, std::int64_t, std::less<>> kValues{{"k", 4096}, {"threads", 256}, {"x", 7}, {"min", 3}};

std::optional<std::int64_t> lookup(std::string_view name) {
  const auto found = kValues.find(name);
  return found == kValues.end() ? std::nullopt : std::optional(found->second);
}
std::int64_t value(std::string_view text) { return *Formula::parse(text)->value(lookup); }
std::string error(std::string_view text) {
  const auto formula = Formula::parse(text);
  return formula ? formula->value(lookup).error().message : formula.error().message;
}

TEST(Value, IsThatOfWholeNumbers) {
  EXPECT_EQ(value("1 + ceil_div(k, threads) - 1 + ceil_log2(threads)"), 24);
  EXPECT_EQ(value("2 + 3 * 4 - 1"), 13);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("20 - 7 - 3"), 10) << "operators of one rank bind to the left";
  EXPECT_EQ(value("64 / 4 / 2"), 8);
  EXPECT_EQ(value("x / 2"), 3);
  EXPECT_EQ(value("(0 - x) / 2"), -4) << "rounds down";
  EXPECT_EQ(value("(0 - x) % 4"), 1);
  EXPECT_EQ(value("x % (0 - 4)"), -1);
  EXPECT_EQ(value("ceil_div(0 - x, 2)"), -3);
  EXPECT_EQ(value("ceil_div(x, 2) + ceil_div(8, 2)"), 8);
  EXPECT_EQ(value("max(1, x, 3) + min(x, 5)"), 12);
  EXPECT_EQ(value("min + min(min, 2)"), 5) << "a name is a function only before a bracket";
}

TEST(Value, CeilLog2IsTheDepthOfABalancedTree) {
  EXPECT_EQ(value("ceil_log2(0)"), 0);
  EXPECT_EQ(value("ceil_log2(1)"), 0);
  EXPECT_EQ(value("ceil_log2(2)"), 1);
  EXPECT_EQ(value("ceil_log2(3)"), 2);
  EXPECT_EQ(value("ceil_log2(1024) + ceil_log2(1025)"), 21);
  EXPECT_EQ(value("ceil_log2(9223372036854775807)"), 63);
}

TEST(Value, IsNoneWhereThereIsNone) {
  EXPECT_THAT(error("k / (x - 7)"), HasSubstr("k / (x - 7): division by 0"));
  EXPECT_THAT(error("rows + 1"), HasSubstr("rows has no value here"));
  EXPECT_THAT(error("9223372036854775807 + 1"), HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(error("(0 - 9223372036854775807 - 1) / (0 - 1)"), HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(error("9223372036854775807 * k"), HasSubstr("exceeds 64 bits"));
}

TEST(Parse, NamesTheColumn) {
  EXPECT_THAT(error(""), HasSubstr("column 1: expected a number, a name, a function or ("));
  EXPECT_THAT(error("1 + * 2"), HasSubstr("column 5"));
  EXPECT_THAT(error("(1 + 2"), HasSubstr("column 7: expected )"));
  EXPECT_THAT(error("k k"), HasSubstr("column 3: expected +, -, *, /, % or the end"));
  EXPECT_THAT(error("log2(k)"), HasSubstr("column 1: log2 is no function; there are ceil_div, ceil_log2, min and max"));
  EXPECT_THAT(error("ceil_div(k)"), HasSubstr("ceil_div takes two numbers"));
  EXPECT_THAT(error("ceil_div(k, 2, 3)"), HasSubstr("ceil_div takes two numbers"));
  EXPECT_THAT(error("ceil_log2(k, 2)"), HasSubstr("ceil_log2 takes one number"));
  EXPECT_THAT(error("min(k)"), HasSubstr("min takes two numbers or more"));
  EXPECT_THAT(error("4k"), HasSubstr("column 1: a name begins with a letter"));
  EXPECT_THAT(error("99999999999999999999"), HasSubstr("the number exceeds 64 bits"));
  EXPECT_THAT(error(std::string(40, '(') + "1" + std::string(40, ')')), HasSubstr("brackets within brackets"));
  EXPECT_THAT(error(std::string(300, '1')), HasSubstr("at most 256 bytes"));
}

TEST(Names, AreThoseThatTheFormulaHas) {
  EXPECT_THAT(Formula::parse("k + ceil_div(x, k) - threads")->names(), ElementsAre("k", "x", "threads"));
  EXPECT_EQ(
      Formula::parse("k + ceil_div(x, k)")
          ->with([](std::string_view name) { return name == "k" ? std::optional<std::int64_t>(16) : std::nullopt; })
          .to_string(),
      "16 + ceil_div(x, 16)");
  EXPECT_EQ(Formula::parse(" 24 ")->constant(), 24);
  EXPECT_EQ(Formula::parse("24 + 0")->constant(), std::nullopt);
}

/// A formula as text with all of its brackets, and its value by C++.
struct Drawn {
  std::string text;
  std::int64_t value;
};
Drawn draw(int depth) {
  const int kind = depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 7);
  if (kind == 0) {
    const int number = *rc::gen::inRange(0, 20);
    return {std::to_string(number), number};
  }
  if (kind == 1) return {"x", 7};
  const Drawn a = draw(depth - 1), b = draw(depth - 1);
  const auto joined = [&](const char* sign) { return "(" + a.text + ")" + sign + "(" + b.text + ")"; };
  if (kind == 2) return {joined("+"), a.value + b.value};
  if (kind == 3) return {joined("-"), a.value - b.value};
  if (kind == 4) return {joined("*"), a.value * b.value};
  if (kind == 5) return {"max(" + a.text + "," + b.text + ")", std::max(a.value, b.value)};
  return {"min(" + a.text + "," + b.text + ")", std::min(a.value, b.value)};
}

RC_GTEST_PROP(Printed, IsTheSameFormulaWithFewerBrackets, ()) {
  const Drawn drawn = draw(*rc::gen::inRange(0, 5));
  const auto formula = Formula::parse(drawn.text);
  if (drawn.text.size() > kMostText) return;
  RC_ASSERT(formula.ok());
  RC_ASSERT(*formula->value(lookup) == drawn.value);
  const std::string text = formula->to_string();
  RC_ASSERT(text.size() <= 2 * drawn.text.size());
  RC_ASSERT(*Formula::parse(text) == *formula);
  RC_ASSERT(Formula::parse(text)->to_string() == text);
}

TEST(Formula, EndsWhereALongerTextGoesOn) {
  const Formula::Prefix prefix = Formula::parse_prefix("n - k + 1 , k <= n");
  EXPECT_EQ(prefix.mistake, "");
  EXPECT_EQ(prefix.formula.to_string(), "n - k + 1");
  EXPECT_EQ(prefix.end, 10u);
  EXPECT_EQ(Formula::parse_prefix("rows]").end, 4u);
  EXPECT_EQ(Formula::parse_prefix("rows").end, 4u);
  const Formula::Prefix wrong = Formula::parse_prefix("1 + ]");
  EXPECT_EQ(wrong.mistake, "expected a number, a name, a function or (");
  EXPECT_EQ(wrong.end, 4u);
  EXPECT_EQ(Formula::parse_prefix(std::string(kMostText, 'n') + " <").mistake, "a formula has at most 256 bytes");
  EXPECT_EQ(Formula::parse_prefix(std::string(kMostText, 'n') + "<").mistake, "");
  EXPECT_EQ(Formula::parse_prefix("(n)").formula.name(), "n");
  EXPECT_EQ(Formula::parse_prefix("n + 1").formula.name(), std::nullopt);
}

}  // namespace
}  // namespace negzero::formula

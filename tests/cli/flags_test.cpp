// The parsers of flags, and which exit code wins.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/base/duration.hpp>
#include <negzero/cli/duration.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/numbers.hpp>

namespace negzero::cli {
namespace {

using ::testing::HasSubstr;

TEST(Duration, WithUnits) {
  const std::pair<const char*, std::uint64_t> good[] = {{"0ms", 0},           {"500ms", 500},      {"30s", 30'000},
                                                        {"5m", 300'000},      {"8h", 28'800'000},  {"2d", 172'800'000},
                                                        {"1h30m", 5'400'000}, {"1m1s1ms", 61'001}, {"007s", 7'000}};
  for (const auto& [text, ms] : good) {
    const auto parsed = parse_duration_ms(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(*parsed, ms) << text;
  }
}

TEST(Duration, AnythingElseIsAnErrorThatNamesIt) {
  for (const std::string text : {"", "30", "s", "-1s", "+1s", "1.5s", "1e3s", "30 s", " 30s", "30s ", "30S", "5min",
                                 "1s1m", "1m1m", "1x", "99999999999999999999s", "99999999999d", "0x10s", "1h30"}) {
    const auto parsed = parse_duration_ms(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().kind, base::ErrorKind::Usage);
    EXPECT_THAT(parsed.error().message, HasSubstr("'" + text + "'"));
  }
}

RC_GTEST_PROP(Duration, NoTextIsTrouble, (const std::string& text)) {
  const auto parsed = parse_duration_ms(text);
  if (parsed) RC_ASSERT(*parsed <= 5u * 86'400'000ull * 3650);
}

TEST(Duration, AsAPersonReadsIt) {
  const std::pair<std::uint64_t, const char*> texts[] = {{0, "0 ms"},         {600, "600 ms"},  {1000, "1 s"},
                                                         {2500, "2.5 s"},     {10'000, "10 s"}, {1050, "1.05 s"},
                                                         {60'001, "60.001 s"}};
  for (const auto& [ms, text] : texts) EXPECT_EQ(base::duration_text(ms), text);
}

TEST(Number, DecimalOrHexadecimalInItsRange) {
  EXPECT_EQ(*parse_number("0", 0, 10), 0u);
  EXPECT_EQ(*parse_number("10", 0, 10), 10u);
  EXPECT_EQ(*parse_number("0x1F", 0, 100), 31u);
  EXPECT_EQ(*parse_number("18446744073709551615", 0, ~std::uint64_t{0}), ~std::uint64_t{0});
  for (const std::string text :
       {"", "-1", "+1", "1.0", "1e3", " 1", "1 ", "11", "0x", "0xg", "x", "18446744073709551616"}) {
    const auto parsed = parse_number(text, 0, 10);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr("'" + text + "'"));
    EXPECT_THAT(parsed.error().message, HasSubstr("from 0 to 10"));
  }
}

TEST(ExitCode, TheOrderOfPriority) {
  // 2, 130, 1, 3, 4: every set of what a run saw gives the first of these in it.
  for (int set = 0; set < 32; ++set) {
    Outcome outcome;
    outcome.usage = set & 1;
    outcome.interrupted = set & 2;
    outcome.finding = set & 4;
    outcome.infrastructure = set & 8;
    outcome.undecided = set & 16;
    const int wanted = (set & 1) ? 2 : (set & 2) ? 130 : (set & 4) ? 1 : (set & 8) ? 3 : (set & 16) ? 4 : 0;
    EXPECT_EQ(outcome.code(), wanted) << set;
  }
}

TEST(ExitCode, OfErrors) {
  EXPECT_EQ(exit_code(base::ErrorKind::Usage), 2);
  EXPECT_EQ(exit_code(base::ErrorKind::Infrastructure), 3);
  EXPECT_EQ(exit_code(base::ErrorKind::Unavailable), 77);
  EXPECT_EQ(exit_code(base::ErrorKind::Undecided), 4);
  EXPECT_EQ(exit_code(base::ErrorKind::Interrupted), 130);
}

}  // namespace
}  // namespace negzero::cli

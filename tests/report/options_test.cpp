// Options in documents: which values are named, in which words, and how many.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/report/options.hpp>

#include "reports.hpp"

namespace negzero::report {
namespace {

using campaign::OptionCases;
using campaign::OptionCounts;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Options, ALineNamesWhatFailedAndTheWorstFirst) {
  EXPECT_EQ(failing_options_text({}), "");
  EXPECT_EQ(failing_options_text({{"algorithm", {{{0, {60, 0}}, {7, {31, 0}}}, {}}}}), "") << "nothing failed";
  EXPECT_EQ(failing_options_text({{"algorithm", {{{0, {60, 0}}, {3, {60, 2}}, {7, {31, 31}}}, {}}}}),
            "algorithm 7 fails in all 31 cases, 3 fails in 2 of 60");
  EXPECT_EQ(failing_options_text({{"algorithm", {{{0, {60, 60}}, {1, {60, 60}}, {7, {31, 0}}}, {}}}}),
            "algorithm 0 fails in all 60 cases, 1 fails in all 60 cases")
      << "the one that is right is the one that is missing";
}

TEST(Options, AnOptionThatDoesNotMatterIsNotNamed) {
  const std::string none = "no value fails more often than others do";
  const OptionCases alike{{{0, {105, 13}}, {4096, {95, 26}}}, {}}, unlike{{{0, {1050, 130}}, {4096, {950, 260}}}, {}};
  const OptionCases wrong{{{1, {50, 40}}, {2, {150, 0}}}, {}};
  EXPECT_EQ(failing_options_text({{"algorithm", wrong}, {"workspace", alike}}), "algorithm 1 fails in 40 of 50");
  EXPECT_EQ(failing_options_text({{"workspace", alike}}), none);
  EXPECT_EQ(failing_options_text({{"workspace", unlike}}), "workspace 4096 fails in 260 of 950, 0 fails in 130 of 1050")
      << "what chance makes of 200 cases it does not make of 2000";
  EXPECT_EQ(failing_options_text({{"algorithm", {{{0, {9, 0}}, {2, {1, 1}}}, {}}}}), none) << "one case says nothing";
  EXPECT_EQ(failing_options_text({{"algorithm", {{{0, {9, 9}}, {2, {5, 5}}}, {}}}}), none) << "all of both fail";
  EXPECT_EQ(failing_options_text({{"algorithm", {{{0, {9, 5}}}, {}}}}), none) << "there is one value alone";
  // The 99.9 % points of one degree of freedom and of ten, 10.83 and 29.59, as tables have them.
  EXPECT_EQ(failing_options_text({{"a", {{{0, {100, 38}}, {1, {100, 62}}}, {}}}}),
            "a 1 fails in 62 of 100, 0 fails in 38 of 100");
  EXPECT_EQ(failing_options_text({{"a", {{{0, {100, 39}}, {1, {100, 61}}}, {}}}}), none);
}

OptionCounts many() {
  OptionCounts options;
  for (std::int64_t i = 0; i < 100; ++i) options["tile"].values[i] = {i >= 90 ? 10u : 1u, i >= 90 ? 10u : 0u};
  return options;
}

TEST(Options, LongListsAreCutAndSaySo) {
  EXPECT_EQ(
      failing_options_text(many()),
      "tile 90 fails in all 10 cases, 91 fails in all 10 cases, 92 fails in all 10 cases, 93 fails in all 10 cases, "
      "94 fails in all 10 cases, 95 fails in all 10 cases, 96 fails in all 10 cases, 97 fails in all 10 cases, 2 more "
      "values");
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  put_options(json, many());
  EXPECT_EQ(json["options"]["tile"].size(), 64u);
  EXPECT_EQ(json["options_failing"]["tile"].size(), 10u) << "none of those that failed is left out";
  EXPECT_EQ(json["options_cut"], (nlohmann::ordered_json{{"tile", {{"cases", 36}, {"fail", 0}}}}));
  const Table table = options_table({KernelEntry{}});
  EXPECT_TRUE(table.rows.empty()) << "a kernel without options has no row";
}

TEST(Options, DocumentsHaveThem) {
  campaign::CheckReport report = report_test::check_report("text");
  report.kernels[1].options = {{"algorithm", {{{-1, {18, 0}}, {7, {3, 3}}}, {}}}};
  const Document document = document_of(report, {});
  const auto json = nlohmann::json::parse(json_text(document));
  EXPECT_FALSE(json["kernels"][0].contains("options"));
  EXPECT_EQ(json["kernels"][1]["options"], (nlohmann::json{{"algorithm", {{"-1", 18}, {"7", 3}}}}));
  EXPECT_EQ(json["kernels"][1]["options_failing"], (nlohmann::json{{"algorithm", {{"7", 3}}}}));
  EXPECT_FALSE(json["kernels"][1].contains("options_cut"));
  EXPECT_THAT(console_text(document), HasSubstr("  options: algorithm 7 fails in all 3 cases\n"));
  EXPECT_THAT(console_text(document_of(report_test::check_report("text"), {})), Not(HasSubstr("options")));
  ASSERT_EQ(document.tables.size(), 2u) << "options and shapes";
  EXPECT_EQ(document.tables[0].rows[1], (std::vector<std::string>{"gemm.text: algorithm 7", "3", "3"}));
}

}  // namespace
}  // namespace negzero::report

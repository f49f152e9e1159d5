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
            "algorithm 7 in all 31 cases, 3 in 2 of 60");
  EXPECT_EQ(failing_options_text({{"algorithm", {{{0, {9, 0}}, {2, {1, 1}}}, {}}}}), "algorithm 2 in all 1 case");
}

TEST(Options, AnOptionThatDoesNotMatterIsOneWord) {
  const OptionCases alike{{{0, {100, 10}}, {4096, {100, 20}}}, {}}, unlike{{{0, {100, 10}}, {4096, {100, 21}}}, {}};
  EXPECT_EQ(failing_options_text({{"algorithm", {{{1, {5, 5}}, {2, {5, 0}}}, {}}}, {"workspace", alike}}),
            "algorithm 1 in all 5 cases; workspace all 2 values alike");
  EXPECT_EQ(failing_options_text({{"workspace", unlike}}), "workspace 4096 in 21 of 100, 0 in 10 of 100");
}

OptionCounts many() {
  OptionCounts options;
  for (std::int64_t i = 0; i < 100; ++i) options["tile"].values[i] = {1, i >= 90 ? 1u : 0u};
  return options;
}

TEST(Options, LongListsAreCutAndSaySo) {
  EXPECT_EQ(failing_options_text(many()),
            "tile 90 in all 1 case, 91 in all 1 case, 92 in all 1 case, 93 in all 1 case, 94 in all 1 case, 95 in all "
            "1 case, 96 in all 1 case, 97 in all 1 case, 2 more values");
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  put_options(json, many());
  EXPECT_EQ(json["options"]["tile"].size(), 64u);
  EXPECT_EQ(json["options_failing"]["tile"].size(), 10u) << "none of those that failed is left out";
  EXPECT_EQ(json["options_cut"], (nlohmann::ordered_json{{"tile", {{"cases", 36}, {"fail", 0}}}}));
  const Table table = options_table({KernelEntry{}});
  EXPECT_TRUE(table.rows.empty()) << "a kernel without options has no row";
}

TEST(Options, DocumentsHaveThem) {
  campaign::CheckReport report = check_report("text");
  report.kernels[1].options = {{"algorithm", {{{-1, {20, 0}}, {7, {3, 3}}}, {}}}};
  const Document document = document_of(report, {});
  const auto json = nlohmann::json::parse(json_text(document));
  EXPECT_FALSE(json["kernels"][0].contains("options"));
  EXPECT_EQ(json["kernels"][1]["options"], (nlohmann::json{{"algorithm", {{"-1", 20}, {"7", 3}}}}));
  EXPECT_EQ(json["kernels"][1]["options_failing"], (nlohmann::json{{"algorithm", {{"7", 3}}}}));
  EXPECT_FALSE(json["kernels"][1].contains("options_cut"));
  EXPECT_THAT(console_text(document), HasSubstr("  options that failed: algorithm 7 in all 3 cases\n"));
  EXPECT_THAT(console_text(document_of(check_report("text"), {})), Not(HasSubstr("options that failed")));
  ASSERT_EQ(document.tables.size(), 1u);
  EXPECT_EQ(document.tables[0].rows[1], (std::vector<std::string>{"gemm.text: algorithm 7", "3", "3"}));
}

}  // namespace
}  // namespace negzero::report

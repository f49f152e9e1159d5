// `negzero report` end to end: what several shards left in a folder, told as one campaign; and its errors.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../report/markup.hpp"
#include "../report/sarif_checker.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using report_test::count;
using report_test::defect;
using report_test::sarif_defect;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

void search(const std::string& folder, const std::string& shard, const Words& kernels, int code) {
  Words words{"fuzz", "--folder", folder, "--shard", shard, "--cases", "300", "--executor", "host", "--jobs", "2"};
  words.insert(words.end(), kernels.begin(), kernels.end());
  const Ran ran = run(words);
  EXPECT_EQ(ran.code, code) << ran.err;
}

TEST(Report, TwoShardsAreOneCampaign) {
  const Directory directory;
  const std::string folder = directory / "campaign";
  search(folder, "1/2", {"faulty.A1.*", "scatter.max.cas.f32"}, 1);
  search(folder, "2/2", {"faulty.A1.*", "scatter.max.cas.f32"}, 1);
  const Ran ran = run({"report", folder, "-o", directory / "page.html", "--sarif", directory / "sarif", "--junit",
                       directory / "junit", "--markdown", directory / "markdown", "--json"});
  ASSERT_EQ(ran.code, 1) << ran.err;
  const json document = ran.json();
  ASSERT_EQ(document["shards"].size(), 2u);
  std::uint64_t cases = 0;
  for (const json& shard : document["shards"]) cases += shard["cases"].get<std::uint64_t>();
  std::uint64_t counted = 0;
  for (const json& kernel : document["kernels"]) counted += kernel["cases"].get<std::uint64_t>();
  EXPECT_EQ(cases, counted);
  EXPECT_GE(cases, 600u);
  ASSERT_GE(document["findings"].size(), 1u);
  for (const json& finding : document["findings"]) {
    EXPECT_EQ(finding["kernel"], "faulty.A1.max_by_value_sign");
    EXPECT_EQ(finding["size"], "shrunk");
    EXPECT_EQ(finding["unseen"], "");
  }
  const std::string page = contents(directory / "page.html");
  EXPECT_EQ(defect(page), "");
  EXPECT_EQ(count(page, "<article>"), document["findings"].size());
  EXPECT_GE(count(page, "<figcaption>error in ulps"), 1u);
  EXPECT_THAT(page, HasSubstr("<h2>Over time</h2>"));
  EXPECT_THAT(page, HasSubstr("<h2>Ways of making cases</h2>"));
  EXPECT_THAT(page, HasSubstr("<h2>Shards</h2>"));
  EXPECT_EQ(defect(contents(directory / "junit")), "");
  EXPECT_EQ(sarif_defect(json::parse(contents(directory / "sarif"))), "");
  EXPECT_THAT(contents(directory / "markdown"), StartsWith("### <code>negzero campaign"));
  EXPECT_THAT(run({"report", folder}).out, HasSubstr("of all shards together"));
}

TEST(Report, ACampaignWithoutAFindingIsClean) {
  const Directory directory;
  search(directory / "campaign", "1/1", {"scatter.max.cas.f32"}, 0);
  EXPECT_EQ(run({"report", directory / "campaign"}).code, 0);
}

TEST(Report, WhatIsNoCampaignIsOneErrorWithItsCode) {
  const Directory directory;
  const auto error_of = [&](const std::string& folder, int code) {
    const Ran ran = run({"report", folder, "-o", directory / "page.html"});
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(count(ran.err, "\n"), 1u) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(directory / "page.html"));
    return ran.err;
  };
  EXPECT_THAT(error_of(directory / "nowhere", 2), HasSubstr("there is no such folder"));
  EXPECT_THAT(error_of(directory.path(), 2), HasSubstr("holds no shards/I-of-N.json"));
  const std::string folder = directory / "campaign", shard = folder + "/shards/2-of-3.json";
  std::filesystem::create_directories(folder + "/shards");
  for (const std::string text : {"", "{", "{\"version\":2}", "[]"}) {
    write(shard, text);
    EXPECT_THAT(error_of(folder, 2), HasSubstr(shard)) << text;
  }
  write(shard, R"({"version":2,"seed":"1","elapsed_ms":0,"points":[],"kernels":{}})");
  EXPECT_EQ(run({"report", folder}).code, 4) << "no case ran yet";
  std::filesystem::create_directories(folder + "/findings");
  write(folder + "/findings/a.hang.run.hang.case.safetensors", "no case");
  const Ran damaged = run({"report", folder});
  EXPECT_EQ(damaged.code, 2);
  EXPECT_THAT(damaged.err, HasSubstr("a.hang.run.hang.case.safetensors: this is no case file"));
  const Ran unwritable = run({"report", folder, "-o", "/proc/x"});
  EXPECT_EQ(unwritable.code, 3);
  EXPECT_THAT(unwritable.err, HasSubstr("/proc/x: cannot be written"));
  EXPECT_EQ(run({"report"}).code, 2);
}

TEST(Replay, TakesAListAndStandardInput) {
  const Directory directory;
  write(directory / "list", kCase + "\n\n" + kRegressions + "/A5_cas_compares_floats.safetensors\n");
  const Ran listed = run({"replay", "--list", directory / "list", "--json"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_GE(listed.json()["results"].size(), 4u);
  const auto piped = [&](const std::string& line) {
    return run({"-c", line, NEGZERO_PROGRAM, directory / "list", kCase}, {.program = "/bin/sh"});
  };
  EXPECT_EQ(piped("cat \"$1\" | \"$0\" replay --list -").code, 0);
  EXPECT_EQ(piped("cat \"$2\" | \"$0\" replay -").code, 0);
  EXPECT_EQ(piped("\"$0\" replay - <\"$2\"").code, 0);
  EXPECT_EQ(piped("\"$0\" replay --list - </dev/null").code, 2);
  EXPECT_EQ(piped(": | \"$0\" replay --list -").code, 4);
  EXPECT_EQ(run({"replay"}).code, 2);
}

TEST(Fuzz, MostIsOfMergingOnly) {
  const Directory directory;
  EXPECT_EQ(run({"fuzz", "scatter.max.cas.f32", "--folder", directory / "c", "--most", "3"}).code, 2);
  search(directory / "c", "1/1", {"scatter.max.cas.f32"}, 0);
  const Ran merged =
      run({"fuzz", "scatter.max.cas.f32", "--folder", directory / "c", "--merge", "--most", "3", "--json"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.json()["merged"][0]["after"], 3);
  const nlohmann::json kernel = merged.json()["merged"][0], totals = merged.json()["totals"];
  EXPECT_EQ(totals, (nlohmann::json{
                        {"before", kernel["before"]}, {"after", 3}, {"features", kernel["features"]}, {"failing", 0}}));
  const Ran again =
      run({"fuzz", "scatter.max.*", "--folder", directory / "c", "--merge", "--markdown", directory / "m"});
  EXPECT_THAT(again.out, ContainsRegex("\n1 kernel together: 3 of 3 cases stay, [0-9]+ features, 0 files do not "
                                       "pass\n$"));
  EXPECT_THAT(contents(directory / "m"), HasSubstr("cases that stay <code>3</code>"));
}

}  // namespace
}  // namespace negzero::cli_test

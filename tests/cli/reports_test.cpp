// The files of a report from the built program: every flag of every command that judges, written at once or not at all.

#include <algorithm>
#include <filesystem>
#include <set>

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
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

const Words kFlags = {"--report", "--sarif", "--junit", "--markdown"};

/// The words with every flag, each with a file of its name in the directory.
Words with_reports(Words words, const Directory& directory) {
  for (const std::string& flag : kFlags) {
    words.push_back(flag);
    words.push_back(directory / flag.substr(2));
  }
  return words;
}

/// Every file is there and is what it is to be.
void expect_written(const Directory& directory) {
  EXPECT_EQ(defect(contents(directory / "report")), "");
  EXPECT_EQ(defect(contents(directory / "junit")), "");
  EXPECT_THAT(contents(directory / "markdown"), StartsWith("### <code>negzero "));
  const std::string log = contents(directory / "sarif");
  ASSERT_TRUE(json::accept(log)) << log;
  EXPECT_EQ(sarif_defect(json::parse(log)), "");
}

TEST(Reports, OfACheckWithFindings) {
  const Directory directory;
  const Ran ran = run(with_reports({"check", "faulty.A1.*", "faulty.G1.*", "twin.G1.*", "--cases", "400", "--seed", "0",
                                    "--save", directory / "found", "--json"},
                                   directory));
  ASSERT_EQ(ran.code, 1) << ran.err;
  expect_written(directory);
  const json document = ran.json();
  std::size_t findings = 0;
  for (const json& kernel : document["kernels"]) findings += kernel["findings"].size();
  ASSERT_GE(findings, 2u);

  const std::string page = contents(directory / "report");
  EXPECT_EQ(count(page, "<article>"), findings);
  EXPECT_GE(count(page, "<figcaption>error in ulps"), 2u);
  EXPECT_THAT(page, HasSubstr("Worst margins by strategy and shape"));
  EXPECT_THAT(page, HasSubstr("up to 256 elements"));
  // The line that does the same again has the seed that was picked.
  const std::string seed = std::to_string(document["seed"].get<std::uint64_t>());
  EXPECT_THAT(page, HasSubstr(" check --seed " + seed + " &#39;faulty.A1.*&#39;"));
  EXPECT_THAT(page, Not(HasSubstr("--seed 0")));

  const json log = json::parse(contents(directory / "sarif"))["runs"][0];
  ASSERT_EQ(log["results"].size(), findings);
  for (const json& result : log["results"]) {
    const json& physical = result["locations"][0]["physicalLocation"];
    const std::string file =
        std::string(NEGZERO_SOURCE_DIR) + "/" + physical["artifactLocation"]["uri"].get<std::string>();
    EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
    const auto lines = static_cast<int>(count(contents(file), "\n"));
    EXPECT_LE(physical["region"]["startLine"].get<int>(), lines);
  }
  EXPECT_THAT(contents(directory / "junit"), HasSubstr("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""));
  EXPECT_EQ(count(contents(directory / "markdown"), "<details>"), findings);
}

#ifndef NEGZERO_SANITIZE  // There are watched kernels.
// What a watched run names is a line of the kernel's, and the lines around it are in the page.
TEST(Reports, ARaceIsShownAtItsLine) {
  const Directory directory;
  const Ran ran = run(with_reports(
      {"check", "faulty.R12.*", "--cases", "100", "--watch", "always", "--save", directory / "found", "--json"},
      directory));
  ASSERT_EQ(ran.code, 1) << ran.err;
  const json log = json::parse(contents(directory / "sarif"))["runs"][0];
  const auto race = std::ranges::find_if(log["results"], [](const json& each) { return each["ruleId"] == "run.race"; });
  ASSERT_NE(race, log["results"].end()) << log["results"];
  const json& physical = (*race)["locations"][0]["physicalLocation"];
  const std::string file = physical["artifactLocation"]["uri"];
  const std::string line = std::to_string(physical["region"]["startLine"].get<int>());
  EXPECT_THAT((*race)["message"]["text"].get<std::string>(),
              HasSubstr(std::filesystem::path(file).filename().string() + ":" + line));
  EXPECT_THAT(contents(directory / "report"), HasSubstr("<code>" + file + ":" + line + "</code>"));
  EXPECT_THAT(contents(directory / "report"), HasSubstr("<b class=\"here\">"));
}

#endif

TEST(Reports, OfACleanCheck) {
  const Directory directory;
  ASSERT_EQ(
      run(with_reports({"check", "scatter.max.*", "--cases", "40", "--save", directory / "found"}, directory)).code, 0);
  expect_written(directory);
  EXPECT_EQ(count(contents(directory / "report"), "<article>"), 0u);
  EXPECT_EQ(json::parse(contents(directory / "sarif"))["runs"][0]["results"], json::array());
  EXPECT_THAT(contents(directory / "junit"), HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(contents(directory / "markdown"), AllOf(HasSubstr("no finding"), Not(HasSubstr("<details>"))));
}

TEST(Reports, OfAComparison) {
  const Directory directory;
  const Words words = {"compare", "twin.A1.max_by_sign_bit", "faulty.A1.max_by_value_sign", "--cases", "100",
                       "--save",  directory / "found"};
  ASSERT_EQ(run(with_reports(words, directory)).code, 1);
  expect_written(directory);
  const std::string page = contents(directory / "report");
  EXPECT_EQ(count(page, "<article>"), 1u);
  EXPECT_EQ(count(page, "<figcaption>observed: "), 2u) << "the output of each side";
  EXPECT_THAT(page, HasSubstr("Output of <code>twin.A1.max_by_sign_bit@host</code>"));
  EXPECT_THAT(page, HasSubstr("--kernel faulty.A1.max_by_value_sign</pre>")) << "replays on the one that is wrong";
  EXPECT_THAT(contents(directory / "sarif"), HasSubstr("faulty/A1_max_by_value_sign.cu"));
}

TEST(Reports, OfAReplay) {
  const Directory directory;
  // The case expects its fault of one kernel; of the other a pass is expected.
  ASSERT_EQ(run(with_reports({"replay", kCase, "--kernel", "faulty.A1.*", "--kernel", "twin.A1.*"}, directory)).code,
            1);
  expect_written(directory);
  const std::string page = contents(directory / "report");
  EXPECT_EQ(count(page, "<article>"), 1u);
  EXPECT_THAT(page, HasSubstr("error in ulps"));
  EXPECT_THAT(page, HasSubstr("1 as expected"));
  EXPECT_THAT(contents(directory / "junit"), HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
}

TEST(Reports, NothingDecidedIsNoPassInAnyOfThem) {
  const Directory directory;
  // The case is of another operation.
  const Ran ran = run(with_reports({"replay", kCase, "--kernel", "gemm.naive.f32"}, directory));
  ASSERT_EQ(ran.code, 4) << ran.err;
  expect_written(directory);
  EXPECT_THAT(contents(directory / "markdown"), HasSubstr("nothing was decided"));
  EXPECT_THAT(contents(directory / "junit"), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
}

TEST(Reports, APlaceThatCannotBeWrittenIsSaidBeforeTheFirstCase) {
  const Directory directory;
  const Words commands[] = {
      {"check", "faulty.A1.*", "--cases", "100", "--save", directory / "found"},
      {"compare", "twin.A1.max_by_sign_bit", "faulty.A1.max_by_value_sign", "--save", directory / "found"},
      {"replay", kCase}};
  for (const Words& command : commands) {
    for (const std::string& flag : kFlags) {
      Words words = command;
      words.insert(words.end(), {flag, "/proc/x"});
      const Ran ran = run(words);
      EXPECT_EQ(ran.code, 3) << ran.err;
      EXPECT_EQ(ran.out, "");
      EXPECT_THAT(ran.err, StartsWith("negzero: " + flag + " /proc/x: cannot be written: "));
      EXPECT_EQ(count(ran.err, "\n"), 1u) << ran.err;
    }
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "found"));
}

TEST(Reports, TwoInOneFileAreAUsageError) {
  const Directory directory;
  const Ran ran = run({"check", "faulty.A1.*", "--sarif", directory / "x", "--markdown", directory / "./x"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--sarif writes that file already; name another one"));
  EXPECT_FALSE(std::filesystem::exists(directory / "x"));
}

// The probe of one page fits, the page does not: the other files are written all the same, and the finding stays one.
TEST(Reports, OneThatDoesNotFitCostsNoOther) {
  const Directory directory;
  const Ran ran = run({"check", "faulty.A1.*", "--cases", "100", "--save", directory / "found", "--report",
                       directory / "report", "--junit", directory / "junit"},
                      {.out = "/dev/null", .file_limit = 8192});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("--report " + directory / "report" + ": cannot be written: File too large"));
  EXPECT_FALSE(std::filesystem::exists(directory / "report")) << "no half of a page";
  EXPECT_EQ(defect(contents(directory / "junit")), "");
}

TEST(Reports, AnInterruptLeavesReportsOfWhatWasFound) {
  const Directory directory;
  const Ran ran =
      run(with_reports({"check", "faulty.A1.*", "--cases", "1000000", "--save", directory / "found"}, directory),
          {.interrupt = SIGINT, .ready = "found  faulty.A1"});
  ASSERT_EQ(ran.code, 130) << ran.err;
  expect_written(directory);
  EXPECT_THAT(contents(directory / "report"), HasSubstr("Interrupted: not everything"));
  // A machine with many cores has found more until the interrupt comes.
  const std::size_t findings = count(contents(directory / "report"), "<article>");
  ASSERT_GE(findings, 1u);
  const std::string said = std::to_string(findings) + (findings == 1 ? " finding" : " findings");
  EXPECT_THAT(contents(directory / "markdown"), HasSubstr(said + ", interrupted"));
  const json invocation = json::parse(contents(directory / "sarif"))["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
}

TEST(Reports, AnOlderFileIsReplacedAtOnce) {
  const Directory directory;
  write(directory / "report", std::string(1 << 20, 'x'));
  ASSERT_EQ(run({"replay", kCase, "--report", directory / "report"}).code, 0);
  EXPECT_EQ(defect(contents(directory / "report")), "");
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) files.insert(entry.path().filename());
  EXPECT_EQ(files, std::set<std::string>{"report"}) << "nothing else is left there";
}

TEST(Reports, HelpSaysWhatEachIs) {
  for (const std::string command : {"check", "compare", "replay"}) {
    const Ran ran = run({command, "--help"});
    for (const std::string part : {"--report FILE", "whole in itself", "--sarif FILE", "SARIF 2.1.0", "--junit FILE",
                                   "--markdown FILE", "for a pull request"}) {
      EXPECT_THAT(ran.out, HasSubstr(part)) << command;
    }
  }
}

}  // namespace
}  // namespace negzero::cli_test

// --accept from the built program: exit codes, what is told, and what is wrong with a ledger.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../report/markup.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using report_test::count;
using report_test::defect;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

/// A ledger in the directory, of entries without their reasons and links.
std::string ledger_in(const Directory& directory, std::vector<json> entries) {
  json list = json::array();
  for (json& entry : entries) {
    entry.update({{"reason", "the catalogue's fault"}, {"link", "https://example.org/issues/12"}});
    list.push_back(std::move(entry));
  }
  write(directory / "known.json", json{{"version", 1}, {"accepted", list}}.dump());
  return directory / "known.json";
}

const json kKnown = {{"kernel", "faulty.A1.*"}, {"class", "wrong_value"}};

Words check(const Directory& directory, Words words) {
  const Words always = {"check", "--cases", "200", "--save", directory / "found"};
  words.insert(words.begin(), always.begin(), always.end());
  return words;
}

TEST(Accept, AnAcceptedFindingIsToldAndIsExitCodeZero) {
  const Directory directory;
  const std::string file = ledger_in(directory, {kKnown});
  const Ran without = run(check(directory, {"faulty.A1.*"}));
  EXPECT_EQ(without.code, 1) << without.err;
  const Ran ran = run(check(directory, {"faulty.A1.*", "--accept", file, "--junit", directory / "junit"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("FAIL  faulty.A1.max_by_value_sign  wrong_value"),
                             HasSubstr("accepted   by entry #1: the catalogue's fault (https://example.org/issues/12)"),
                             HasSubstr(": no finding, 1 accepted finding")));
  EXPECT_THAT(ran.err, HasSubstr("found  faulty.A1.max_by_value_sign  wrong_value by select.value"));
  EXPECT_FALSE(std::filesystem::is_empty(directory / "found"));
  const std::string junit = contents(directory / "junit");
  EXPECT_EQ(defect(junit), "");
  EXPECT_THAT(junit, AllOf(HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""),
                           HasSubstr("name=\"conformance: wrong_value by select.value\"><skipped message=\"accepted "
                                     "finding #1: the catalogue&#39;s fault (https://example.org")));
  const json document = run(check(directory, {"faulty.A1.*", "--accept", file, "--json"})).json();
  EXPECT_EQ(document["kernels"][0]["accepted"], document["kernels"][0]["fail"]);
  EXPECT_EQ(document["kernels"][0]["findings"][0]["accepted"]["entry"], 1);
}

TEST(Accept, AnyOtherFindingIsExitCodeOne) {
  const Directory directory;
  const std::string file = ledger_in(directory, {kKnown, {{"kernel", "faulty.G1.*"}, {"rule", "gemm.k_zero"}}});
  const Ran ran = run(check(directory, {"faulty.A1.*", "faulty.G1.*", "--accept", file, "--json"}));
  EXPECT_EQ(ran.code, 1) << ran.err;
  const json document = ran.json();
  std::size_t accepted = 0, others = 0;
  for (const json& kernel : document["kernels"]) {
    for (const json& finding : kernel["findings"]) {
      ++(finding["accepted"].is_null() ? others : accepted);
      EXPECT_EQ(finding["accepted"].is_null(), finding["rule"] != "select.value" && finding["rule"] != "gemm.k_zero");
    }
  }
  EXPECT_EQ(accepted, 2u);
  EXPECT_GE(others, 1u);
  EXPECT_EQ(document["ledger"]["stale"], json::array());
}

TEST(Accept, AnEntryThatDidNotOccurIsExitCodeOne) {
  const Directory directory;
  const std::string file = ledger_in(directory, {{{"kernel", "twin.A1.*"}, {"class", "wrong_value"}}, kKnown});
  const Ran ran = run(check(directory, {"twin.A1.*", "--accept", file, "--junit", directory / "junit"}));
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("\nnegzero: accepted finding #1 (twin.A1.*, wrong_value) did not occur: fixed? remove "
                                 "it from " +
                                 file + "\n"));
  EXPECT_THAT(ran.err, Not(HasSubstr("#2"))) << "its kernel did not run";
  EXPECT_THAT(ran.out, HasSubstr(": no finding, 1 accepted finding that did not occur"));
  EXPECT_THAT(contents(directory / "junit"), HasSubstr("failures=\"1\" errors=\"0\" skipped=\"0\""));
  const Ran elsewhere = run(check(
      directory, {"twin.A1.*", "--accept",
                  ledger_in(directory, {{{"kernel", "twin.A1.*"}, {"class", "wrong_value"}, {"place", "cuda"}}})}));
  EXPECT_EQ(elsewhere.code, 0) << elsewhere.err;
}

TEST(Accept, AnInterruptedRunMissesNothing) {
  const Directory directory;
  const std::string file = ledger_in(directory, {kKnown, {{"kernel", "*"}, {"class", "hang"}}});
  const Ran ran = run({"check", "faulty.A1.*", "--cases", "1000000", "--save", directory / "found", "--accept", file},
                      {.interrupt = SIGINT, .ready = "found  faulty.A1"});
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("did not occur")));
}

TEST(Accept, AKernelWithAnAcceptedCrashIsNotRunAndIsNoPass) {
  const Directory directory;
  const std::string file = ledger_in(directory, {{{"kernel", "faulty.A1.*"}, {"class", "crash"}}});
  const Ran alone = run(check(directory, {"faulty.A1.*", "--accept", file, "--junit", directory / "junit"}));
  EXPECT_EQ(alone.code, 4) << alone.err;
  EXPECT_THAT(alone.out, AllOf(HasSubstr("faulty.A1.max_by_value_sign  not run: accepted finding #1: the catalogue's "
                                         "fault (https://example.org/issues/12)\n"),
                               HasSubstr(": nothing was decided, 1 kernel not run")));
  EXPECT_THAT(contents(directory / "junit"), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(alone.err, Not(HasSubstr("found  ")));
  const Ran both = run(check(directory, {"faulty.A1.*", "twin.A1.*", "--accept", file, "--json"}));
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.json()["kernels"].size(), 1u);
  EXPECT_EQ(both.json()["ledger"]["not_run"][0]["kernel"], "faulty.A1.max_by_value_sign");
}

TEST(Accept, WhatIsWrongWithALedgerIsSaidBeforeTheFirstCase) {
  const Directory directory;
  const std::string file = ledger_in(directory, {{{"kernel", "x"}, {"class", "wrong_valu"}}});
  const Words commands[] = {
      check(directory, {"faulty.A1.*", "--accept", file}),
      {"fuzz", "faulty.A1.*", "--folder", directory / "campaign", "--cases", "100", "--accept", file}};
  for (const Words& command : commands) {
    const Ran ran = run(command);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, StartsWith("negzero: --accept " + file +
                                    ": accepted finding #1: field class = \"wrong_valu\" is no class of failures; did "
                                    "you mean \"wrong_value\"?"));
    EXPECT_EQ(count(ran.err, "\n"), 1u);
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "found"));
  EXPECT_FALSE(std::filesystem::exists(directory / "campaign"));
  const Ran missing = run(check(directory, {"faulty.A1.*", "--accept", directory / "nothing", "--json"}));
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.json()["error"]["message"].get<std::string>(),
              StartsWith("--accept " + directory / "nothing" + ": "));
}

TEST(Accept, ASearchGoesOnWithWhatItKnowsToBeAccepted) {
  const Directory directory;
  const std::string file = ledger_in(directory, {kKnown});
  const Words words = {"fuzz", "faulty.A1.*", "--folder", directory / "campaign", "--cases", "1500", "--finite"};
  Words accepting = words;
  accepting.insert(accepting.end(), {"--accept", file});
  const Ran first = run(accepting);
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_THAT(first.out, HasSubstr("accepted   by entry #1"));
  const Ran again = run(accepting);
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("accepted finding #1: the catalogue's fault (https://example.org/issues/12), found "
                                   "before: "));
  EXPECT_EQ(run(words).code, 1) << "without the ledger it is a finding from before";
  accepting.emplace_back("--merge");
  EXPECT_EQ(run(accepting).code, 2);
}

TEST(Accept, HelpSaysWhatItIs) {
  for (const char* command : {"check", "fuzz"}) {
    EXPECT_THAT(run({command, "--help"}).out, AllOf(HasSubstr("--accept FILE"), HasSubstr("a ledger of known findings"),
                                                    HasSubstr("whose finding did not occur makes exit code 1")));
  }
}

}  // namespace
}  // namespace negzero::cli_test

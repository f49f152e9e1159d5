// `check` end to end on the shipped kernels: documents, exit codes, files, interrupts.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

TEST(Check, MakesCasesOfTheExtentsThatAreAskedFor) {
  const json cases = run({"list", "cases", "gemm.tiled.f32", "--cases", "300", "--extents", "m=40,k=8:24:8", "--json"})
                         .json()["cases"];
  std::set<int> lengths;
  for (const json& each : cases) {
    EXPECT_EQ(each["extents"]["m"], 40);
    lengths.insert(each["extents"]["k"].get<int>());
  }
  EXPECT_EQ(lengths, (std::set<int>{8, 16, 24}));
  const Directory directory;
  const json searched = run({"fuzz", "gemm.tiled.f32", "--folder", directory / "campaign", "--cases", "600",
                             "--extents", "m=40,k=8:24:8", "--finite", "--executor", "host", "--json"})
                            .json();
  std::size_t kept = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory / "campaign/corpus/gemm.tiled.f32")) {
    if (file.path().extension() != ".safetensors") continue;
    const operation::Case value = *case_file::load(file.path().string());
    EXPECT_EQ(operation::extents_of(value.operation)[1].value, 40);
    EXPECT_EQ(operation::extents_of(value.operation)[3].value % 8, 0);
    kept += 1;
  }
  EXPECT_GT(kept, 10u) << searched;
  const json found = run({"check", "faulty.G8.k_tail_not_predicated", "--cases", "100", "--extents", "m=3,n=3,k=32",
                          "--save", directory / "none", "--json"})
                         .json();
  EXPECT_EQ(found["kernels"][0]["fail"], 0) << "whole tiles of K have no tail";
  EXPECT_EQ(found["kernels"][0]["pass"], 100);
}

TEST(Check, FailFastStopsAtTheFirstFindingWithExitCodeOne) {
  const Directory directory;
  const Ran ran = run({"check", "faulty.A1.*", "faulty.R1.*", "gemm.naive.f32", "-x", "--cases", "2000", "--executor",
                       "host", "--save", directory.path(), "--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  std::size_t findings = 0;
  const json document = ran.json();
  for (const json& kernel : document["kernels"]) findings += kernel["findings"].size();
  EXPECT_EQ(findings, 1u);
  const Ran searched =
      run({"fuzz", "faulty.A1.*", "--folder", directory / "campaign", "-x", "--executor", "host", "--json"});
  EXPECT_EQ(searched.code, 1) << "with no other limit: " << searched.err;
  EXPECT_EQ(searched.json()["kernels"][0]["findings"].size(), 1u);
}

TEST(Check, SaysWhatShareOfLostTermsWouldPass) {
  const json kernels =
      run({"check", "reduce.sum.tree.f32", "reduce.max.ignore.f32", "--cases", "200", "--json"}).json()["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  for (const json& kernel : kernels) {
    if (kernel["name"] == "reduce.max.ignore.f32") {
      EXPECT_TRUE(kernel["blind"].is_null()) << "a selection has no terms to lose";
    } else {
      EXPECT_GT(kernel["blind"], 0);
      EXPECT_LT(kernel["blind"], 0.5);
    }
  }
}

TEST(Check, ACleanRun) {
  const Ran ran = run({"check", "scatter.max.*", "--cases", "40", "--json"});
  EXPECT_EQ(ran.code, 0);
  const json document = ran.json();
  EXPECT_EQ(document["version"], 2);
  EXPECT_EQ(document["seed"], 1);
  EXPECT_EQ(document["executor"], "host");
  ASSERT_EQ(document["kernels"].size(), 2u);
  for (const json& kernel : document["kernels"]) {
    EXPECT_EQ(kernel["cases"], 40);
    EXPECT_EQ(kernel["pass"].get<int>() + kernel["vacuous"].get<int>(), 40);
  }
  EXPECT_THAT(ran.err, StartsWith("negzero check: 2 kernels, seed 1, host executor"));
  EXPECT_FALSE(std::filesystem::exists("findings"));
}

TEST(Check, AFaultIsFoundSavedAndReplays) {
  const Directory directory;
  const Words words = {"check", "faulty.A1.*", "--cases", "100", "--save", directory / "found"};
  Words with_json = words;
  with_json.push_back("--json");
  const Ran ran = run(with_json);
  EXPECT_EQ(ran.code, 1);
  const json document = ran.json();
  ASSERT_FALSE(document["kernels"][0]["findings"].empty());
  const json finding = document["kernels"][0]["findings"][0];
  const auto path = finding["case"].get<std::string>();
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists(finding["original"].get<std::string>()));

  const Ran replay = run({"replay", path, "--json"});
  EXPECT_EQ(replay.code, 1);
  EXPECT_EQ(replay.json()["results"][0]["class"], finding["class"]);
  EXPECT_EQ(run({"replay", path, "--kernel", "twin.A1.*"}).code, 0) << "the twin is right";
  EXPECT_EQ(run({"replay", path, "--kernel", "twin.A1.*", "--kernel", "faulty.A1.*"}).code, 1);
  EXPECT_EQ(run({"replay", path, "--kernel", "gemm.*"}).code, 4) << "none implements the operation";
  EXPECT_THAT(run({"replay", path}).out, HasSubstr("\n1 verdict: 1 FAIL\n"));

  const Ran text = run(words);
  EXPECT_EQ(text.code, 1);
  for (const std::string part : {"FAIL  faulty.A1", "observed", "permitted", "rule", " replay ", "1 finding"}) {
    EXPECT_THAT(text.out, HasSubstr(part));
  }
  // The line to paste is the program as it was called.
  const std::string program = NEGZERO_PROGRAM, quote = program.find(' ') == std::string::npos ? "" : "'";
  EXPECT_THAT(text.out, HasSubstr(quote + program + quote + " replay " + path));
}

TEST(Check, AFailureIsToldWhenItIsFoundAndPrintedWhenItIsShrunk) {
  const Directory directory;
  const Ran ran = run({"check", "faulty.A1.*", "faulty.R1.*", "--cases", "100", "--save", directory / "found"});
  EXPECT_EQ(ran.code, 1);
  for (const std::string kernel : {"faulty.A1.max_by_value_sign", "faulty.R1.flt_max_identity"}) {
    const std::size_t told = ran.err.find("found  " + kernel + "  "), shrinking = ran.err.find("shrinking " + kernel);
    ASSERT_NE(told, std::string::npos) << ran.err;
    ASSERT_NE(shrinking, std::string::npos) << ran.err;
    EXPECT_LT(told, shrinking) << "a kernel is shrunk once its cases are done, while another's may go on";
    EXPECT_THAT(ran.out, HasSubstr("FAIL  " + kernel));
  }
  EXPECT_THAT(ran.err, ::testing::ContainsRegex("found  faulty.R1.*  [(].*[.]original[.]safetensors[)]\n"));
  EXPECT_EQ(ran.out.find("\nfound  "), std::string::npos) << "standard output is for what is final";
}

#ifndef NEGZERO_SANITIZE  // There are watched kernels.
TEST(Check, ARaceComesFirstReplaysAndShrinksAsARace) {
  const Directory directory;
  const json check =
      run({"check", "faulty.R13.shared_reused", "--cases", "400", "--save", directory / "found", "--json"}).json();
  const json& findings = check["kernels"][0]["findings"];
  ASSERT_GE(findings.size(), 2u) << "wrong values besides";
  const json& race = findings[0];
  EXPECT_EQ(race["class"], "data_race");
  const std::string original = race["original"];
  for (const std::string& path : {original, race["case"].get<std::string>()}) {
    const Ran replay = run({"replay", path, "--json"});
    EXPECT_EQ(replay.code, 1);
    EXPECT_EQ(replay.json()["results"][0]["class"], "data_race") << path;
    EXPECT_EQ(run({"show", path, "--json"}).json()["found"]["executor"], "watched");
    EXPECT_THAT(run({"show", path}).out, HasSubstr("on watched: fail (data_race) by run.race\n"));
  }
  const Ran shrink = run({"shrink", original, "-o", directory / "small.safetensors", "--json"});
  EXPECT_EQ(shrink.json()["class"], "data_race");
  EXPECT_EQ(contents(directory / "small.safetensors"), contents(race["case"].get<std::string>()));
  // A flag has the last word, and what it leads to is said.
  const Ran plain = run({"shrink", original, "-o", directory / "plain.safetensors", "--watch", "never", "--json"});
  if (plain.code == 1) {  // Unwatched, this case may pass.
    EXPECT_THAT(plain.err,
                HasSubstr("the file knows it to fail (data_race) by run.race; what this run shows is another"));
    EXPECT_NE(plain.json()["class"], "data_race");
  }
}
#endif

TEST(Check, TheSameSeedIsTheSameDocument) {
  const Directory directory;
  std::vector<json> documents;
  for (const std::string jobs : {"1", "2", "1"}) {
    json document = run({"check", "faulty.R1.*", "faulty.R13.*", "--cases", "150", "--seed", "7", "--jobs", jobs,
                         "--save", directory / "found", "--json"})
                        .json();
    document.erase("elapsed_ms");
    documents.push_back(document);
  }
  EXPECT_EQ(documents[0], documents[1]);
  EXPECT_EQ(documents[0], documents[2]);
  const json other = run({"check", "faulty.R1.*", "faulty.R13.*", "--cases", "150", "--seed", "8", "--save",
                          directory / "found", "--json"})
                         .json();
  EXPECT_NE(other["kernels"], documents[0]["kernels"]);
}

TEST(Check, SeedZeroPicksOneAndPrintsIt) {
  const Words words = {"check", "gemm.naive.f32", "--cases", "2", "--seed", "0", "--json"};
  const Ran first = run(words), second = run(words);
  const std::uint64_t seed = first.json()["seed"];
  EXPECT_NE(seed, 0u);
  EXPECT_THAT(first.err, HasSubstr("seed " + std::to_string(seed) + ","));
  EXPECT_NE(seed, second.json()["seed"].get<std::uint64_t>());
}

TEST(Check, TheTimeLimitEndsIt) {
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = run({"check", "scatter.max.*", "--time", "300ms", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_GE(ran.json()["elapsed_ms"], 300);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Check, InProcessGivesTheSameVerdicts) {
  const Words words = {"check", "scatter.max.*", "--cases", "30", "--json"};
  Words in_process = words;
  in_process.push_back("--in-process");
  EXPECT_EQ(run(words).json()["kernels"], run(in_process).json()["kernels"]);
}

TEST(Check, AnInterruptSavesWhatWasFound) {
  const Directory directory;
  // The signal goes to workers too, as Ctrl-C does: their deaths must not become findings.
  // `timeout` sends SIGTERM twice; another signal here, because two of one kind may arrive as one.
  for (const auto& [signal, second] : {std::pair{SIGINT, 0}, {SIGTERM, 0}, {SIGTERM, SIGHUP}}) {
    const Ran ran =
        run({"check", "faulty.A1.*", "scatter.max.*", "--time", "10m", "--save", directory / "found", "--json"},
            {.interrupt = signal, .and_at_once = second, .ready = "cases"});
    EXPECT_EQ(ran.code, 130) << ran.err;
    const json document = ran.json();
    EXPECT_EQ(document["interrupted"], true);
    const json& faulty = document["kernels"][0];
    ASSERT_GT(faulty["fail"], 0);
    for (const json& finding : faulty["findings"]) {
      EXPECT_NE(finding["class"], "crash");
      EXPECT_EQ(run({"show", finding["case"].get<std::string>()}).code, 0);
      EXPECT_EQ(finding["interrupted"], true);
      EXPECT_THAT(finding["case"].get<std::string>(), EndsWith(".partial.safetensors"));
    }
    for (const auto& entry : std::filesystem::directory_iterator(directory / "found")) {
      EXPECT_EQ(entry.path().string().find(".case."), std::string::npos) << entry.path() << " looks finished";
    }
    for (std::size_t i = 1; i < document["kernels"].size(); ++i) EXPECT_EQ(document["kernels"][i]["fail"], 0);
  }
}

}  // namespace
}  // namespace negzero::cli_test

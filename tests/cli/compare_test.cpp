// `negzero compare` end to end on the shipped kernels.

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// The differences of a document by rule.
json by_rule(const json& document) {
  json result = json::object();
  for (const json& difference : document["differences"]) result[difference["rule"].get<std::string>()] = difference;
  return result;
}

TEST(Compare, SelectionsThatAreRightAreIdentical) {
  const Directory directory;
  const Ran ran = run({"compare", "twin.A1.max_by_sign_bit", "scatter.max.sign_bit.f32", "--executor", "host",
                       "--cases", "300", "--save", directory.path(), "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json document = ran.json();
  EXPECT_EQ(document["version"], 2);
  EXPECT_EQ(document["first"], "twin.A1.max_by_sign_bit@host");
  EXPECT_EQ(document["second"], "scatter.max.sign_bit.f32@host");
  EXPECT_EQ(document["cases"], 300);
  EXPECT_EQ(document["identical"], 300);
  EXPECT_TRUE(document["differences"].empty());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(Compare, AWatchedSideIsWrongWhereItsAccessesAre) {
#ifdef NEGZERO_SANITIZE
  GTEST_SKIP() << "a build with sanitizers has no watched kernels";
#endif
  const Directory directory;
  const Ran ran = run({"compare", "faulty.A9.read_modify_write@watched", "scatter.add.f32@host", "--cases", "30",
                       "--save", directory.path(), "--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const json found = by_rule(ran.json());
  ASSERT_TRUE(found.contains("compare.first_wrong"));
  EXPECT_THAT(found["compare.first_wrong"]["message"].get<std::string>(), HasSubstr("(run.race)"));
  const Ran refused = run({"compare", "scatter.add.f32", "scatter.add.shared.f32", "--watch", "always"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("KERNEL@watched"));
}

TEST(Compare, AnotherOrderDiffersAndIsPermitted) {
  const Directory directory;
  std::vector<std::string> words = {"compare", "gemm.tiled.f32", "gemm.split_k.f32", "--executor", "host", "--cases",
                                    "300",     "--save",         directory.path(),   "--json"};
  const Ran ran = run(words);
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json document = ran.json(), found = by_rule(document);
  ASSERT_TRUE(found.contains("compare.both_permitted"));
  EXPECT_EQ(found.size(), 1u);
  EXPECT_GT(document["identical"], 0);
  const json difference = found["compare.both_permitted"];
  EXPECT_EQ(difference["class"], "not_deterministic");
  EXPECT_EQ(document["identical"].get<int>() + difference["cases"].get<int>() + document["refused"].get<int>(), 300);
  EXPECT_THAT(difference["message"].get<std::string>(), HasSubstr("ulp apart"));
  // The smallest sum that two orders round differently: one output, K just past the shortest slice.
  const Ran shown = run({"show", difference["case"], "--json"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(run({"show", difference["case"]}).out, HasSubstr("m 1, n 1"));

  words.push_back("--bitwise");
  EXPECT_EQ(run(words).code, 1);
}

TEST(Compare, SaysWhichOneIsWrong) {
  const Directory directory;
  const std::vector<std::string> flags = {"--executor", "host", "--cases", "200", "--save", directory.path()};
  const auto compare = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    words.insert(words.end(), flags.begin(), flags.end());
    return run(words);
  };
  const Ran second = compare({"twin.G14.f32_accumulator", "faulty.G14.f16_accumulator", "--json"});
  EXPECT_EQ(second.code, 1);
  EXPECT_TRUE(by_rule(second.json()).contains("compare.second_wrong"));
  EXPECT_FALSE(by_rule(second.json()).contains("compare.first_wrong"));
  const Ran first = compare({"faulty.G14.f16_accumulator", "twin.G14.f32_accumulator", "--json"});
  EXPECT_EQ(first.code, 1);
  EXPECT_TRUE(by_rule(first.json()).contains("compare.first_wrong"));
  const Ran text = compare({"faulty.G14.f16_accumulator", "twin.G14.f32_accumulator"});
  EXPECT_THAT(text.out, HasSubstr("faulty.G14.f16_accumulator@host is wrong"));
}

TEST(Compare, AnInterruptIsSaidInTheFilesName) {
  const Directory directory;
  std::vector<std::string> words = {"compare", "gemm.tiled.f32", "gemm.split_k.f32", "--executor",    "host",
                                    "--cases", "1000000000",     "--save",           directory.path()};
  const How interrupt{.interrupt = SIGINT, .ready = "of 1000000000 cases"};
  const Ran text = run(words, interrupt);
  EXPECT_EQ(text.code, 130) << text.err;
  EXPECT_THAT(text.out, HasSubstr("differ, and both contracts permit it, shrinking was interrupted, so there may be"));
  words.push_back("--json");
  const json found = by_rule(run(words, interrupt).json());
  ASSERT_TRUE(found.contains("compare.both_permitted"));
  EXPECT_EQ(found["compare.both_permitted"]["interrupted"], true);
  EXPECT_THAT(found["compare.both_permitted"]["case"].get<std::string>(), EndsWith(".partial.safetensors"));
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_EQ(entry.path().string().find(".case."), std::string::npos) << entry.path() << " looks finished";
  }
}

TEST(Compare, WhatCannotBeComparedIsAUsageError) {
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_EQ(ran.err.find("seed"), std::string::npos) << "said before anything else: " << ran.err;
    return ran.err;
  };
  EXPECT_THAT(refused({"gemm.naive.f32", "gemm.naive.f32"}), HasSubstr("with itself"));
  EXPECT_THAT(refused({"gemm.naive.f32", "reduce.sum.tree.f32"}), HasSubstr("only kernels of one operation"));
  EXPECT_THAT(refused({"gemm.naive.f32", "gemm.tiled.f64"}), HasSubstr("formats"));
  EXPECT_THAT(refused({"gemm.naive.f32", "gemm.tiled.f32@gpu"}), HasSubstr("host, watched or cuda"));
  EXPECT_THAT(refused({"gemm.naive.f32", "gemm.tiled.f31"}), HasSubstr("gemm.tiled.f32"));
  EXPECT_THAT(refused({"gemm.naive.f32"}), HasSubstr("--help"));
}

TEST(Compare, NothingInCommonIsNoPass) {
  const Directory directory;
  const Ran ran = run({"compare", "gemm.naive.f32@host", "twin.G8.k_tail_predicated@host", "--cases", "3", "--weight",
                       "structural=1", "--save", directory.path(), "--json", "--seed", "1"});
  // Whatever the three cases are: what the twin's limits exclude is refused and never counted as identical.
  const json document = ran.json();
  EXPECT_EQ(document["identical"].get<int>() + document["refused"].get<int>(), 3);
  EXPECT_EQ(ran.code, document["identical"] == 0 ? 4 : 0);
}

/// A list of pairs in a folder, and the words that compare them there.
std::vector<std::string> with_list(const Directory& directory, const std::string& text,
                                   const std::vector<std::string>& more = {}) {
  write(directory / "pairs.txt", text);
  std::vector<std::string> words = {"compare", "--list", directory / "pairs.txt", "--executor", "host", "--cases",
                                    "60",      "--save", directory.path()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(CompareList, EachPairIsALineAndATableEndsIt) {
  const Directory directory;
  const std::string pairs =
      "# selections\n"
      "twin.A1.max_by_sign_bit scatter.max.sign_bit.f32\n"
      "gemm.tiled.* gemm.naive.*  # of each format\n"
      "gemm.tiled.f32 gemm.split_k.f32\n";
  const Ran text = run(with_list(directory, pairs));
  EXPECT_EQ(text.code, 0) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("ok    twin.A1.max_by_sign_bit@host against scatter.max.sign_bit.f32@host: 60 cases, "
                                  "60 bit-identical"));
  EXPECT_THAT(text.out, HasSubstr("differ and both contracts permit it"));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("\n +60 +60 +[0-9]+ +0 +0 +0 +0  same bits  +twin.A1"));
  EXPECT_THAT(text.out, HasSubstr("has no partner gemm.naive."));
  const Ran ran = run(with_list(directory, pairs, {"--json"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json document = ran.json();
  EXPECT_EQ(document["version"], 2);
  EXPECT_EQ(document["list"], directory / "pairs.txt");
  EXPECT_FALSE(document["without_partner"].empty());
  const json first = document["pairs"].front(), last = document["pairs"].back();
  EXPECT_EQ(first["line"], 2);
  EXPECT_EQ(first["outcome"], "identical");
  EXPECT_EQ(first["identical"], 60);
  EXPECT_TRUE(first["differences"].empty());
  EXPECT_EQ(last["first"], "gemm.tiled.f32@host");
  EXPECT_EQ(last["outcome"], "permitted");
  ASSERT_EQ(last["differences"].size(), 1u);
  EXPECT_EQ(last["differences"][0]["rule"], "compare.both_permitted");
  EXPECT_EQ(last["both_permitted"], last["differences"][0]["cases"]);
  EXPECT_EQ(last["identical"].get<int>() + last["both_permitted"].get<int>() + last["refused"].get<int>(), 60);
  EXPECT_EQ(run(with_list(directory, pairs, {"--bitwise"})).code, 1);
}

TEST(CompareList, TheCodeIsThatOfTheWorstPair) {
  const Directory directory;
  const std::string right = "gemm.tiled.f32 gemm.naive.f32\n";
  const std::string wrong = "twin.G14.f32_accumulator faulty.G14.f16_accumulator\n";
  const Ran found = run(with_list(directory, right + wrong + right));
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("FAIL  twin.G14.f32_accumulator@host against faulty.G14.f16_accumulator@host: "));
  EXPECT_THAT(found.out, HasSubstr("faulty.G14.f16_accumulator@host is wrong, shrunk:"));
  const Ran none = run(with_list(directory, right + "gemm.naive.f32 gemm.tiled.f32\n", {"--extents", "m=0"}));
  EXPECT_EQ(none.code, 4) << "no result is there to compare: " << none.out;
  EXPECT_THAT(none.out, HasSubstr("none  gemm.tiled.f32@host against gemm.naive.f32@host: 60 cases, 60 bit-identical "
                                  "(60 without results): nothing was compared"));
  EXPECT_EQ(run({"compare", "gemm.tiled.f32", "gemm.naive.f32", "--executor", "host", "--cases", "20", "--extents",
                 "m=0", "--save", directory.path()})
                .code,
            4)
      << "nor without a list";
}

TEST(CompareList, ABadLineEndsItBeforeAnythingRuns) {
  const Directory directory;
  const Ran ran =
      run(with_list(directory, "gemm.tiled.f32 gemm.naive.f32\ngemm.naive.f32 gemm.tiled.f64\n", {"--json"}));
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.json()["error"]["kind"], "usage");
  EXPECT_THAT(ran.err, HasSubstr("--list " + directory / "pairs.txt" + ", line 2: gemm.naive.f32 gemm.tiled.f64: "));
  EXPECT_EQ(ran.err.find("seed"), std::string::npos) << ran.err;
  const Ran gpu = run(with_list(directory, "gemm.tiled.f32@host gemm.tiled.f32@cuda\n"));
  EXPECT_EQ(gpu.code, 77) << gpu.err;
  EXPECT_THAT(gpu.err, HasSubstr(", line 1: gemm.tiled.f32@cuda: --executor cuda: "));
  EXPECT_EQ(run(with_list(directory, "# none\n")).code, 4);
  EXPECT_EQ(run({"compare", "--list", directory / "nowhere"}).code, 2);
  EXPECT_EQ(run({"compare", "gemm.tiled.f32", "gemm.naive.f32", "--list", directory / "pairs.txt"}).code, 2);
  EXPECT_THAT(run({"compare"}).err, HasSubstr("name two kernels, or a file of pairs by --list"));
}

TEST(CompareList, AnInterruptKeepsThePairsThatWereDone) {
  const Directory directory;
  const std::string one = "twin.A1.max_by_sign_bit", other = "scatter.max.sign_bit.f32";
  write(directory / "pairs.txt", one + " " + other + "\n" + other + " " + one + "\n" + one + " " + other +
                                     "@watched\n" + other + " " + one + "@watched\n");
  // The first line of progress comes after two seconds.
  const Ran ran = run({"compare", "--list", directory / "pairs.txt", "--executor", "host", "--cases", "1000000000",
                       "--time", "1s", "--save", directory.path(), "--json"},
                      {.interrupt = SIGINT, .ready = " of 4: "});
  EXPECT_EQ(ran.code, 130) << ran.err;
  const json document = ran.json();
  EXPECT_EQ(document["interrupted"], true);
  ASSERT_EQ(document["pairs"].size(), 4u);
  EXPECT_EQ(document["pairs"][0]["outcome"], "identical");
  EXPECT_GT(document["pairs"][0]["cases"], 0);
  EXPECT_THAT(document["pairs"][2]["outcome"], AnyOf("interrupted", "not_run"));
  EXPECT_EQ(document["pairs"][3]["outcome"], "not_run");
  EXPECT_EQ(document["pairs"][3]["second"], one + "@watched");
}

TEST(CompareList, ReportsHaveAJudgementAPair) {
  const Directory directory;
  const std::string junit = directory / "out.xml", html = directory / "out.html";
  const Ran ran =
      run(with_list(directory, "gemm.tiled.f32 gemm.naive.f32\ntwin.G14.f32_accumulator faulty.G14.f16_accumulator\n",
                    {"--junit", junit, "--report", html}));
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(contents(junit), HasSubstr("<testsuites tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">"));
  EXPECT_THAT(contents(html), HasSubstr("<h2>Pairs</h2>"));
}

}  // namespace
}  // namespace negzero::cli_test

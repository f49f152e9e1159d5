// `negzero compare` end to end on the shipped kernels.

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
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

}  // namespace
}  // namespace negzero::cli_test

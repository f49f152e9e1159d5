// `replay`, `show` and `shrink` end to end on the shipped kernels: documents, exit codes, files, interrupts.

#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

TEST(Replay, TheRegressionCorpusIsAsExpected) {
  const Directory directory;
  const Ran ran = run({"replay", kRegressions, "--json", "--junit", directory / "out.xml"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  int decided = 0, skipped = 0;
  const json document = ran.json();
  for (const json& result : document["results"]) {
    if (result["status"] != "skipped") {
      ++decided;
      EXPECT_EQ(result["status"], "as_expected") << result;
      continue;
    }
    ++skipped;
    // Systems have frameworks and GPUs of their own; the sanitizers' preset has no watched kernels.
    EXPECT_THAT(result["skipped"].get<std::string>(), ContainsRegex("expects the cuda executor|needs --kernels systems/"
#ifdef NEGZERO_SANITIZE
                                                                    "|expects a watched run"
#endif
                                                                    ));
  }
  EXPECT_GE(decided, 20);
  const std::string xml = contents(directory / "out.xml");
  EXPECT_THAT(xml, HasSubstr(fmt::format("failures=\"0\" errors=\"0\" skipped=\"{}\"", skipped)));
  EXPECT_THAT(xml, HasSubstr("faulty.A1.max_by_value_sign"));
}

TEST(Replay, RecordingMakesAVerdictExpected) {
  const Directory directory;
  const std::string path = directory / "case.safetensors";
  std::filesystem::copy(kCase, path);
  EXPECT_EQ(run({"replay", path, "--kernel", "scatter.max.cas.f32", "--record"}).code, 0);
  const json shown = run({"show", path, "--json"}).json();
  std::set<std::string> kernels;
  for (const json& expected : shown["expect"]) kernels.insert(expected["kernel"].get<std::string>());
  EXPECT_TRUE(kernels.contains("scatter.max.cas.f32"));
  EXPECT_TRUE(kernels.contains("faulty.A1.max_by_value_sign")) << "what was expected of others is kept";
  EXPECT_EQ(run({"replay", path}).code, 0);
}

TEST(Replay, RecordingSaysWhatItWroteAndWarnsOfFailures) {
  const Directory directory;
  const std::string path = directory / "case.safetensors";
  std::filesystem::copy(kCase, path);
  const Words words = {"replay", path, "--kernel", "scatter.max.cas.f32", "--kernel", "faulty.A1.*", "--record"};
  const Ran passes = run(words);
  EXPECT_EQ(passes.code, 0) << passes.err;
  EXPECT_THAT(passes.out, HasSubstr("recorded in " + path + ": scatter.max.cas.f32 on host: pass\n"));
  EXPECT_THAT(passes.out, HasSubstr("recorded in " + path + ": faulty.A1.max_by_value_sign on host: fail (wrong_"));
  EXPECT_EQ(passes.err, "") << "the catalogue's faults are to fail";
  Words with_json = words;
  with_json.push_back("--json");
  EXPECT_EQ(run(with_json).json()["recorded"].size(), 2u);

  // A contract that this kernel does not keep: NaN is ignored.
  auto value = case_file::load(kCase);
  ASSERT_TRUE(value.ok());
  value->tensors.at("x").set(0, 0x7fc00000);
  value->kernel = "scatter.max.cas.f32";
  value->contract = "f32";
  value->expect.clear();
  ASSERT_TRUE(case_file::save(path, *value).ok());
  const Ran fails = run({"replay", path, "--record"});
  EXPECT_EQ(fails.code, 0);
  EXPECT_THAT(fails.out, HasSubstr("recorded in " + path + ": scatter.max.cas.f32 on host: fail (wrong_"));
  EXPECT_EQ(fails.err, "warning: " + path +
                           " now expects scatter.max.cas.f32 to fail: `replay` is content with it until it passes\n");
}

TEST(Replay, CasesOfOtherOperationsAreSkippedAndCounted) {
  const Directory directory;
  const Ran ran = run({"replay", kRegressions, "--kernel", "scatter.max.*", "--junit", directory / "out.xml"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr(" skipped whose operation none of the kernels asked for implements\n"));
  EXPECT_EQ(ran.out.find("none of the kernels"), ran.out.rfind("none of the kernels")) << "said once";
  EXPECT_EQ(ran.out.find("\nskip "), std::string::npos);
  const json document = run({"replay", kRegressions, "--kernel", "scatter.max.*", "--json"}).json();
  std::set<std::string> statuses;
  for (const json& result : document["results"]) statuses.insert(result["status"].get<std::string>());
  EXPECT_EQ(statuses, (std::set<std::string>{"as_expected", "skipped"}));
  EXPECT_EQ(document["errors"], json::array());
  EXPECT_THAT(contents(directory / "out.xml"), HasSubstr("<skipped message"));

  const Ran none = run({"replay", kCase, "--kernel", "gemm.*"});
  EXPECT_EQ(none.code, 4) << "all skipped";
  EXPECT_THAT(none.out, StartsWith("nothing was decided, 1 case skipped"));
}

TEST(Replay, ABadFileIsAUsageErrorAndTheOthersRun) {
  const Directory directory;
  write(directory / "a.safetensors", "nonsense");
  std::filesystem::copy(kCase, directory / "b.safetensors");
  const Ran ran = run({"replay", directory.path(), "--json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.json()["results"].size(), 2u);
  EXPECT_EQ(ran.json()["errors"].size(), 1u);
  EXPECT_THAT(ran.err, HasSubstr("a.safetensors"));
}

#ifndef NEGZERO_SANITIZE  // There are watched kernels.
TEST(Replay, AWatchedRunExplainsWhatAPlainOneOnlySees) {
  // By their own contracts these are findings, not what the files expect.
  const std::string fault = "faulty.I2.leading_dimension_ignored";
  const Words words = {"replay", kRegressions + "/I2_leading_dimension_ignored.safetensors", "--kernel", fault};
  const Ran ran = run(words);
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("rule       run.guard"));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("  watched    .*I2_[a-z_]*\\.cu:[0-9]+"));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("\nkernels/faulty/I2_[a-z_]*\\.cu:[0-9]+: [a-z_]+: .*;"))
      << "as a compiler says it, with the line";
  Words never = words;
  never.insert(never.end(), {"--watch", "never"});
  EXPECT_EQ(run(never).out.find("  watched  "), std::string::npos);
}
#endif

TEST(Show, ADocumentOfManyElementsTakesLittleMemory) {
  const Directory directory;
  auto value = case_file::load(kRegressions + "/G8_k_tail_not_predicated.safetensors");
  ASSERT_TRUE(value.ok());
  constexpr std::int64_t kMany = 1'000'000;
  value->operation = operation::Reduce{.rows = 1, .columns = kMany};
  value->tensors = {{"x", tensor::Tensor(number::FormatId::F32, {1, kMany})}};
  value->tensors.at("x").set(kMany - 1, 0x3f800000);
  value->layouts.clear();
  value->expect.clear();
  value->found.reset();
  value->kernel = R"("values": null)";
  value->contract.clear();
  operation::pack_missing_layouts(*value);
  const base::Status saved = case_file::save(directory / "many", *value);
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  const Ran ran = run({"show", directory / "many", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_LT(ran.most_kib, 200 << 10) << "a tree of all of them takes twice that";
  const json document = ran.json();
  EXPECT_EQ(document["kernel"], R"("values": null)");
  ASSERT_EQ(document["tensors"]["x"]["values"].size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(document["tensors"]["x"]["values"][kMany - 1], (json{"1", "0x3f800000"}));
}

TEST(Show, SaysEverythingThatAFailureNeeds) {
  const json document = run({"show", kRegressions + "/G8_k_tail_not_predicated.safetensors", "--json"}).json();
  EXPECT_EQ(document["version"], 2);
  for (const std::string key : {"operation", "description", "scalars", "kernel", "contract", "strategy", "seed",
                                "index", "poison", "schedule", "tensors", "layouts", "found", "expect"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_TRUE(document["tensors"].contains("a"));
  const Ran text = run({"show", kCase});
  EXPECT_EQ(text.code, 0);
  for (const std::string part : {"scatter.max", "0x80000000", "kernel", "contract", "expects"}) {
    EXPECT_THAT(text.out, HasSubstr(part));
  }
}

TEST(Shrink, ToTheFileAndWithItsClass) {
  const Directory directory;
  const json check = run({"check", "faulty.A1.*", "--cases", "60", "--save", directory / "found", "--json"}).json();
  const json finding = check["kernels"][0]["findings"][0];
  const Ran ran =
      run({"shrink", finding["original"].get<std::string>(), "-o", directory / "small.safetensors", "--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const json document = ran.json();
  EXPECT_EQ(document["class"], finding["class"]);
  EXPECT_EQ(document["case"], directory / "small.safetensors");
  EXPECT_EQ(contents(directory / "small.safetensors"), contents(finding["case"].get<std::string>()))
      << "the loop is the one of check";
}

TEST(Shrink, AnInterruptIsSaidInTheFilesName) {
  const Directory directory;
  const json check = run({"check", "faulty.A1.*", "--cases", "60", "--save", directory / "found", "--json"}).json();
  const std::string original = check["kernels"][0]["findings"][0]["original"];
  const Ran ran = run({"shrink", original, "-o", directory / "small.safetensors", "--json"},
                      {.interrupt = SIGINT, .ready = "shrinking"});
  // The machine may have been quick enough to reach the end.
  if (!ran.json()["interrupted"].get<bool>()) GTEST_SKIP() << "it was done before the signal came";
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.json()["case"], directory / "small.partial.safetensors");
  EXPECT_FALSE(std::filesystem::exists(directory / "small.safetensors"));
  EXPECT_THAT(ran.err, HasSubstr("shrink " + (directory / "small.partial.safetensors") + " -o " +
                                 (directory / "small.case.safetensors")));
  const Ran rest = run({"shrink", directory / "small.partial.safetensors", "-o", directory / "small.safetensors"});
  EXPECT_EQ(rest.code, 1) << rest.err;
}

TEST(Shrink, SaysHowLongItMayTake) {
  const Directory directory;
  const Ran ran = run({"shrink", kCase, "-o", directory / "x.safetensors", "--kernel", "faulty.A1.max_by_value_sign",
                       "--timeout", "2500ms"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("; a run without progress for 2.5 s is a hang\n"));
  EXPECT_THAT(ran.err, HasSubstr("shrinking faulty.A1.max_by_value_sign ("));
  EXPECT_THAT(ran.err, HasSubstr("at most 60 s; Ctrl-C keeps the smallest so far"));
  EXPECT_EQ(ran.err.find("at most"), ran.err.rfind("at most")) << "one limit of time";
}

TEST(Shrink, ItsTimeCanBeBounded) {
  const Directory directory;
  const std::string found = directory / "found";
  const Words check = {"check", "faulty.A1.*", "--cases", "60", "--save", found, "--shrink-time", "0s"};
  const Ran text = run(check);
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_EQ(text.err.find("shrinking"), std::string::npos) << text.err;
  EXPECT_THAT(text.out, HasSubstr("  smaller    not shrunk (--shrink-time 0s); to go on: "));
  for (const auto& entry : std::filesystem::directory_iterator(found)) {
    EXPECT_THAT(entry.path().string(), EndsWith(".original.safetensors"));
  }
  const Ran none = run({"shrink", kCase, "-o", directory / "x", "--shrink-time", "0s"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--shrink-time '0s' is no time"));
  const Ran brief = run(
      {"shrink", kCase, "-o", directory / "x", "--shrink-time", "300ms", "--kernel", "faulty.A1.max_by_value_sign"});
  EXPECT_EQ(brief.code, 1) << brief.err;
  EXPECT_THAT(brief.err, HasSubstr("at most 300 ms"));
}

TEST(Shrink, APassHasNothingToShrink) {
  const Directory directory;
  const Ran ran = run({"shrink", kCase, "-o", directory / "x", "--kernel", "twin.A1.max_by_sign_bit"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("pass"));
  EXPECT_FALSE(std::filesystem::exists(directory / "x"));
}

}  // namespace
}  // namespace negzero::cli_test

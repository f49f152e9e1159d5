// The commands end to end on the shipped kernels: documents, exit codes, files, interrupts.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/watched_size.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

TEST(List, EverythingIsADocumentOfItsOwn) {
  for (const std::string what :
       {"kernels", "operations", "contracts", "fields", "formats", "strategies", "properties", "rules", "devices"}) {
    const Ran ran = run({"list", what, "--json"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    const json document = ran.json();
    EXPECT_EQ(document["version"], 2);
    ASSERT_FALSE(document[what].empty()) << what;
    std::set<std::string> names;
    for (const json& item : document[what]) names.insert(item["name"].get<std::string>());
    EXPECT_EQ(names.size(), document[what].size()) << "a name twice";
    const Ran text = run({"list", what});
    EXPECT_EQ(text.code, 0);
    for (const std::string& name : names) EXPECT_THAT(text.out, HasSubstr(name));
  }
}

TEST(List, FormatsAreThoseOfTheTable) {
  const json listed = run({"list", "formats", "--json"}).json();
  const json& formats = listed["formats"];
  ASSERT_EQ(formats.size(), number::all_formats().size());
  const auto named = [&](const std::string& name) {
    return *std::ranges::find_if(formats, [&](const json& each) { return each["name"] == name; });
  };
  EXPECT_EQ(named("F8_E4M3"), (json{{"name", "F8_E4M3"},
                                    {"bits", 8},
                                    {"exponent_bits", 4},
                                    {"fraction_bits", 3},
                                    {"bias", 7},
                                    {"least", {"-448", "0xfe"}},
                                    {"greatest", {"448", "0x7e"}},
                                    {"smallest_normal", {"0.016", "0x08"}},
                                    {"smallest_subnormal", {"0.002", "0x01"}},
                                    {"infinity", false},
                                    {"nan", "all_ones"}}));
  EXPECT_EQ(named("TF32")["unused_bits"], 13);
  EXPECT_EQ(named("F16")["greatest"], (json{"65504", "0x7bff"}));
  EXPECT_EQ(named("F16")["infinity"], true);
  EXPECT_EQ(named("I32")["least"][0], "-2147483648");
  EXPECT_EQ(named("I32")["nan"], "none");
  EXPECT_THAT(run({"list", "formats"}).out, HasSubstr("F8_E5M2\n    bits: 8\n    exponent_bits: 5\n"));
}

TEST(List, CasesAsTheyAreMade) {
  const json document = run({"list", "cases", "gemm.naive.f32", "--cases", "12", "--seed", "5", "--json"}).json();
  EXPECT_EQ(document["version"], 2);
  EXPECT_EQ(document["kernel"], "gemm.naive.f32");
  EXPECT_EQ(document["seed"], 5);
  ASSERT_EQ(document["cases"].size(), 12u);
  using enum number::FormatId;
  const generate::Request request{.operation = "gemm", .limits = {.formats = {{F32, F32, F32}}}};
  const Ran text = run({"list", "cases", "gemm.naive.f32", "--cases", "12", "--seed", "5"});
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(std::ranges::count(text.out, '\n'), 12) << "one line a case";
  for (std::size_t i = 0; i < 12; ++i) {
    const json& listed = document["cases"][i];
    const operation::Case made = generate::make_case(request, 5, i);
    EXPECT_EQ(listed["index"], i);
    EXPECT_EQ(listed["strategy"], made.strategy);
    for (const operation::Extent& extent : operation::extents_of(made.operation)) {
      EXPECT_EQ(listed["extents"][std::string(extent.name)], extent.value);
      EXPECT_THAT(text.out, HasSubstr(" " + std::string(extent.name) + "=" + std::to_string(extent.value)));
    }
    for (const auto& [name, layout] : made.layouts) {
      EXPECT_EQ(listed["layouts"][name]["strides"], layout.strides);
      EXPECT_EQ(listed["layouts"][name]["offset"], layout.offset);
    }
    const bool can_look = listed["watched"] == false && run::is_small_enough_to_watch(made.operation);
    if (i < 8) {
      EXPECT_EQ(listed["launches"], can_look ? 2 : 0) << "state is looked for at the first eight";
    }
  }
}

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

TEST(List, OperationsWithTheirDefinitionInputsAndOutputs) {
  const json operations = run({"list", "operations", "--json"}).json()["operations"];
  ASSERT_EQ(operations.size(), 15u);
  EXPECT_EQ(operations[1], json::parse(R"({
    "name": "gemm",
    "definition": "d[b<batch, i<m, j<n] = alpha * sum(k: a[b,i,k] * b[b,k,j]) + beta * c[b,i,j]",
    "extents": ["batch", "m", "n", "k"],
    "scalars": ["alpha", "beta"],
    "inputs": [{"name": "a", "role": "input", "shape": ["batch", "m", "k"], "format": "a"},
               {"name": "b", "role": "input", "shape": ["batch", "k", "n"], "format": "b"},
               {"name": "c", "role": "input", "shape": ["batch", "m", "n"], "format": "d"}],
    "outputs": [{"name": "d", "role": "output", "shape": ["batch", "m", "n"], "format": "d"}]})"));
  EXPECT_EQ(operations[2]["inputs"][2],
            json::parse(R"({"name": "rows", "role": "index", "shape": ["groups"], "format": "I32",
                             "at_most": "capacity"})"));
  EXPECT_EQ(operations[12]["inputs"][1],
            json::parse(R"({"name": "index", "role": "index", "shape": ["updates"], "format": "I32",
                             "below": "destinations"})"));
  EXPECT_EQ(operations[9]["outputs"], json::parse(R"([{"name": "y", "role": "output", "shape": ["rows"], "format": "y"},
                            {"name": "at", "role": "output", "shape": ["rows"], "format": "at"}])"));
  EXPECT_THAT(run({"list", "operations"}).out,
              HasSubstr("gemm.grouped\n"
                        "    definition: d[g<groups, i<rows[g]<=capacity, j<n] = sum(k: a[g,i,k] * b[g,k,j])\n"
                        "    inputs: a[groups, capacity, k], b[groups, k, n], rows[groups] <= capacity\n"
                        "    outputs: d[groups, capacity, n]\n"));
  EXPECT_THAT(run({"list", "operations"}).out,
              HasSubstr("scatter.add\n"
                        "    definition: out[index[i<updates] < destinations] += x[i]\n"
                        "    inputs: x[updates], index[updates] < destinations, init[destinations]\n"
                        "    outputs: out[destinations]\n"));
}

TEST(List, KernelsByNameWithLimitsAndContract) {
  const json kernels = run({"list", "kernels", "scatter.max.*", "twin.A1.*", "--json"}).json()["kernels"];
  std::vector<std::string> names;
  for (const json& kernel : kernels) {
    names.push_back(kernel["name"]);
    EXPECT_THAT(kernel["limits"].get<std::string>(), StartsWith("F32"));
  }
  EXPECT_THAT(names, ElementsAre("scatter.max.cas.f32", "scatter.max.sign_bit.f32", "twin.A1.max_by_sign_bit"));
  const Ran text = run({"list", "kernels", "scatter.max.cas.f32"});
  EXPECT_THAT(text.out, HasSubstr("    limits: F32"));
  EXPECT_EQ(text.out.find("sign_bit"), std::string::npos);
}

TEST(List, ContractsThatReadAlikeAreSaidToBeTheSame) {
  std::map<std::string, std::string> seen;
  const json document = run({"list", "contracts", "--json"}).json();
  for (const json& preset : document["contracts"]) {
    const auto [at, is_new] = seen.emplace(preset["numerics"], preset["name"]);
    EXPECT_EQ(preset.value("same_as", ""), is_new ? "" : at->second) << preset;
  }
}

TEST(List, FieldsSayWhatTheyTake) {
  EXPECT_THAT(
      run({"list", "fields"}).out,
      HasSubstr("slice_format\n"
                "    meaning: The narrower format in which sums of slices of k may be stored before they are added.\n"
                "    takes: F16, BF16, null\n"
                "    default: null\n"));
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
    EXPECT_LT(told, ran.err.find("shrinking ")) << "all of them before the first is shrunk";
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

TEST(Replay, TheRegressionCorpusIsAsExpected) {
  const Directory directory;
  const Ran ran = run({"replay", kRegressions, "--json", "--junit", directory / "out.xml"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  const json document = ran.json();
  EXPECT_GE(document["results"].size(), 20u);
#ifdef NEGZERO_SANITIZE  // No watched kernels there: what expects one is skipped.
  for (const json& result : document["results"]) EXPECT_NE(result["status"], "different") << result;
#else
  for (const json& result : document["results"]) EXPECT_EQ(result["status"], "as_expected") << result;
#endif
  const std::string xml = contents(directory / "out.xml");
#ifndef NEGZERO_SANITIZE
  EXPECT_THAT(xml, HasSubstr("failures=\"0\" errors=\"0\" skipped=\"0\""));
#endif
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

TEST(Shrink, APassHasNothingToShrink) {
  const Directory directory;
  const Ran ran = run({"shrink", kCase, "-o", directory / "x", "--kernel", "twin.A1.max_by_sign_bit"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("pass"));
  EXPECT_FALSE(std::filesystem::exists(directory / "x"));
}

}  // namespace
}  // namespace negzero::cli_test

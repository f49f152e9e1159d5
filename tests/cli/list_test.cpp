// `list` end to end: every table as text and as a document of its own.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/watched_size.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(List, EverythingIsADocumentOfItsOwn) {
  for (const std::string what : {"kernels", "operations", "contracts", "fields", "formats", "declaration", "strategies",
                                 "properties", "rules", "devices"}) {
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

/// Case 29 of that kernel and seed is one that check finds to differ from its first run.
TEST(List, CasesWithEverythingThatCheckDoesWithThem) {
  const auto listed = [](const std::string& watch) {
    return run({"list", "cases", "faulty.R13.shared_reused", "--watch", watch, "--cases", "400", "--seed", "1",
                "--json"})
        .json()["cases"];
  };
  const json automatic = listed("auto"), never = listed("never"), always = listed("always");
  const auto count = [](const json& cases, const std::string& field, const json& value) {
    return std::ranges::count_if(cases, [&](const json& each) { return each[field] == value; });
  };
  EXPECT_EQ(never[29]["again"], true);
  EXPECT_EQ(count(never, "watched", true), 0);
  EXPECT_GT(count(never, "again", true), 10);
  EXPECT_GT(count(always, "watched", true), 380);
  EXPECT_EQ(count(always, "watch_reason", "asked"), 400);
  EXPECT_GT(count(automatic, "watched", true), 10);
  EXPECT_GT(count(automatic, "second", nullptr), 0);
  for (std::size_t i = 0; i < automatic.size(); ++i) {
    const json& each = automatic[i];
    EXPECT_EQ(each["again"], each["watched"] == false && never[i]["again"]) << "by seed and number alone: " << i;
    if (each["second"].is_null()) continue;
    EXPECT_EQ(each["second"], (json{{"when", "hangs"}, {"watched", false}, {"again", false}})) << i;
    EXPECT_EQ(each["watched"], true);
  }
  EXPECT_GT(count(automatic, "blame", "watched_and_launches"), 300);
  EXPECT_EQ(run({"list", "cases", "gemm.naive.f32", "--watch", "often"}).code, 2);
}

TEST(List, OperationsWithTheirDefinitionInputsAndOutputs) {
  const json operations = run({"list", "operations", "--json"}).json()["operations"];
  ASSERT_EQ(operations.size(), 20u);
  const auto of = [&](std::string_view name) {
    const auto found = std::ranges::find_if(operations, [&](const json& each) { return each["name"] == name; });
    return found == operations.end() ? json() : *found;
  };
  EXPECT_EQ(of("gemm"), json::parse(R"({
    "name": "gemm",
    "definition": "d[b<batch, i<m, j<n] = alpha * sum(k: a[b,i,k] * b[b,k,j]) + beta * c[b,i,j]",
    "extents": ["batch", "m", "n", "k"],
    "scalars": ["alpha", "beta"],
    "inputs": [{"name": "a", "role": "input", "shape": ["batch", "m", "k"], "format": "a"},
               {"name": "b", "role": "input", "shape": ["batch", "k", "n"], "format": "b"},
               {"name": "c", "role": "input", "shape": ["batch", "m", "n"], "format": "c", "usually": "d"}],
    "outputs": [{"name": "d", "role": "output", "shape": ["batch", "m", "n"], "format": "d"}]})"));
  EXPECT_EQ(of("gemm.grouped")["inputs"][2],
            json::parse(R"({"name": "rows", "role": "index", "shape": ["groups"], "format": "rows", "usually": "I32",
                             "at_most": "capacity"})"));
  EXPECT_EQ(of("scatter.add")["inputs"][1],
            json::parse(R"({"name": "index", "role": "index", "shape": ["updates"], "format": "index", "usually": "I32",
                             "below": "destinations"})"));
  EXPECT_EQ(of("reduce.sum_middle")["inputs"],
            json::parse(R"([{"name": "x", "role": "input", "shape": ["outer", "columns", "inner"], "format": "x"}])"));
  EXPECT_EQ(of("reduce.max_index")["outputs"],
            json::parse(R"([{"name": "y", "role": "output", "shape": ["rows"], "format": "y"},
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
    EXPECT_EQ(preset["tensor_core"], "no") << preset;
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

}  // namespace
}  // namespace negzero::cli_test

// `negzero judge`: exit codes, the files that it reads and writes, and the way from `replay --save-outputs`.

#include <filesystem>
#include <map>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

#include "program.hpp"
#include "sums_file.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;

/// y = the sum of 1, 2 and 3 in each of two rows.
struct Sum {
  Directory directory{};
  operation::Case value{};

  Sum() {
    value.operation = operation::Reduce{.rows = 2, .columns = 3};
    tensor::Tensor x(number::FormatId::F32, {2, 3});
    for (std::int64_t i = 0; i < 6; ++i) x.set(i, number::from_double(x.format(), 1 + static_cast<double>(i % 3)));
    value.tensors.emplace("x", std::move(x));
    operation::pack_missing_layouts(value);
  }
  [[nodiscard]] std::string case_file(const std::string& contract) {
    value.contract = contract;
    EXPECT_TRUE(case_file::save(directory / "sum.safetensors", value).ok());
    return directory / "sum.safetensors";
  }
  [[nodiscard]] std::string observed(double first, double second, const std::string& name = "y") const {
    return sums_file(directory, first, second, name);
  }
};

TEST(Judge, ExitsByWhatIsPermitted) {
  Sum sum;
  const std::string file = sum.case_file("f32");
  Ran ran = run({"judge", file, "--observed", sum.observed(6, 6)});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              ::testing::StartsWith("permitted: all 2 elements; 0 % of their terms could be dropped unnoticed"));
  ran = run({"judge", file, "--observed", sum.observed(6, 6.5)});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, ::testing::StartsWith("not permitted: 1 of 2 judged elements"));
  EXPECT_THAT(ran.out, HasSubstr("  observed   y[1] = 6.5 (0x40d00000)\n  permitted  6 (0x40c00000)\n"));
  EXPECT_THAT(ran.out, HasSubstr("  rule       sum.exact: "));
  EXPECT_EQ(ran.err, "");
  const auto document = run({"judge", file, "--observed", sum.observed(6, 6.5), "--json"}).json();
  EXPECT_EQ(document["verdict"], "fail");
  EXPECT_EQ(document["failing"], 1);
  EXPECT_EQ(document["worst"][0]["index"], nlohmann::json::array({1}));
}

TEST(Judge, AsksForAContractWhereThereIsNone) {
  Sum sum;
  const std::string file = sum.case_file("");
  Ran ran = run({"judge", file, "--observed", sum.observed(6, 6)});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("names no contract"));
  EXPECT_THAT(ran.err, HasSubstr("--contract"));
  EXPECT_EQ(run({"judge", file, "--observed", sum.observed(6, 6), "--contract", "f32"}).code, 0);
  EXPECT_EQ(run({"judge", file, "--observed", sum.observed(6, 6), "--contract", R"({"order":"ascending"})"}).code, 0);
  EXPECT_EQ(run({"judge", file, "--observed", sum.observed(6, 6), "--contract", "no_such"}).code, 2);
  ran = run({"judge", file, "--observed", sum.observed(6, 7), "--contract", "default"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("no contract was given"));
}

TEST(Judge, NamesWhatDoesNotFit) {
  Sum sum;
  const std::string file = sum.case_file("f32");
  Ran ran = run({"judge", file, "--observed", sum.observed(6, 6, "z")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("the output y of reduce.sum is missing"));
  ran = run({"judge", file, "--observed", sum.directory / "nothing"});
  EXPECT_EQ(ran.code, 2);
  write(sum.directory / "damaged", "no tensors");
  ran = run({"judge", file, "--observed", sum.directory / "damaged"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("damaged"));
  EXPECT_EQ(run({"judge", file}).code, 2) << "without --observed";
}

TEST(Judge, WritesThePermittedSets) {
  Sum sum;
  const std::string file = sum.case_file("f32"), sets = sum.directory / "sets";
  EXPECT_EQ(run({"judge", file, "--observed", sum.observed(6, 6), "--sets", sets}).code, 0);
  const std::string bytes = contents(sets);
  const auto archive = files::parse_safetensors(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(archive.ok());
  const std::uint64_t six = number::from_double(number::format(number::FormatId::F32), 6);
  EXPECT_EQ(archive->tensors.at("y.low").get(0), six);
  EXPECT_EQ(archive->tensors.at("y.high").get(1), six);
  EXPECT_EQ(archive->tensors.at("y.flags").get(0), 1u);
  EXPECT_EQ(run({"judge", file, "--observed", sum.observed(6, 6), "--sets", sum.directory / "no/such/folder"}).code, 3);
}

TEST(Judge, NothingDecidedIsNoPass) {
  Sum sum;
  sum.value.operation.extent("rows") = 0;
  sum.value.tensors.at("x") = tensor::Tensor(number::FormatId::F32, {0, 3});
  sum.value.layouts.clear();
  operation::pack_missing_layouts(sum.value);
  const std::string file = sum.case_file("f32"), out = sum.directory / "none";
  const auto bytes = files::write_safetensors({{"y", tensor::Tensor(number::FormatId::F32, {0})}}, {});
  ASSERT_TRUE(files::write_file_atomically(out, bytes).ok());
  const Ran ran = run({"judge", file, "--observed", out});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, HasSubstr("undecided: "));
}

TEST(Judge, AModelThatIsNotKnownDecidesNothingWhereverItStands) {
  Sum sum;
  const std::string out = sum.observed(6, 6), file = sum.case_file(R"({"order":"model","model":"x"})");
  EXPECT_EQ(run({"judge", file, "--observed", out}).code, 4);
  EXPECT_EQ(run({"judge", file, "--observed", out, "--contract", R"({"order":"model","model":"x"})"}).code, 4);
}

/// Whether a fault or its twin is of a declared operation: O1, O2 and so on in the catalogue.
bool is_held_to_a_reference(const std::string& kernel) {
  return kernel.starts_with("faulty.O") || kernel.starts_with("twin.O");
}

TEST(Judge, SaysOfSavedOutputsWhatReplaySays) {
  const Directory directory;
  const std::string corpus = std::string(NEGZERO_SOURCE_DIR) + "/corpus/regressions", saved = directory / "saved";
  const auto replayed = run({"replay", corpus, "--save-outputs", saved, "--json"}).json();
  int ran_here = 0, same = 0, failing = 0, without = 0, by_reference = 0;
  for (const auto& result : replayed["results"]) {
    if (result.contains("skipped")) continue;
    ++ran_here;
    if (!result.contains("outputs")) {
      ++without;
      EXPECT_NE(result["verdict"], "pass") << "what passes has outputs";
      continue;
    }
    const Ran ran = run({"judge", result["case"], "--observed", result["outputs"], "--json"});
    const bool is_of_values = !result.contains("class") || result["class"].get<std::string>().starts_with("wrong_");
    if (!is_of_values) continue;  // Races and bad accesses leave no trace in values.
    const auto judged = ran.json();
    if (is_held_to_a_reference(result["kernel"])) {
      // The reference would have to run, and judge runs no kernel.
      EXPECT_EQ(judged["verdict"], "undecided") << result["case"];
      EXPECT_EQ(ran.code, 4);
      ++by_reference;
      continue;
    }
    EXPECT_EQ(judged["verdict"], result["verdict"]) << result["case"] << " " << result["kernel"];
    EXPECT_EQ(ran.code, result["verdict"] == "pass" ? 0 : 1);
    if (result["verdict"] == "fail") {
      EXPECT_EQ(judged["worst"][0]["class"], result["class"]) << result["case"];
    }
    ++same;
    failing += result["verdict"] == "fail" ? 1 : 0;
  }
  EXPECT_GT(same, 20);
  EXPECT_GT(by_reference, 10);
  EXPECT_GT(failing, 10);
  EXPECT_LT(without, 5);
  EXPECT_EQ(ran_here - without, std::distance(std::filesystem::directory_iterator(saved), {}));
}

}  // namespace
}  // namespace negzero::cli_test

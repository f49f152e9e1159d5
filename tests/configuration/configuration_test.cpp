// A kernel with options, as a user meets it: what is found, what the shrunk case says, and what each command shows.

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/limits.hpp>

#include "../cli/on_fake.hpp"
#include "../cli/program.hpp"

namespace negzero::configuration_test {
namespace {

using cli_test::Directory;
using cli_test::Ran;
using cli_test::run_on_fake;
using operation::Configuration;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Ran run(std::vector<std::string> words) {
  words.insert(words.end(), {"--kernels", NEGZERO_CONFIGURED});
  return cli_test::run(words);
}

Ran check(const std::string& kernel, const Directory& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"check",  kernel, "--executor", "host", "--cases", "200",
                                 "--seed", "1",    "--jobs",     "2",    "--save",  folder.path()};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

/// The shrunk case that a check of the wrong kernel saves.
std::string found(const Directory& folder) {
  const nlohmann::json document = check("sum.configured", folder, {"--json"}).json();
  return document["kernels"][0]["findings"][0]["case"];
}

TEST(Configuration, TheFindingIsOfTheAlgorithmThatIsWrongAndSaysNoOtherOption) {
  const Directory folder;
  const Ran ran = check("sum.configured", folder, {"--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const nlohmann::json kernel = ran.json()["kernels"][0];
  EXPECT_GT(kernel["pass"].get<int>(), 50) << "the other algorithms are right: " << kernel;
  ASSERT_EQ(kernel["findings"].size(), 1u) << kernel;
  const nlohmann::json finding = kernel["findings"][0];
  EXPECT_EQ(finding["configuration"], (nlohmann::json{{"algorithm", 2}})) << finding;
  const auto shrunk = case_file::load(finding["case"]);
  ASSERT_TRUE(shrunk) << shrunk.error().message;
  EXPECT_EQ(shrunk->configuration, (Configuration{{"algorithm", 2}}));
  EXPECT_EQ(operation::extents_of(shrunk->operation)[0].value, 1);
  EXPECT_EQ(operation::extents_of(shrunk->operation)[1].value, 3) << "the fault begins with three columns";
}

TEST(Configuration, TheFindingSaysItOnOneLine) {
  const Directory folder;
  const std::string html = folder / "report.html", markdown = folder / "report.md";
  const Ran ran = check("sum.configured", folder, {"--report", html, "--markdown", markdown});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n             configuration: algorithm 2\n"));
  EXPECT_THAT(cli_test::contents(html), HasSubstr("configuration: algorithm 2"));
  EXPECT_THAT(cli_test::contents(markdown), HasSubstr("configuration: algorithm 2"));
}

TEST(Configuration, TheRightAlgorithmsPass) {
  const Directory folder;
  const Ran ran = check("sum.right", folder);
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST(Configuration, ACaseIsShownWithItAndReplayedByIt) {
  const Directory folder;
  const std::string path = found(folder);
  EXPECT_THAT(run({"show", path}).out, HasSubstr("\nconfiguration: algorithm 2\n"));
  EXPECT_EQ(run({"show", path, "--json"}).json()["configuration"], (nlohmann::json{{"algorithm", 2}}));
  EXPECT_EQ(run({"replay", path, "--executor", "host"}).code, 1);
  auto other = case_file::load(path);
  ASSERT_TRUE(other);
  other->configuration = {{"algorithm", 3}};
  const std::string changed = folder / "changed.safetensors";
  ASSERT_TRUE(case_file::save(changed, *other));
  EXPECT_EQ(run({"replay", changed, "--executor", "host"}).code, 0) << "algorithm 3 is right";
}

TEST(Configuration, AnotherKernelRunsTheCaseAsFarAsItHasTheOption) {
  const Directory folder;
  const std::string path = found(folder);
  const Ran plain = run({"replay", path, "--kernel", "sum.plain", "--executor", "host"});
  EXPECT_EQ(plain.code, 0) << "an option that it does not have means nothing: " << plain.out << plain.err;
  const Ran refused = run({"replay", path, "--kernel", "sum.right", "--executor", "host"});
  EXPECT_NE(refused.code, 0) << refused.out;
  EXPECT_THAT(refused.out + refused.err, HasSubstr("option algorithm = 2 is none of 0, 1 or 3"));
}

TEST(Configuration, TwoKernelsAreComparedByTheFirstOnesConfigurations) {
  const Directory folder;
  const Ran ran = run({"compare", "sum.configured@host", "sum.plain@host", "--cases", "200", "--seed", "1", "--json",
                       "--save", folder.path()});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const nlohmann::json differences = ran.json()["differences"];
  bool has_wrong = false;
  for (const auto& difference : differences) {
    if (!difference.contains("configuration")) continue;
    has_wrong = has_wrong || difference["configuration"]["algorithm"] == 2;
  }
  EXPECT_TRUE(has_wrong) << differences;
}

TEST(Configuration, AKernelsLimitsNameTheOptions) {
  EXPECT_THAT(run({"list", "kernels"}).out, HasSubstr("algorithm 0 to 3; split 1, 2 or 4; workspace 4096 or 0"));
  const Ran drawn = run({"list", "cases", "sum.configured", "--cases", "40", "--executor", "host"});
  EXPECT_THAT(drawn.out, AllOf(HasSubstr("algorithm 2"), HasSubstr("split 4"), HasSubstr("workspace 0"),
                               Not(HasSubstr("algorithm 0")), Not(HasSubstr("workspace 4096"))));
}

TEST(Configuration, ExportedCodeHasAllOptionsOfTheKernel) {
  const Directory folder;
  const Ran ran = run({"export", found(folder), "--format", "cu"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("// configuration: algorithm 2\n"),
                             HasSubstr("args.options = {{\"algorithm\", 2}, {\"split\", 1}, {\"workspace\", 4096}};"),
                             HasSubstr("std::int64_t option(const std::string& name)")));
  EXPECT_EQ(run_on_fake(ran.out, folder).code, 1);
  const std::string right = cli_test::replaced(ran.out, "{\"algorithm\", 2}", "{\"algorithm\", 1}");
  EXPECT_EQ(run_on_fake(right, folder).code, 0) << "the option decides";
}

TEST(Configuration, ASearchCrossesAndExchangesOptions) {
  const Directory folder;
  const Ran ran = run({"fuzz", "sum.configured", "--executor", "host", "--cases", "400", "--seed", "1", "--jobs", "2",
                       "--json", "--folder", folder / "campaign"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const nlohmann::json finding = ran.json()["kernels"][0]["findings"][0];
  EXPECT_EQ(finding["configuration"], (nlohmann::json{{"algorithm", 2}})) << finding;
}

/// The cases of all values of an option.
std::uint64_t sum_of(const nlohmann::json& by_value) {
  std::uint64_t sum = 0;
  for (const auto& count : by_value) sum += count.get<std::uint64_t>();
  return sum;
}

TEST(Configuration, CasesAreCountedByValueAndFailingOnesBeside) {
  const Directory folder;
  const nlohmann::json kernel = check("sum.configured", folder, {"--json"}).json()["kernels"][0];
  const nlohmann::json options = kernel["options"], failing = kernel["options_failing"];
  ASSERT_EQ(options.size(), 3u) << kernel;
  EXPECT_EQ(options["algorithm"].size(), 4u);
  EXPECT_EQ(options["split"].size(), 3u);
  for (const auto& [name, by_value] : options.items()) {
    EXPECT_EQ(sum_of(by_value), kernel["cases"].get<std::uint64_t>()) << "every case has one value of " << name;
  }
  EXPECT_EQ(failing["algorithm"], (nlohmann::json{{"2", kernel["fail"]}})) << "the wrong one, in every failing case";
  EXPECT_EQ(sum_of(failing["split"]), kernel["fail"].get<std::uint64_t>());
  EXPECT_FALSE(kernel.contains("options_cut"));
  const nlohmann::json plain = check("sum.plain", folder, {"--json"}).json()["kernels"][0];
  EXPECT_FALSE(plain.contains("options")) << "it has none";
}

TEST(Configuration, TheTextNamesTheValuesThatFailed) {
  const Directory folder;
  const Ran ran = check("sum.configured", folder);
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("\n +options: algorithm 2 fails in [0-9]+ of [0-9]+\n"));
  EXPECT_THAT(check("sum.right", folder).out, Not(HasSubstr("options")));
}

TEST(Configuration, CountsOfASearchGoOnAndAddUpOverShards) {
  const Directory folder;
  const auto search = [&](const std::string& shard) {
    return run({"fuzz", "sum.configured", "--executor", "host", "--cases", "150", "--seed", "1", "--jobs", "2",
                "--json", "--shrink-time", "0s", "--shard", shard, "--folder", folder / "campaign"})
        .json()["kernels"][0];
  };
  const auto all = [](const nlohmann::json& kernel) { return kernel["cases"].get<std::uint64_t>(); };
  const nlohmann::json first = search("1/2"), again = search("1/2"), second = search("2/2");
  EXPECT_EQ(sum_of(first["options"]["algorithm"]), all(first));
  EXPECT_GT(all(again), all(first));
  EXPECT_EQ(sum_of(again["options"]["algorithm"]), all(again)) << "the cases of the first run too";
  EXPECT_EQ(again["options_failing"]["algorithm"], (nlohmann::json{{"2", again["fail"]}}));
  const nlohmann::json total =
      run({"report", folder / "campaign", "--executor", "host", "--json"}).json()["kernels"][0];
  EXPECT_EQ(all(total), all(again) + all(second));
  EXPECT_EQ(sum_of(total["options"]["algorithm"]), all(total));
  EXPECT_EQ(sum_of(total["options_failing"]["algorithm"]), total["fail"].get<std::uint64_t>());
}

TEST(Configuration, ASearchKeepsACaseOfEachValueOfALongList) {
  const Directory folder;
  const Ran ran = run({"fuzz", "sum.many", "--executor", "host", "--cases", "1200", "--seed", "1", "--jobs", "2",
                       "--json", "--folder", folder / "campaign"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json kernel = ran.json()["kernels"][0];
  std::set<std::int64_t> kept;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "campaign/corpus/sum.many")) {
    if (entry.path().extension() != ".safetensors") continue;
    const auto value = case_file::load(entry.path().string());
    ASSERT_TRUE(value) << value.error().message;
    const auto tile = value->configuration.find("tile");
    kept.insert(tile == value->configuration.end() ? 0 : tile->second);
  }
  // Some may have been drawn by cases that are no pass, which are not kept.
  std::size_t low = 0;
  for (const std::int64_t value : kept) low += value < 64 ? 1 : 0;
  EXPECT_GE(low, 60u) << "of the 64 values that are told apart; features alone of values keep far fewer";
  EXPECT_EQ(kernel["options"]["tile"].size(), 64u);
  EXPECT_EQ(sum_of(kernel["options"]["tile"]) + kernel["options_cut"]["tile"]["cases"].get<std::uint64_t>(),
            kernel["cases"].get<std::uint64_t>());
}

}  // namespace
}  // namespace negzero::configuration_test

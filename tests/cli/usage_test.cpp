// What the program says to wrong command lines, what it offers as help, and where its output goes.

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/device/probe.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

/// One line "negzero: ...", nothing on standard output; with --json one document with the same message.
void expect_error(const Words& words, int code, const std::string& part) {
  const Ran plain = run(words);
  std::string line = words.empty() ? "" : words.front();
  for (std::size_t i = 1; i < words.size(); ++i) line += " " + words[i];
  EXPECT_EQ(plain.code, code) << line << "\n" << plain.err;
  EXPECT_EQ(plain.out, "") << line;
  EXPECT_THAT(plain.err, StartsWith("negzero: ")) << line;
  EXPECT_EQ(std::count(plain.err.begin(), plain.err.end(), '\n'), 1) << plain.err;
  EXPECT_THAT(plain.err, HasSubstr(part)) << line;

  Words with_json = words;
  with_json.push_back("--json");
  const Ran ran = run(with_json);
  EXPECT_EQ(ran.code, code) << line;
  EXPECT_THAT(ran.json()["error"]["message"].get<std::string>(), HasSubstr(part)) << line;
}

TEST(Usage, WrongCommandLinesAreOneLineAndCodeTwo) {
  expect_error({}, 2, "check");
  expect_error({"chek"}, 2, "'chek' is no command");
  expect_error({"--bogus"}, 2, "--bogus");
  expect_error({"check", "--bogus"}, 2, "--bogus");
  expect_error({"check", "--cases"}, 2, "--cases");
  expect_error({"check", "--cases", "many"}, 2, "--cases 'many'");
  expect_error({"check", "--cases", "0"}, 2, "from 1 to");
  expect_error({"check", "--cases", "-5"}, 2, "-5");
  expect_error({"check", "--seed", "-1"}, 2, "--seed '-1'");
  expect_error({"check", "--seed", "18446744073709551616"}, 2, "18446744073709551616");
  expect_error({"check", "--time", "30"}, 2, "--time '30' is not a duration");
  expect_error({"check", "--timeout", "1.5s"}, 2, "--timeout '1.5s'");
  expect_error({"check", "--jobs", "1025"}, 2, "--jobs '1025'");
  expect_error({"check", "--jobs", "0"}, 2, "--jobs '0' is not a whole number from 1 to 1024");
  expect_error({"check", "--time", "0s"}, 2, "--time '0s' is no time");
  expect_error({"replay", kCase, "--timeout", "0ms"}, 2, "--timeout '0ms' is no time");
  expect_error({"check", "--executor", "gpu"}, 2, "gpu");
  expect_error({"check", "--exact", "guess"}, 2, "guess");
  expect_error({"check", "--weight", "special"}, 2, "--weight special");
  expect_error({"check", "--weight", "special=-1"}, 2, "special=-1");
  expect_error({"list", "colours"}, 2,
               "'colours' is none of the words known here: kernels, operations, contracts, fields, formats, "
               "declaration, strategies, properties, rules, devices");
  expect_error({"check", "--color", "red"}, 2, "--color: 'red' is none of the words known here: auto, always, never");
  expect_error({"list", "rules", "sum.*"}, 2, "'sum.*': only kernels are listed by name");
  expect_error({"replay"}, 2, "paths");
  expect_error({"replay", "/no/such/place"}, 2, "/no/such/place: there is no such file or directory; name a case file");
  expect_error({"show"}, 2, "case");
  expect_error({"show", "/no/such/case"}, 2, "/no/such/case: No such file or directory; name a case file");
  expect_error({"show", "/tmp"}, 2, "/tmp: Is a directory; name a case file");
  expect_error({"shrink", kCase}, 2, "--output");
  expect_error({"shrink", "/no/such/case", "-o", "x"}, 2, "/no/such/case: No such file or directory; name a case file");
  expect_error({"shrink", kCase, "-o", "/tmp/x", "--kernel", "no.such.kernel"}, 2, "no.such.kernel");
  expect_error({"shrink", kCase, "-o", "/tmp/x", "--kernel", "gemm.naive.f32"}, 2,
               "not a gemm, which kernel gemm.naive.f32 implements");
}

TEST(Usage, UnknownStrategiesAreNamed) {
  expect_error({"check", "gemm.naive.f32", "--weight", "clever=1"}, 2, "clever");
  expect_error({"compare", "gemm.naive.f32", "gemm.tiled.f32", "--weight", "clever=1"}, 2, "clever");
}

TEST(Usage, ExtentsAreNamedWithWhatIsWrong) {
  const auto refused = [](const std::string& extents, const std::string& why) {
    expect_error({"check", "gemm.naive.f32", "--extents", extents}, 2, why);
    expect_error({"list", "cases", "gemm.naive.f32", "--extents", extents}, 2, why);
  };
  refused("q=3", "--extents: kernel gemm.naive.f32: extent q=3: gemm has no extent q; it has batch, m, n, k");
  refused("m=0:", "--extents m=0:: a number is missing: write NAME=VALUE or NAME=LOW:HIGH");
  refused("m=", "--extents m=: a number is missing");
  refused("m", "--extents m: write NAME=VALUE or NAME=LOW:HIGH or NAME=LOW:HIGH:STEP");
  refused("m=5:4", "--extents m=5:4: the low end 5 exceeds the high end 4");
  refused("m=1:9:0", "--extents m=1:9:0: a step of 0 leads nowhere");
  refused("m=1:2:3:4", "--extents m=1:2:3:4: at most a low end, a high end and a step");
  refused("m=1,m=2", "--extents m=2: this extent stands there twice");
  refused("m=-1", "--extents m=-1: '-1' is not a whole number");
  refused("m=65536,n=65536", "more than 2147483648 elements; ask for smaller ones");
  expect_error({"check", "gemm.naive.*", "reduce.sum.tree.f32", "--extents", "m=3"}, 2,
               "kernel reduce.sum.tree.f32: extent m=3: reduce.sum has no extent m; it has rows, columns");
  expect_error({"compare", "gemm.naive.f32", "gemm.tiled.f32", "--extents", "q=3"}, 2, "gemm has no extent q");
  expect_error({"list", "kernels", "--cases", "3"}, 2, "are of `negzero list cases KERNEL`");
  expect_error({"list", "cases"}, 2, "name one kernel");
  expect_error({"list", "cases", "gemm.*"}, 2, "kernels have such a name; give one of them");
  expect_error({"list", "cases", "no.such.kernel"}, 4, "no.such.kernel");
}

TEST(Usage, NoKernelMatchedIsUndecided) {
  expect_error({"check", "gemm.nive.f32"}, 4, "gemm.naive.f32");
  expect_error({"list", "kernels", "gemm.nive.f32"}, 4, "gemm.naive.f32");
  expect_error({"check", "gemm.naive.f32", "qqq"}, 4, "'qqq'");
  expect_error({"replay", kRegressions, "--kernel", "gemm.nive.f32"}, 4, "gemm.naive.f32");
}

TEST(Usage, TheKindOfAnErrorGoesWithItsCode) {
  const auto kind = [](const Words& words) { return run(words).json()["error"]["kind"].get<std::string>(); };
  const Directory directory;
  EXPECT_EQ(kind({"check", "nosuch", "--json"}), "nothing_decided");
  EXPECT_EQ(kind({"replay", kCase, "--kernel", "nosuch", "--json"}), "nothing_decided");
  EXPECT_EQ(kind({"replay", directory.path(), "--json"}), "nothing_decided");
  EXPECT_EQ(kind({"show", "/no/such/case", "--json"}), "usage");
  EXPECT_EQ(kind({"check", "--executor", "cuda", "--json"}), "unavailable");
  EXPECT_EQ(kind({"replay", kCase, "--junit", "/proc/x", "--json"}), "infrastructure");
}

TEST(Usage, AGpuThatIsNotThereIsUnavailable) {
  expect_error({"check", "--executor", "cuda"}, 77, "--executor cuda");
  expect_error({"replay", kCase, "--executor", "cuda"}, 77, "--executor cuda");
  expect_error({"shrink", kCase, "-o", "/tmp/x", "--executor", "cuda"}, 77, "--executor cuda");
}

TEST(Usage, EmptyFoldersAreNoPass) {
  const Directory directory;
  expect_error({"replay", directory.path()}, 4, "no *.safetensors below this folder, so nothing was decided");
}

TEST(Help, EveryCommandHasOneWithAnExampleAndTheExitCodes) {
  const Ran top = run({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_THAT(top.out, HasSubstr("Exit codes"));
  for (const std::string command : {"list", "check", "replay", "show", "shrink"}) {
    EXPECT_THAT(top.out, HasSubstr("\n  " + command + " "));
    const Ran help = run({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr("Example: negzero " + command));
    EXPECT_THAT(help.out, HasSubstr("Exit codes: 0 clean, 1 at least one finding, 2 usage"));
    EXPECT_THAT(help.out, HasSubstr("3 infrastructure (a build that fails,"));
    EXPECT_THAT(help.out, HasSubstr("--json"));
  }
  EXPECT_THAT(run({"check", "--help"}).out, HasSubstr("--seed N"));
  const Ran version = run({"--version", "--json"});
  EXPECT_EQ(version.json()["version"], 2);
  EXPECT_THAT(run({"--version"}).out,
              StartsWith("negzero " + version.json()["negzero"].get<std::string>() + "\ncompiler "))
      << "scripts read the first line";
  EXPECT_EQ(run({"check", "--help", "--json"}).json()["help"], run({"check", "--help"}).out);
}

TEST(Help, CallsTheProgramWhatItsScriptIsCalled) {
  const How script{.command = "../my tree/negzero.sh"};
  const Ran help = run({"check", "--help"}, script);
  EXPECT_THAT(help.out, HasSubstr("Usage: '../my tree/negzero.sh' check "));
  EXPECT_THAT(help.out, HasSubstr("Example: '../my tree/negzero.sh' check "));
  EXPECT_THAT(help.out, HasSubstr("(`'../my tree/negzero.sh' list kernels`)"));
  EXPECT_THAT(help.out, Not(HasSubstr("`negzero")));
  const Ran wrong = run({"check", "--bogus"}, script);
  EXPECT_THAT(wrong.err, HasSubstr("`'../my tree/negzero.sh' check --help` says more"));
  const Ran unknown = run({"check", "zzzzzzzzzzzzzzzzzzzzzzzz", "--json"}, {.command = "./negzero.sh"});
  EXPECT_THAT(unknown.json()["error"]["message"].get<std::string>(), HasSubstr("`./negzero.sh list kernels` shows"));
}

TEST(Output, AFullDiskOrAClosedOneIsAnInfrastructureError) {
  for (const std::string out : {"/dev/full", "-"}) {
    for (const Words& words : {Words{"list"}, Words{"list", "--json"}, Words{"--help"}, Words{"show", kCase},
                               Words{"replay", kCase, "--json"}, Words{"check", "gemm.naive.f32", "--cases", "3"}}) {
      const Ran ran = run(words, {.out = out});
      EXPECT_EQ(ran.code, 3) << out << " " << words[0];
      EXPECT_THAT(ran.err, HasSubstr("cannot write to standard output")) << out << " " << words[0];
    }
  }
}

TEST(Output, AFindingWinsOverAFullDisk) {
  const Directory directory;
  const Ran ran = run({"check", "faulty.A1.*", "--cases", "100", "--save", directory / "found"}, {.out = "/dev/full"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_FALSE(std::filesystem::is_empty(directory / "found"));
}

TEST(Output, NoFileGetsTheNumberOfAStandardDescriptor) {
  const Directory directory;
  const Ran ran =
      run({"check", "faulty.A1.*", "--cases", "100", "--save", directory / "found", "--json"}, {.close_all = true});
  EXPECT_EQ(ran.signal, 0);
  EXPECT_EQ(ran.code, 1);
  for (const auto& entry : std::filesystem::directory_iterator(directory / "found")) {
    EXPECT_EQ(run({"show", entry.path().string()}).code, 0) << "something else was written into " << entry.path();
  }
}

}  // namespace
}  // namespace negzero::cli_test

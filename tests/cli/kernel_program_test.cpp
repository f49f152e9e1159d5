// The program that holds the kernels: beside this one, named, or missing.

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const fs::path kFolder = fs::path(NEGZERO_PROGRAM).parent_path();

TEST(KernelProgram, OneThatIsNamedIsWhereKernelsRun) {
  const std::string flag = "--kernels", other = NEGZERO_LEFT_OUT;
  const nlohmann::json listed = run({"list", "kernels", "--json", flag, other}).json();
  ASSERT_EQ(listed["kernels"].size(), 1u);
  EXPECT_EQ(listed["kernels"][0]["name"], "scatter.max.right");
  const Directory directory;
  const Ran ran = run({"check", "--cases", "20", "--executor", "host", "--save", directory.path(), flag, other});
  EXPECT_THAT(ran.out, HasSubstr("scatter.max.right"));
  EXPECT_EQ(ran.code, 3) << "two of its kernels are registered wrongly";
  EXPECT_THAT(ran.err, HasSubstr("kernel 'scatter.max.narrow': limits: "));
  EXPECT_EQ(run({"replay", kCase, "--kernel", "scatter.max.right", flag, other}).code, 3)
      << "refused, and two kernels are registered wrongly: 3 counts before 4";
}

TEST(KernelProgram, ARunTakesKernelsOfSeveral) {
  const std::string flag = "--kernels", other = NEGZERO_LEFT_OUT, shipped = kFolder / "negzero-worker";
  const Directory directory;
  const Ran ran = run({"check", "scatter.max.right", "scatter.max.cas.f32", "--cases", "20", "--executor", "host",
                       "--jobs", "2", "--json", "--save", directory.path(), flag, other, flag, shipped});
  EXPECT_EQ(ran.code, 3) << "two kernels of the one are registered wrongly";
  std::vector<std::string> names;
  const nlohmann::json report = ran.json();
  for (const auto& kernel : report["kernels"]) {
    names.push_back(kernel["name"]);
    EXPECT_GT(kernel["pass"].get<int>(), 0) << "by a worker of its own program: " << kernel;
    EXPECT_EQ(kernel["error"], 0) << kernel;
  }
  EXPECT_THAT(names, AllOf(Contains("scatter.max.right"), Contains("scatter.max.cas.f32")));
}

TEST(KernelProgram, AKernelOfTwoIsAnErrorThatNamesBoth) {
  const Directory directory;
  const std::string copy = directory / "copy";
  fs::create_symlink(NEGZERO_LEFT_OUT, copy);
  const Ran ran = run({"list", "kernels", "--kernels", NEGZERO_LEFT_OUT, "--kernels", copy});
  EXPECT_THAT(ran.err,
              HasSubstr("kernel 'scatter.max.right' is in " + std::string(NEGZERO_LEFT_OUT) + " and in " + copy));
  EXPECT_THAT(ran.err, HasSubstr("give one of them another name"));
}

/// What a line of a shell exits with, and prints.
std::pair<int, std::string> pasted(const std::string& line) {
  FILE* const shell = ::popen((line + " 2>&1").c_str(), "r");
  std::string text;
  for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) text += static_cast<char>(c);
  return {WEXITSTATUS(::pclose(shell)), text};
}

/// The rest of the first line behind some words.
std::string line_behind(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return "no " + words;
  const std::size_t begin = at + words.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(KernelProgram, LinesToPasteNameTheOneThatHoldsTheKernel) {
  const Directory directory;
  const std::string worker = directory / "a worker", flag = "--kernels", word = " --kernels '" + worker + "'";
  fs::create_symlink(kFolder / "negzero-worker", worker);
  const std::string kernel = "faulty.G8.k_tail_not_predicated", folder = directory / "campaign";
  const Ran checked = run({"check", kernel, flag, NEGZERO_LEFT_OUT, flag, worker, "--cases", "20", "--shrink-time",
                           "1ms", "--save", directory / "found", "--markdown", directory / "summary", "--junit",
                           directory / "junit", "--report", directory / "page"});
  const std::string replay = line_behind(checked.out, "  replay     ");
  EXPECT_THAT(replay, HasSubstr(word));
  const auto [code, shown] = pasted(replay);
  EXPECT_EQ(code, 1) << shown;
  EXPECT_THAT(shown, HasSubstr("--kernel " + kernel)) << "what it prints can be pasted again";
  EXPECT_EQ(pasted(line_behind(shown, "  replay     ")).first, 1) << shown;
  const std::string shrink = line_behind(checked.out, "; to go on: ");
  EXPECT_THAT(shrink, HasSubstr(word));
  EXPECT_EQ(pasted(shrink).first, 1);
  EXPECT_THAT(contents(directory / "summary"), HasSubstr(word));
  for (const char* const file : {"junit", "page"}) {
    EXPECT_THAT(contents(directory / file), HasSubstr("--kernels &#39;" + worker + "&#39;")) << file;
  }

  const std::vector<std::string> search = {"fuzz", kernel,    flag, worker,          "--folder",
                                           folder, "--cases", "20", "--shrink-time", "0s"};
  EXPECT_EQ(run(search).code, 1);
  EXPECT_EQ(pasted(line_behind(run(search).out, "found before: ")).first, 1);
  EXPECT_THAT(run({"report", folder, flag, worker}).out, HasSubstr(word));
  EXPECT_THAT(run({"check", kernel, "--cases", "20", "--shrink-time", "0s", "--save", directory / "found"}).out,
              Not(HasSubstr("--kernels")))
      << "the one that ships need not be named";
}

TEST(KernelProgram, InThisProcessAreNoKernelsOfAnother) {
  const Ran ran = run({"check", "--in-process", "--kernels", NEGZERO_LEFT_OUT});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("--in-process runs kernels that are linked into this program"));
}

TEST(KernelProgram, OneThatIsNoneIsAnErrorOnOneLine) {
  const Directory directory;
  for (const std::string& program : {std::string("/bin/true"), std::string("/no/such/program"), directory.path()}) {
    const Ran ran = run({"check", "--kernels", program});
    EXPECT_EQ(ran.code, 3) << program;
    EXPECT_THAT(ran.err, StartsWith("negzero: " + program));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(KernelProgram, WhereItIsMissingWhatNeedsNoKernelStillWorks) {
  const Directory directory;
  fs::copy(NEGZERO_PROGRAM, directory / "negzero");
  const How alone{.program = directory / "negzero"};
  EXPECT_EQ(run({"show", kCase}, alone).code, 0);
  const Ran doctor = run({"doctor"}, alone);
  EXPECT_EQ(doctor.code, 3) << "it answers, and nothing can be checked";
  EXPECT_THAT(doctor.out, HasSubstr("no   CUDA files"));
  EXPECT_EQ(run({"list", "strategies"}, alone).code, 0);
  const Ran checked = run({"check", "--watch=never"}, alone);
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.err, HasSubstr("brings no kernels of its own; name a file"));
  const Ran in_process = run({"check", "--in-process"}, alone);
  EXPECT_EQ(in_process.code, 3);
  EXPECT_THAT(in_process.err, HasSubstr(directory / "negzero-in-process"));
  EXPECT_THAT(in_process.err, HasSubstr("build or install all of negzero"));
}

TEST(KernelProgram, AWorkerCalledByAPersonSaysWhatItIs) {
  const Ran ran = run({}, {.program = kFolder / "negzero-worker"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is started by it"));
}

}  // namespace
}  // namespace negzero::cli_test

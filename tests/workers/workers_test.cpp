// `negzero check` with workers in other languages, right ones and ones that misbehave: what they do is a finding of
// their kernel, or one clear error of ours, and never ends the run.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/confine/confinement_report.hpp>

#include "../cli/program.hpp"

namespace negzero::workers_test {
namespace {

namespace fs = std::filesystem;
using cli_test::Directory;
using cli_test::Ran;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Whether workers are confined in full here: not where the address sanitizer needs what that refuses.
bool are_confined() {
#ifdef NEGZERO_SANITIZE
  return false;
#else
  return confine::try_confinement(confine::Profile::Stranger).in_force.all();
#endif
}

/// A language, by the prefix of its kernels' names.
class Workers : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ::setenv("NEGZERO_START_SECONDS", "2", 1);
    program_ = folder_ / "worker";
    if (language() == "rs") {
      if (std::string(NEGZERO_RUST_WORKER).empty()) GTEST_SKIP() << "rustc is not there";
      fs::copy(NEGZERO_RUST_WORKER, program_);
      return;
    }
    if (std::string(NEGZERO_PYTHON).empty()) GTEST_SKIP() << "Python 3.9 is not there";
    // A shim of pyenv is no interpreter: this one is what CMake found behind it.
    const std::string text = cli_test::contents(NEGZERO_SOURCE_DIR "/tests/workers/worker.py");
    cli_test::write(program_, "#!" NEGZERO_PYTHON + text.substr(text.find('\n')));
    fs::permissions(program_, fs::perms::owner_all);
  }
  void TearDown() override { ::unsetenv("NEGZERO_START_SECONDS"); }

  [[nodiscard]] std::string language() const { return GetParam(); }
  [[nodiscard]] std::string named(const std::string& kernel) const { return language() + "." + kernel; }
  /// The same worker under a name by which it misbehaves where it describes its kernels.
  [[nodiscard]] std::string program_that(const std::string& misbehaves) const {
    const std::string link = folder_ / ("worker-" + misbehaves);
    fs::create_symlink(program_, link);
    return link;
  }
  /// A check of three right kernels and one that is not.
  [[nodiscard]] Ran check(const std::string& bad) const {
    return cli_test::run({"check",
                          named("sum"),
                          named("gemm"),
                          named("total"),
                          named("bad." + bad),
                          "--kernels",
                          program_,
                          "--cases",
                          "4",
                          "--jobs",
                          "2",
                          "--executor",
                          "host",
                          "--timeout",
                          "500ms",
                          "--shrink-time",
                          "200ms",
                          "--json",
                          "--save",
                          folder_ / "found"},
                         {.time_limit_s = 120});
  }

  Directory folder_;
  std::string program_;
};

nlohmann::json kernel_of(const nlohmann::json& report, const std::string& name) {
  for (const auto& kernel : report["kernels"]) {
    if (kernel["name"] == name) return kernel;
  }
  ADD_FAILURE() << name << " is not in " << report;
  return {};
}

TEST_P(Workers, RightOnesPass) {
  const Ran ran = cli_test::run({"check", named("sum"), named("gemm"), "--kernels", program_, "--cases", "60", "--json",
                                 "--executor", "host", "--save", folder_ / "found"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  for (const std::string kernel : {"sum", "gemm"}) {
    const nlohmann::json entry = kernel_of(ran.json(), named(kernel));
    EXPECT_EQ(entry["pass"].get<int>() + entry["vacuous"].get<int>(), 60) << entry;
    EXPECT_GT(entry["pass"], 40) << entry;
  }
}

TEST_P(Workers, TheSummarySaysValuesOnly) {
  const std::vector<std::string> words = {"check",  named("sum"),     "--kernels", program_,   "--cases",
                                          "5",      "--executor",     "host",      "--report", folder_ / "page.html",
                                          "--save", folder_ / "found"};
  const Ran ran = cli_test::run(words);
  EXPECT_THAT(ran.out, AllOf(HasSubstr(named("sum")), HasSubstr("  values only\n")));
  EXPECT_THAT(cli_test::contents(folder_ / "page.html"), HasSubstr("values only: "));
  EXPECT_EQ(kernel_of(cli_test::run({"check", named("sum"), "--kernels", program_, "--cases", "5", "--executor", "host",
                                     "--json", "--save", folder_ / "found"})
                          .json(),
                      named("sum"))["shows"],
            "values");
  EXPECT_THAT(cli_test::run({"list", "kernels", named("sum"), "--kernels", program_}).out, HasSubstr("shows: values"));
  const Ran ours = cli_test::run(
      {"check", "reduce.sum.*", "--cases", "1", "--executor", "host", "--json", "--save", folder_ / "found"});
  EXPECT_THAT(ours.out, Not(HasSubstr("\"shows\""))) << "a kernel of ours shows more";
}

struct Misbehaviour {
  std::string name, kind, message;
};
const std::vector<Misbehaviour> kMisbehaviours = {
    {"abort", "crash", "killed by signal 6 (Aborted) in the kernel's function"},
    {"exit3", "crash", "the process ended itself with exit status 3 in the kernel's function"},
    {"hang", "hang", "no answer within 500 ms in the kernel's function"},
    {"garbage", "crash", "what the process sent is no answer of the worker protocol"},
    {"version", "crash", "it speaks version 9 of the worker protocol, and this negzero version 1"},
    {"oversized", "crash", "what the process sent is no answer of the worker protocol"},
    {"too_many", "crash", "what the process sent is no answer of the worker protocol"},
    {"too_few", "crash", "what the process sent is no answer of the worker protocol"},
    {"raises", "crash", "no table for this shape"},
    {"start_slow", "hang", "no answer within 2 s before it was ready to run the kernel"},
    {"start_exit3", "crash", "the process ended itself with exit status 3 before it was ready to run the kernel"},
    {"start_version", "crash", "it speaks version 9 of the worker protocol, and this negzero version 1"},
    {"start_garbage", "crash", "what the process sent is no answer of the worker protocol"},
};

void expect_right_beside(const nlohmann::json& report, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const nlohmann::json kernel = kernel_of(report, name);
    EXPECT_EQ(kernel["cases"], 4) << kernel;
    EXPECT_EQ(kernel["pass"].get<int>() + kernel["vacuous"].get<int>(), 4) << kernel;
  }
}

TEST_P(Workers, WhatOneDoesIsAFindingOfItsKernel) {
  for (const auto& [name, kind, message] : kMisbehaviours) {
    const Ran ran = check(name);
    EXPECT_EQ(ran.code, 1) << name << ": " << ran.out << ran.err;
    const nlohmann::json report = ran.json();
    expect_right_beside(report, {named("sum"), named("gemm"), named("total")});
    const nlohmann::json bad = kernel_of(report, named("bad." + name));
    EXPECT_EQ(bad["cases"], 4) << bad;
    EXPECT_EQ(bad["fail"], 4) << bad;
    ASSERT_FALSE(bad["findings"].empty()) << name;
    EXPECT_EQ(bad["findings"][0]["class"], kind) << name;
    EXPECT_THAT(bad["findings"][0]["message"].get<std::string>(), HasSubstr(message)) << name;
  }
}

TEST_P(Workers, OneThatPrintsALotOrStartsLateIsRight) {
  for (const std::string name : {"prints", "start_late"}) {
    const Ran ran = check(name);
    EXPECT_EQ(ran.code, 0) << name << ": " << ran.out << ran.err;
    expect_right_beside(ran.json(), {named("sum"), named("gemm"), named("total"), named("bad." + name)});
  }
}

TEST_P(Workers, OneThatCannotServeIsAnErrorOfItsCases) {
  const Ran ran = check("start_failed");
  EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
  const nlohmann::json report = ran.json();
  expect_right_beside(report, {named("sum"), named("gemm"), named("total")});
  const nlohmann::json bad = kernel_of(report, named("bad.start_failed"));
  EXPECT_EQ(bad["error"], 4) << bad;
  EXPECT_THAT(bad["note"].get<std::string>(), HasSubstr("the table of this kernel is missing"));
}

TEST_P(Workers, OneThatKillsItselfIsNotTakenForOneThatWasKilled) {
  if (!are_confined()) GTEST_SKIP() << "it is not confined here";
  const Ran ran = check("kill9");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  expect_right_beside(ran.json(), {named("sum"), named("gemm"), named("total")});
  EXPECT_EQ(kernel_of(ran.json(), named("bad.kill9"))["fail"], 4);
}

TEST_P(Workers, OneThatDoesNotSayWhichKernelsItHoldsIsOneErrorOfOurs) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"exit3", "it ended with exit status 3"},
      {"abort", "it was killed by signal 6"},
      {"hang", "no answer within 2 s"},
      {"garbage", "what it sent is no frame of the worker protocol"},
      {"version",
       "it speaks version 9 of the worker protocol, and this negzero version 1: build or write it for version 1"},
      {"oversized", "what it sent is no frame of the worker protocol"},
      {"too_few", "it sent a frame of kind 4, and not of kind 5, its kernels"},
      {"json", "declaration of its kernels cannot be read"},
      {"declared", "its version is 9, and this negzero reads version 1"},
      {"field", "no field is called \"formtas\"; did you mean \"formats\"?"},
  };
  for (const auto& [name, message] : all) {
    const std::string program = program_that(name);
    const Ran ran = cli_test::run({"check", "--kernels", program, "--cases", "1", "--save", folder_ / "found"},
                                  {.time_limit_s = 60});
    EXPECT_EQ(ran.code, 3) << name << ": " << ran.out;
    EXPECT_THAT(ran.err, StartsWith("negzero: " + program)) << name;
    EXPECT_THAT(ran.err, AllOf(HasSubstr(message), HasSubstr("docs/reference/worker_protocol.md"))) << name;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
}

TEST_P(Workers, OneThatEndedIsStartedAnewForTheNextCase) {
  const Ran ran =
      cli_test::run({"check", named("sum"), named("bad.exit3"), "--kernels", program_, "--cases", "20", "--executor",
                     "host", "--jobs", "1", "--shrink-time", "100ms", "--json", "--save", folder_ / "found"},
                    {.time_limit_s = 60});
  const nlohmann::json bad = kernel_of(ran.json(), named("bad.exit3"));
  EXPECT_EQ(bad["fail"], bad["cases"]) << "each that ran";
  EXPECT_THAT(bad["note"].get<std::string>(), HasSubstr("given up after"));
  EXPECT_EQ(kernel_of(ran.json(), named("sum"))["cases"], 20);
  EXPECT_EQ(kernel_of(ran.json(), named("sum"))["fail"], 0);
}

TEST_P(Workers, OneThatDoesNotShowItsPlanAccusesNoOtherCase) {
  if (language() != "rs") GTEST_SKIP() << "one language is enough";
  const Ran ran =
      cli_test::run({"check", "rs.bad.silent", "--kernels", program_, "--cases", "200", "--executor", "host", "--jobs",
                     "1", "--extents", "rows=1:30", "--shrink-time", "0s", "--json", "--save", folder_ / "found"},
                    {.time_limit_s = 60});
  const nlohmann::json kernel = kernel_of(ran.json(), "rs.bad.silent");
  EXPECT_GT(kernel["fail"], 0) << kernel;
  EXPECT_GT(kernel["pass"], 0) << kernel;
  EXPECT_EQ(kernel["warnings"], 0) << kernel;
}

INSTANTIATE_TEST_SUITE_P(Languages, Workers, ::testing::Values("py", "rs"),
                         [](const auto& each) { return std::string(each.param); });

/// Scripts and their first lines.
class Scripts : public ::testing::Test {
 protected:
  Ran list_kernels(const std::string& first_line, bool executable = true) {
    const std::string text = cli_test::contents(NEGZERO_SOURCE_DIR "/tests/workers/worker.py");
    const std::string path = folder_ / "script";
    cli_test::write(path, first_line + text.substr(text.find('\n')));
    fs::permissions(path, executable ? fs::perms::owner_all : fs::perms::owner_read | fs::perms::owner_write);
    return cli_test::run({"list", "kernels", "--kernels", path});
  }
  Directory folder_;
};

TEST_F(Scripts, EnvFindsTheInterpreter) {
  if (std::string(NEGZERO_PYTHON).empty()) GTEST_SKIP() << "Python 3.9 is not there";
  const fs::path python = NEGZERO_PYTHON;
  const std::string path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  ::setenv("PATH", (python.parent_path().string() + ":" + path).c_str(), 1);
  const std::string name = python.filename();
  for (const std::string& line :
       {"#!/usr/bin/env " + name, "#! /usr/bin/env -S " + name + " -u", "#!" + python.string() + " -u"}) {
    const Ran ran = list_kernels(line);
    EXPECT_THAT(ran.out, HasSubstr("py.gemm")) << line << ran.err;
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(Scripts, OneWithoutAnInterpreterSaysWhatToDo) {
  EXPECT_THAT(list_kernels("#!/usr/bin/env no-such-interpreter").err, HasSubstr("names no interpreter that is there"));
  EXPECT_THAT(list_kernels("#!/no/such/interpreter").err, HasSubstr("names no interpreter that is there"));
  EXPECT_THAT(list_kernels("#!/bin/sh", false).err, HasSubstr("make it executable"));
  const std::string shim = folder_ / "shim";
  cli_test::write(shim, "#!/bin/sh\nexec python3 \"$@\"\n");
  fs::permissions(shim, fs::perms::owner_all);
  EXPECT_THAT(list_kernels("#!" + shim).err, HasSubstr("is a script that starts another program"));
}

TEST_F(Scripts, OneReadsItsFolderAndNotTheNextOne) {
  if (std::string(NEGZERO_PYTHON).empty()) GTEST_SKIP() << "Python 3.9 is not there";
  if (!are_confined()) GTEST_SKIP() << "it is not confined here";
  const Directory elsewhere;
  for (const auto& [folder, is_read] : {std::pair<const Directory*, bool>(&folder_, true), {&elsewhere, false}}) {
    cli_test::write(*folder / "secret", "words of a file");
    const std::string path = folder_ / "reader";
    cli_test::write(path, "#!" NEGZERO_PYTHON "\nprint(open('" + (*folder / "secret") + "').read())\n");
    fs::permissions(path, fs::perms::owner_all);
    const std::string err = cli_test::run({"list", "kernels", "--kernels", path}).err;
    EXPECT_EQ(err.find("words of a file") != std::string::npos, is_read) << err;
  }
}

}  // namespace
}  // namespace negzero::workers_test

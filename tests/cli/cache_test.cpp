// Compiled programs that are kept: none that another user could have written is run.

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// What the planted program prints, which is in the error about it.
constexpr const char* kMark = "the planted program ran";
constexpr const char* kVariables[] = {"NEGZERO_CACHE", "XDG_CACHE_HOME", "HOME", "TMPDIR"};

/// A CUDA file, checked once, in whose cache a program of somebody else's is then planted.
class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(NEGZERO_SANITIZE) || defined(NEGZERO_FUZZ)
    GTEST_SKIP() << "a build with instrumentation compiles no files";
#endif
    for (const char* const name : kVariables) {
      if (const char* const value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
    fs::create_directory(directory_ / "tmp");
    ::setenv("TMPDIR", (directory_ / "tmp").c_str(), 1);
    write(directory_ / "add.cu",
          "__global__ void add(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = "
          "x[threadIdx.x]; }\n");
    write(directory_ / "add.nz",
          "kernel add\noperation add: y[n] <- x[n]\nlimits n <= 32\nlaunch add<<<1, 32>>>(x, y, n);\n");
  }
  void TearDown() override {
    for (const char* const name : kVariables) {
      before_.contains(name) ? ::setenv(name, before_[name].c_str(), 1) : ::unsetenv(name);
    }
  }

  Ran check() {
    return run({"check", directory_ / "add.cu", "--cases", "5", "--executor", "host", "--save", directory_ / "found"});
  }
  /// Compiles into a cache, and puts another program where its program is.
  void plant(const std::string& cache) {
    const Ran first = check();
    ASSERT_EQ(first.code, 4) << first.err << first.out << "its values are not judged";
    for (const auto& entry : fs::directory_iterator(cache)) {
      if (fs::exists(entry.path() / "manifest.json")) key_ = entry.path();
    }
    ASSERT_FALSE(key_.empty()) << "nothing is kept in " << cache;
    manifest_ = key_ + "/manifest.json";
    worker_ = nlohmann::json::parse(contents(manifest_))["path"];
    fs::remove(worker_);
    write(worker_, "#!/bin/sh\necho " + std::string(kMark) + "\nexit 3\n");
    ASSERT_EQ(::chmod(worker_.c_str(), 0755), 0);
  }
  void expect_compiled_again(const char* why) {
    const Ran ran = check();
    EXPECT_EQ(ran.code, 4) << why << ": " << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("compiling "), Not(HasSubstr(kMark)))) << why;
  }

  Directory directory_;
  std::map<std::string, std::string> before_{};
  std::string key_{}, manifest_{}, worker_{};
};

TEST_F(Cache, RunsWhatIsThisUsersOwn) {
  ::setenv("NEGZERO_CACHE", (directory_ / "cache").c_str(), 1);
  plant(directory_ / "cache");
  const Ran ran = check();
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr(kMark)) << "else no test here could fail";
}

TEST_F(Cache, OneThatIsNamedAndOthersMayWriteIsAnError) {
  ::setenv("NEGZERO_CACHE", (directory_ / "cache").c_str(), 1);
  plant(directory_ / "cache");
  ASSERT_EQ(::chmod((directory_ / "cache").c_str(), 0777), 0);
  const Ran open = check();
  EXPECT_EQ(open.code, 3);
  EXPECT_THAT(open.err, AllOf(HasSubstr("no compiled programs are kept in " + (directory_ / "cache") +
                                        ": others may write it (its mode is 0777)"),
                              HasSubstr("name another folder by NEGZERO_CACHE")));
  ASSERT_EQ(::chmod((directory_ / "cache").c_str(), 0700), 0);
  fs::create_directory_symlink(directory_ / "cache", directory_ / "link");
  ::setenv("NEGZERO_CACHE", (directory_ / "link/").c_str(), 1);
  const Ran linked = check();
  EXPECT_EQ(linked.code, 3);
  EXPECT_THAT(linked.err, HasSubstr("symbolic link"));
  for (const Ran& ran : {open, linked}) EXPECT_THAT(ran.err, Not(HasSubstr(kMark)));
}

TEST_F(Cache, OneThatNobodyHasNamedGivesWayToAFolderOfTheRun) {
  const std::string beside_temporary = directory_ / ("tmp/negzero-" + std::to_string(::geteuid()));
  const std::pair<const char*, std::string> places[] = {
      {"XDG_CACHE_HOME", "caches/negzero"}, {"HOME", "home/.cache/negzero"}, {nullptr, ""}};
  for (const auto& [variable, below] : places) {
    const std::string cache = variable == nullptr ? beside_temporary : directory_ / below;
    SCOPED_TRACE(cache);
    if (variable != nullptr) ::setenv(variable, (directory_ / below.substr(0, below.find('/'))).c_str(), 1);
    plant(cache);
    const bool is_given = ::geteuid() == 0;
    ASSERT_EQ(is_given ? ::chown(cache.c_str(), 65534, 65534) : ::chmod(cache.c_str(), 0777), 0);
    const Ran ran = check();
    EXPECT_EQ(ran.code, 4) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("no compiled programs are kept in " + cache), HasSubstr("compiling "),
                               Not(HasSubstr(kMark))));
    EXPECT_THAT(ran.err, HasSubstr(is_given ? "it belongs to user 65534" : "others may write it"));
    if (variable != nullptr) ::unsetenv(variable);
    key_.clear();
  }
  for (const auto& entry : fs::directory_iterator(directory_ / "tmp")) {
    EXPECT_EQ(entry.path().string(), beside_temporary) << "the folder of a run goes with it";
  }
}

TEST_F(Cache, WhatLiesBelowIsLookedAtToo) {
  ::setenv("NEGZERO_CACHE", (directory_ / "cache").c_str(), 1);
  plant(directory_ / "cache");
  ASSERT_EQ(::chmod(worker_.c_str(), 0777), 0);
  expect_compiled_again("others may write the program");
  plant(directory_ / "cache");
  ASSERT_EQ(::chmod(fs::path(worker_).parent_path().c_str(), 0777), 0);
  expect_compiled_again("others may write the program's folder");
  plant(directory_ / "cache");
  ASSERT_EQ(::chmod(key_.c_str(), 0777), 0);
  expect_compiled_again("others may write the folder of this file's programs");
  plant(directory_ / "cache");
  ASSERT_EQ(::chmod(manifest_.c_str(), 0666), 0);
  expect_compiled_again("others may write what names the program");
  plant(directory_ / "cache");
  fs::rename(worker_, directory_ / "elsewhere");
  write(manifest_, replaced(contents(manifest_), worker_, directory_ / "elsewhere"));
  expect_compiled_again("the program lies elsewhere");
}

TEST_F(Cache, AUmaskThatLeavesAllOpenOpensNothing) {
  ::setenv("NEGZERO_CACHE", (directory_ / "cache").c_str(), 1);
  const mode_t umask_before = ::umask(0);
  const Ran first = check(), second = check();
  ::umask(umask_before);
  EXPECT_EQ(first.code, 4) << first.err;
  EXPECT_THAT(second.err, Not(HasSubstr("compiling "))) << "what was compiled is this user's own";
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / "cache")) {
    if (entry.is_symlink()) continue;
    EXPECT_EQ(entry.status().permissions() & (fs::perms::group_write | fs::perms::others_write), fs::perms::none)
        << entry.path();
  }
}

}  // namespace
}  // namespace negzero::cli_test

// `negzero check` killed at any instant: what it told is on disk and replays, nothing is half there, nobody lives on.
// NEGZERO_KILLS sets how often (default 20), NEGZERO_KILLS_SEED at which instants.

#include <chrono>
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/operation/case.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kMark = "NEGZERO_TEST_MARK";

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Processes whose environment holds the mark; what is dead has none.
std::vector<std::string> marked(const std::string& mark) {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (contents(entry.path() / "environ").find(mark) == std::string::npos) continue;
    std::string words = contents(entry.path() / "cmdline");
    std::ranges::replace(words, '\0', ' ');
    result.push_back(name + " " + words);
  }
  return result;
}

/// Starts a check in `directory`, kills it alone after that time, and returns what it had told by then.
std::string killed_after(std::chrono::milliseconds delay, const Directory& directory, std::uint64_t seed,
                         const std::string& mark) {
  const std::string err = directory / "err", save = directory / "found", number = std::to_string(seed);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    ::setenv(kMark, mark.c_str(), 1);
    const int log = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(log, fd);
    ::execl(NEGZERO_PROGRAM, NEGZERO_PROGRAM, "check", "faulty.A1.*", "faulty.R1.*", "faulty.I2.*", "faulty.G1.*",
            "--executor", "host", "--cases", "300", "--jobs", "2", "--seed", number.c_str(), "--save", save.c_str(),
            nullptr);
    ::_exit(127);
  }
  ::usleep(static_cast<useconds_t>(std::chrono::microseconds(delay).count()));
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return contents(err);
}

/// Paths of whole lines "found  KERNEL  CLASS by RULE: ...  (PATH)".
std::vector<std::string> told_in(const std::string& err) {
  std::vector<std::string> paths;
  for (std::size_t at = 0, end = 0; (end = err.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = err.substr(at, end - at);
    const std::size_t open = line.rfind("  (");
    if (line.find("found  faulty.") == std::string::npos || open == std::string::npos) continue;
    paths.push_back(line.substr(open + 3, line.size() - open - 4));
  }
  return paths;
}

TEST(NothingIsLost, WhatWasToldBeforeAKillIsOnDiskAndReplays) {
  const std::uint64_t kills = number_from_environment("NEGZERO_KILLS", 20);
  std::mt19937_64 random(number_from_environment("NEGZERO_KILLS_SEED", 1));
  // As long as all of it takes, so that instants of every phase are met: start, cases, shrinking, the end.
  const auto start = Clock::now();
  ASSERT_EQ(run({"check", "faulty.A1.*", "faulty.R1.*", "faulty.I2.*", "faulty.G1.*", "--executor", "host", "--cases",
                 "300", "--jobs", "2", "--save", Directory() / "found"})
                .code,
            1);
  const auto whole_ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
  std::size_t told = 0, abandoned = 0;
  for (std::uint64_t i = 0; i < kills; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    const Directory directory;
    const std::string mark = "negzero-" + std::to_string(::getpid()) + "-" + std::to_string(i) + "-end";
    const std::chrono::milliseconds delay(std::uniform_int_distribution<std::int64_t>(0, whole_ms)(random));
    const std::string err = killed_after(delay, directory, i + 1, mark);
    const auto killed = Clock::now();
    while (!marked(mark).empty() && Clock::now() - killed < std::chrono::seconds(3)) ::usleep(20000);
    EXPECT_THAT(marked(mark), ::testing::IsEmpty()) << "still there after 3 s";
    for (const std::string& path : told_in(err)) {
      ++told;
      EXPECT_EQ(run({"replay", path, "--executor", "host"}).code, 1) << path << "\n" << err;
    }
    if (!fs::exists(directory / "found")) continue;
    for (const auto& entry : fs::directory_iterator(directory / "found")) {
      if (entry.path().extension() == ".tmp") {
        ++abandoned;
        continue;
      }
      EXPECT_EQ(entry.path().extension(), ".safetensors") << entry.path();
      EXPECT_TRUE(operation::load_case(entry.path()).ok()) << entry.path();
    }
  }
  if (kills >= 20) {
    EXPECT_GT(told, kills / 2) << "hardly any was killed after it had told something";
  }
  RecordProperty("told", static_cast<int>(told));
  RecordProperty("abandoned", static_cast<int>(abandoned));
}

TEST(NothingIsLost, ALaterRunRemovesWhatWasLeftHalfWritten) {
  const Directory directory;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const std::string half = directory / (".negzero-" + std::to_string(dead) + "-0.tmp");
  const std::string in_work = directory / (".negzero-" + std::to_string(::getpid()) + "-0.tmp");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", "scatter.max.cas.f32"},
        std::vector<std::string>{"compare", "scatter.max.cas.f32", "scatter.max.sign_bit.f32"}}) {
    write(half, "half");
    write(in_work, "another's");
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--cases", "3", "--executor", "host", "--save", directory.path()});
    EXPECT_EQ(run(all).code, 0);
    EXPECT_FALSE(fs::exists(half)) << words[0];
    EXPECT_TRUE(fs::exists(in_work)) << words[0];
  }
}

#ifndef NEGZERO_SANITIZE
// Without memory the runtime under a kernel dies in every way that a kernel can: none of them is the kernel's.
TEST(LittleMemory, IsNoFinding) {
  for (const long mib : {30, 97, 150, 400, 1000}) {
    const Directory directory;
    const Ran ran =
        run({"check", "twin.A5.*", "twin.G8.*", "twin.G11.*", "--cases", "40", "--save", directory / "found", "--json"},
            {.address_space = mib << 20});
    EXPECT_NE(ran.code, 1) << mib << " MiB: " << ran.err;
    EXPECT_EQ(ran.err.find("found  "), std::string::npos) << ran.err;
  }
}
#endif

}  // namespace
}  // namespace negzero::cli_test

// `negzero check` killed at any instant: what it told is on disk and replays, nothing is half there, nobody lives on.
// NEGZERO_KILLS sets how often (default 6), NEGZERO_KILLS_SEED at which instants; NEGZERO_FUZZ_KILLS and
// NEGZERO_FUZZ_SHARDS do so for shards of a search (6 kills, 2 shards).

#include <chrono>
#include <filesystem>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/cause.hpp>
#include <negzero/case_file/case_file.hpp>
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

/// Faults that are met soon.
constexpr const char* kFaults[] = {"faulty.A1.*", "faulty.R1.*", "faulty.I2.*", "faulty.G1.*"};

struct Started {
  pid_t pid = -1;
  std::string err;   ///< file with what it tells
  std::string mark;  ///< in its environment and that of all it starts
};

/// Starts the program with these words and the faults.
Started started(std::vector<std::string> words, const std::string& err, const std::string& mark) {
  words.insert(words.begin(), NEGZERO_PROGRAM);
  words.insert(words.end(), std::begin(kFaults), std::end(kFaults));
  words.insert(words.end(), {"--executor", "host", "--jobs", "2"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    ::setenv(kMark, mark.c_str(), 1);
    const int log = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(log, fd);
    ::execv(NEGZERO_PROGRAM, argv.data());
    ::_exit(127);
  }
  return {pid, err, mark};
}

/// Kills it alone, expects all that it started to be gone soon, and returns what it had told by then.
std::string killed(const Started& program) {
  ::kill(program.pid, SIGKILL);
  while (::waitpid(program.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  const auto killed = Clock::now();
  while (!marked(program.mark).empty() && Clock::now() - killed < std::chrono::seconds(3)) ::usleep(20000);
  EXPECT_THAT(marked(program.mark), ::testing::IsEmpty()) << "still there after 3 s";
  return contents(program.err);
}

void wait_for(std::chrono::milliseconds delay) {
  ::usleep(static_cast<useconds_t>(std::chrono::microseconds(delay).count()));
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
  const std::uint64_t kills = number_from_environment("NEGZERO_KILLS", 6);
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
    const Started program =
        started({"check", "--cases", "300", "--seed", std::to_string(i + 1), "--save", directory / "found"},
                directory / "err", mark);
    wait_for(delay);
    const std::string err = killed(program);
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
      EXPECT_TRUE(case_file::load(entry.path()).ok()) << entry.path();
    }
  }
  if (kills >= 20) {
    EXPECT_GT(told, kills / 2) << "hardly any was killed after it had told something";
  }
  RecordProperty("told", static_cast<int>(told));
  RecordProperty("abandoned", static_cast<int>(abandoned));
}

/// The causes of findings in a folder of a search, by the names of their files: one file of a kind each.
std::set<std::string> causes_in(const std::string& folder, const std::string& kind) {
  std::set<std::string> causes;
  if (!fs::exists(folder)) return causes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(kind)) continue;
    EXPECT_TRUE(case_file::load(entry.path()).ok()) << name;
    EXPECT_TRUE(causes.insert(name.substr(0, name.size() - kind.size())).second) << name;
  }
  return causes;
}

TEST(NothingIsLost, ASearchOfShardsThatAreKilledKeepsWhatItToldAndGoesOn) {
  const std::uint64_t kills = number_from_environment("NEGZERO_FUZZ_KILLS", 6);
  const std::uint64_t shards = number_from_environment("NEGZERO_FUZZ_SHARDS", 2);
  std::mt19937_64 random(number_from_environment("NEGZERO_KILLS_SEED", 1));
  const Directory directory;
  const std::string folder = directory / "campaign";
  std::set<std::string> told;
  std::uint64_t runs = 0;
  const auto start = [&](std::uint64_t shard) {
    const std::string number = std::to_string(++runs), name = std::to_string(shard + 1) + "/" + std::to_string(shards);
    return started({"fuzz", "--folder", folder, "--shard", name}, directory / ("err" + number),
                   "negzero-" + std::to_string(::getpid()) + "-" + number + "-fuzz");
  };
  const auto end = [&](const Started& program) {
    for (const std::string& path : told_in(killed(program))) {
      EXPECT_TRUE(case_file::load(path).ok()) << path;
      const std::string name = fs::path(path).filename();
      told.insert(name.substr(0, name.find(".original.")));
    }
    const auto saved = causes_in(folder + "/findings", ".original.safetensors");
    for (const std::string& cause : told) EXPECT_TRUE(saved.contains(cause)) << cause;
  };
  // All shards run at a time, and the one that is killed starts again.
  std::vector<Started> programs;
  for (std::uint64_t shard = 0; shard < shards; ++shard) programs.push_back(start(shard));
  for (std::uint64_t i = 0; i < kills; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    wait_for(std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(0, 2500)(random)));
    Started& one = programs[random() % shards];
    end(one);
    one = start(static_cast<std::uint64_t>(&one - programs.data()));
  }
  for (const Started& program : programs) end(program);

  std::set<std::string> listed;
  for (std::uint64_t shard = 1; shard <= shards; ++shard) {
    std::vector<std::string> words{"fuzz",
                                   "--folder",
                                   folder,
                                   "--shard",
                                   std::to_string(shard) + "/" + std::to_string(shards),
                                   "--cases",
                                   shard == 1 ? "2000" : "200",
                                   "--json",
                                   "--executor",
                                   "host"};
    words.insert(words.end(), std::begin(kFaults), std::end(kFaults));
    const Ran last = run(words);
    EXPECT_EQ(last.code, 1) << last.err;
    const nlohmann::json document = last.json();
    EXPECT_TRUE(document.at("resumed").get<bool>());
    std::vector<std::string> files;
    for (const auto& kernel : document.at("kernels")) {
      for (const auto& file : kernel.at("known")) files.push_back(file);
      for (const auto& finding : kernel.at("findings")) files.push_back(finding.at("case"));
    }
    listed.clear();
    for (const std::string& file : files) {
      const auto value = case_file::load(file);
      ASSERT_TRUE(value.ok() && value->found && value->found->failure_class) << file;
      const auto cause = campaign::cause_of(*value->found->failure_class, *value, *contract::parse(value->contract));
      EXPECT_TRUE(listed.insert(value->kernel + " " + cause.to_string()).second) << "twice: " << file;
    }
    EXPECT_GE(listed.size(), 4u) << "each of the faults";
  }
  // Each fault has a finding as it was found; one whose shrinking was killed has no other.
  std::set<std::string> kernels;
  for (const std::string& cause : causes_in(folder + "/findings", ".original.safetensors")) {
    kernels.insert(cause.substr(0, std::string_view("faulty.A1").size()));
  }
  EXPECT_EQ(kernels.size(), std::size(kFaults));
  EXPECT_FALSE(causes_in(folder + "/findings", ".case.safetensors").empty());
  EXPECT_FALSE(told.empty());
  for (const auto& entry : fs::recursive_directory_iterator(folder)) EXPECT_NE(entry.path().extension(), ".tmp");
  RecordProperty("told", static_cast<int>(told.size()));
  RecordProperty("listed", static_cast<int>(listed.size()));
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
TEST(Stack, IsRaisedWhereItMayBeAndAnErrorElsewhere) {
  const Directory directory;
  const std::vector<std::string> words{"check",  "twin.A1.*",         "--cases",    "20",
                                       "--save", directory / "found", "--executor", "host"};
  for (const rlim_t kib : {32, 64, 200}) EXPECT_EQ(run(words, {.stack = kib << 10, .soft_stack = true}).code, 0) << kib;
  const Ran too_short = run(words, {.stack = rlim_t{64} << 10});
  EXPECT_EQ(too_short.code, 3);
  EXPECT_EQ(too_short.signal, 0);
  EXPECT_THAT(too_short.err, ::testing::HasSubstr("ulimit -s"));
  // Addresses are laid out otherwise then, and workers are confined all the same.
  for (const rlim_t long_stack : {RLIM_INFINITY, rlim_t{1} << 46}) {
    const Ran ran = run(words, {.stack = long_stack, .soft_stack = true});
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
}

// Without memory the runtime under a kernel dies in every way that a kernel can: none of them is the kernel's.
TEST(LittleMemory, IsNoFinding) {
  for (const long mib : {30, 97, 400}) {
    const Directory directory;
    const Ran ran =
        run({"check", "twin.A5.*", "twin.G8.*", "twin.G11.*", "--cases", "20", "--save", directory / "found", "--json"},
            {.address_space = mib << 20});
    EXPECT_NE(ran.code, 1) << mib << " MiB: " << ran.err;
    EXPECT_EQ(ran.err.find("found  "), std::string::npos) << ran.err;
  }
}
#endif

}  // namespace
}  // namespace negzero::cli_test

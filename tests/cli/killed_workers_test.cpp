// `negzero check` whose workers and examiners are killed from outside at any instant: every case is counted once, as it
// is without kills or as an error that says so; no innocent is accused. NEGZERO_WORKER_KILLS sets how often (default
// 30), NEGZERO_WORKER_KILLS_SEED at which instants.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

constexpr const char* kKilledMark = "NEGZERO_KILLED_MARK";

/// Kills one process after the other of those that have the mark and hold or examine a kernel.
class Killer {
 public:
  /// Waits at most `pause` between two kills.
  Killer(std::string mark, std::uint64_t most, std::chrono::microseconds pause, std::uint64_t seed)
      : mark_(std::move(mark)), most_(most), pause_(pause.count()), random_(seed), thread_([this] { work(); }) {}
  ~Killer() { end(); }
  /// Returns how many it has killed.
  std::uint64_t end() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
    return killed_;
  }

 private:
  void work() {
    while (!done_ && killed_ < most_) {
      std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<long>(1, pause_)(random_)));
      const std::vector<pid_t> all = processes();
      if (all.empty()) continue;
      const std::size_t which = std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random_);
      if (::kill(all[which], SIGKILL) == 0) ++killed_;
    }
  }
  [[nodiscard]] std::vector<pid_t> processes() const {
    std::vector<pid_t> found;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
      const std::string pid = entry.path().filename();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string words = contents(entry.path() / "cmdline");
      if (words.find("--negzero-") == std::string::npos) continue;
      if (contents(entry.path() / "environ").find(mark_) == std::string::npos) continue;
      found.push_back(static_cast<pid_t>(std::stol(pid)));
    }
    return found;
  }

  std::string mark_;
  std::uint64_t most_;
  long pause_;
  std::mt19937_64 random_;
  std::atomic<bool> done_ = false;
  std::uint64_t killed_ = 0;
  std::thread thread_;
};

Ran check(const Directory& directory) {
  return run({"check", "gemm.naive.f32", "reduce.sum.tree.f32", "scatter.add.f32", "faulty.A1.*", "faulty.I2.*",
              "--executor", "host", "--cases", "300", "--jobs", "2", "--shrink-time", "0s", "--save",
              directory / "found", "--json"});
}

TEST(KilledWorkers, ChangeNothingThatIsSaid) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  const std::uint64_t wanted = number("NEGZERO_WORKER_KILLS", 30);
  std::uint64_t seed = number("NEGZERO_WORKER_KILLS_SEED", 1), killed = 0;
  int errors = 0;
  const Directory undisturbed;
  const auto begin = std::chrono::steady_clock::now();
  const nlohmann::json expected = check(undisturbed).json().at("kernels");
  // A worker that lives as long as an undisturbed one needs to begin goes on; on a busy machine that is longer.
  const auto pause = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin) / 6;
  ASSERT_EQ(expected.size(), 5u);
  const std::string mark = "negzero-" + std::to_string(::getpid()) + "-killed";
  ::setenv(kKilledMark, mark.c_str(), 1);
  while (killed < wanted) {
    const Directory directory;
    Killer killer(mark, wanted - killed, pause, seed++);
    const Ran ran = check(directory);
    killed += killer.end();
    EXPECT_EQ(ran.code, 1) << ran.err;
    const nlohmann::json document = ran.json();
    ASSERT_EQ(document.at("kernels").size(), expected.size()) << ran.err;
    std::set<std::string> named;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(document["kernels"][i].dump());
      const auto of = [&](const nlohmann::json& kernels, const char* key) { return kernels[i].at(key).get<int>(); };
      const int error = of(document["kernels"], "error");
      errors += error;
      EXPECT_EQ(of(document["kernels"], "cases"), 300);
      EXPECT_LE(of(document["kernels"], "fail"), of(expected, "fail"));
      EXPECT_LE(of(document["kernels"], "pass"), of(expected, "pass"));
      EXPECT_EQ(of(document["kernels"], "fail") + of(document["kernels"], "pass") + error,
                of(expected, "fail") + of(expected, "pass"));
      for (const nlohmann::json& finding : document["kernels"][i].at("findings")) {
        named.insert(std::filesystem::path(finding.at("original").get<std::string>()).filename());
        EXPECT_TRUE(std::ranges::any_of(expected[i].at("findings"), [&](const nlohmann::json& known) {
          return known.at("class") == finding.at("class");
        })) << finding.dump();
      }
    }
    // A failure that turned out to be another finding's has a file too.
    std::set<std::string> kinds, files;
    for (const auto& entry : std::filesystem::directory_iterator(directory / "found")) {
      EXPECT_EQ(entry.path().extension(), ".safetensors");
      const std::string file = files.insert(entry.path().filename()).first->data();
      const std::string kind = file.substr(0, file.rfind('.', file.find(".original") - 1));
      EXPECT_TRUE(kinds.insert(kind).second) << "a finding is saved once: " << file << '\n' << ran.out << ran.err;
    }
    EXPECT_TRUE(std::ranges::includes(files, named));
  }
  // Most are run again.
  EXPECT_LE(static_cast<std::uint64_t>(errors), killed / 3);
  RecordProperty("killed", std::to_string(killed));
  RecordProperty("errors", errors);
}

}  // namespace
}  // namespace negzero::cli_test

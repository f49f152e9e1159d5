// The least of all limits counts, those of outer control groups too, and dropped caches are no usage.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <negzero/run/memory_budget.hpp>

namespace negzero::run {
namespace {

constexpr std::uint64_t kMib = 1 << 20;

/// A folder that plays the root of a system.
class MemoryBudgetTest : public ::testing::Test {
 protected:
  MemoryBudgetTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "negzero-memory-XXXXXX").string();
    sources_.root = ::mkdtemp(pattern.data());
    write("/proc/meminfo", "MemTotal: 4194304 kB\nMemFree: 1 kB\nMemAvailable:    2097152 kB\n");
  }
  ~MemoryBudgetTest() override { std::filesystem::remove_all(sources_.root); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = sources_.root + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  void mount(const std::string& line) { write("/proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda rw\n" + line); }
  void group(const std::string& folder, const std::string& max, std::uint64_t current_mib, std::uint64_t cache_mib) {
    write(folder + "/memory.max", max + "\n");
    write(folder + "/memory.current", std::to_string(current_mib * kMib) + "\n");
    write(folder + "/memory.stat", "anon 1\ninactive_file " + std::to_string(cache_mib * kMib) + "\nactive_file 7\n");
  }

  MemorySources sources_;
};

TEST_F(MemoryBudgetTest, TheMachineIsALimit) {
  const MemoryBudget budget = memory_budget(sources_);
  EXPECT_EQ(budget.together_bytes, 2048 * kMib);
  EXPECT_EQ(budget.together_limit, "MemAvailable");
  EXPECT_EQ(budget.each_bytes, MemoryBudget::kUnlimited);
  EXPECT_EQ(budget.each_limit, "");
}

TEST_F(MemoryBudgetTest, NothingToReadIsNoLimit) {
  sources_.root += "/nowhere";
  EXPECT_EQ(memory_budget(sources_), MemoryBudget{});
  sources_.root = sources_.root.substr(0, sources_.root.rfind('/'));
}

TEST_F(MemoryBudgetTest, TheLimitsOfAProcessAreItsOwn) {
  sources_.address_space_bytes = 100 * kMib;
  sources_.data_bytes = 80 * kMib;
  const MemoryBudget budget = memory_budget(sources_);
  EXPECT_EQ(budget.each_bytes, 80 * kMib);
  EXPECT_EQ(budget.each_limit, "ulimit -d");
  EXPECT_EQ(budget.together_bytes, 2048 * kMib);
  EXPECT_EQ(budget.workers_that_fit(8, 64 * kMib), 8u);
}

TEST_F(MemoryBudgetTest, AGroupLimitsLessItsUsageWithoutCaches) {
  mount("30 21 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  write("/proc/self/cgroup", "0::/user/job\n");
  group("/sys/fs/cgroup/user/job", std::to_string(500 * kMib), 300, 100);
  group("/sys/fs/cgroup/user", "max", 5000, 0);
  const MemoryBudget budget = memory_budget(sources_);
  EXPECT_EQ(budget.together_bytes, 300 * kMib);
  EXPECT_EQ(budget.together_limit, "/sys/fs/cgroup/user/job/memory.max");
}

TEST_F(MemoryBudgetTest, AnOuterGroupMayBeTighter) {
  mount("30 21 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("/proc/self/cgroup", "0::/user/job\n");
  group("/sys/fs/cgroup/user/job", std::to_string(500 * kMib), 100, 0);
  group("/sys/fs/cgroup/user", std::to_string(1000 * kMib), 950, 0);
  EXPECT_EQ(memory_budget(sources_).together_bytes, 50 * kMib);
  group("/sys/fs/cgroup/user", std::to_string(1000 * kMib), 1200, 0);
  EXPECT_EQ(memory_budget(sources_).together_bytes, 0u) << "over its limit";
  write("/sys/fs/cgroup/user/memory.max", "max");
  write("/sys/fs/cgroup/user/job/memory.high", std::to_string(150 * kMib));
  EXPECT_EQ(memory_budget(sources_).together_bytes, 50 * kMib) << "throttled from there on";
}

TEST_F(MemoryBudgetTest, VersionOneCountsItsWay) {
  mount(
      "31 21 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "32 21 0:28 / /sys/fs/cgroup/memory\\040one rw - cgroup cgroup rw,memory\n");
  write("/proc/self/cgroup", "8:cpu:/wrong\n4:memory,x:/job\n0::/\n");
  const std::string folder = "/sys/fs/cgroup/memory one";
  write(folder + "/memory.limit_in_bytes", "9223372036854771712\n");
  write(folder + "/memory.usage_in_bytes", "1\n");
  write(folder + "/job/memory.limit_in_bytes", std::to_string(250 * kMib));
  write(folder + "/job/memory.usage_in_bytes", std::to_string(60 * kMib));
  write(folder + "/job/memory.stat", "inactive_file 1\ntotal_inactive_file " + std::to_string(10 * kMib) + "\n");
  const MemoryBudget budget = memory_budget(sources_);
  EXPECT_EQ(budget.together_bytes, 200 * kMib);
  EXPECT_EQ(budget.together_limit, folder + "/job/memory.limit_in_bytes");
  std::filesystem::remove_all(sources_.root + folder + "/job");
  std::filesystem::remove(sources_.root + "/proc/meminfo");
  EXPECT_EQ(memory_budget(sources_), MemoryBudget{}) << "its word for no limit";
}

// A container sees its own group at the mount point, whatever the path in /proc/self/cgroup says.
TEST_F(MemoryBudgetTest, AContainersGroupIsItsMountPoint) {
  mount("30 21 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  group("/sys/fs/cgroup", std::to_string(64 * kMib), 0, 0);
  group("/sys/fs/cgroup/inner", std::to_string(32 * kMib), 0, 0);
  for (const char* path : {"0::/docker/abc\n", "0::/docker/abcdef\n", "0::/../other\n", "0::/\n"}) {
    write("/proc/self/cgroup", path);
    EXPECT_EQ(memory_budget(sources_).together_bytes, 64 * kMib) << path;
  }
  write("/proc/self/cgroup", "0::/docker/abc/inner\n");
  EXPECT_EQ(memory_budget(sources_).together_bytes, 32 * kMib);
}

TEST_F(MemoryBudgetTest, AGroupOutsideTheMountIsNotFollowed) {
  mount("30 21 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  write("/proc/self/cgroup", "0::/../other\n");
  group("/sys/fs/cgroup", std::to_string(64 * kMib), 0, 0);
  group("/sys/fs/other", std::to_string(32 * kMib), 0, 0);
  EXPECT_EQ(memory_budget(sources_).together_bytes, 64 * kMib);
}

TEST_F(MemoryBudgetTest, AtLeastOneWorkerFits) {
  MemoryBudget budget{.together_bytes = 1000 * kMib};
  EXPECT_EQ(budget.workers_that_fit(16, 100 * kMib), 10u);
  EXPECT_EQ(budget.workers_that_fit(4, 100 * kMib), 4u);
  EXPECT_EQ(budget.workers_that_fit(4, 2000 * kMib), 1u);
  EXPECT_EQ(budget.workers_that_fit(4, 0), 4u);
  EXPECT_EQ(budget.workers_that_fit(0, 1), 1u);
  budget.together_bytes = MemoryBudget::kUnlimited;
  EXPECT_EQ(budget.workers_that_fit(16, 100 * kMib), 16u);
}

TEST_F(MemoryBudgetTest, ThisSystemHasSomeMemory) { EXPECT_GT(memory_budget().together_bytes, kMib); }

}  // namespace
}  // namespace negzero::run

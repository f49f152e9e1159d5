// Correct locks and handovers end under every schedule, and threads that wait for ever are told soon.
//
// NEGZERO_LOCK_SEEDS multiplies the number of seeds, and NEGZERO_LOCK_FIRST_SEED is the first of them: a campaign is
// this test with a large number, several at a time.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/watch/watch.hpp>

#include "lock_kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Order;
using negzero::engine::Settings;
using negzero::watch::Permission;
using negzero::watch::Watch;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Seeds {
  std::uint64_t first, end;
};
Seeds seeds(std::uint64_t count) {
  const std::uint64_t first = number_of("NEGZERO_LOCK_FIRST_SEED", 0);
  return {first, first + count * number_of("NEGZERO_LOCK_SEEDS", 1)};
}

/// The memory of one launch, plain or watched.
class Memory {
 public:
  Memory(unsigned blocks, unsigned threads)
      : sync_(LockArgs::kSync + std::size_t{blocks} * threads * LockArgs::kEach), data_(LockArgs::kData) {}
  /// Runs a kernel and returns the report, with data() as it was left.
  negzero::engine::LaunchReport run(const char* name, unsigned blocks, unsigned threads, unsigned rounds,
                                    Settings settings, bool watched) {
    const LockArgs args{sync_.data(), data_.data(), rounds};
    if (watched) {
      watch_.clear();
      watch_.add({sync_.data(), 4 * sync_.size(), 4, "sync"}, Permission::ReadWrite, true);
      watch_.add({data_.data(), 4 * data_.size(), 4, "data"}, Permission::ReadWrite, true);
      settings.observer = &watch_.observer();
    }
    Stream stream(settings);
    const auto run = watched ? watched::run_waiting_kernel : host::run_waiting_kernel;
    EXPECT_TRUE(run(name, stream, blocks, threads, args)) << name;
    return stream.report();
  }
  [[nodiscard]] const std::vector<unsigned>& data() const noexcept { return data_; }

 private:
  std::vector<unsigned> sync_, data_;
  Watch watch_;
};

std::string text_of(const char* name, unsigned blocks, unsigned threads, unsigned rounds, const Settings& settings,
                    bool watched) {
  return std::string(name) + " blocks " + std::to_string(blocks) + " threads " + std::to_string(threads) + " rounds " +
         std::to_string(rounds) + " order " + std::to_string(static_cast<int>(settings.schedule.order)) + " preempt " +
         std::to_string(settings.schedule.preempt) + " seed " + std::to_string(settings.schedule.seed) + " resident " +
         std::to_string(settings.resident_blocks) + (watched ? " watched" : "");
}

/// Runs a correct kernel; false where it did not come to its end, or not to the right one.
bool expect_right(const LockKernel& kernel, unsigned blocks, unsigned threads, unsigned rounds,
                  const Settings& settings, bool watched) {
  Memory memory(blocks, threads);
  const auto report = memory.run(kernel.name, blocks, threads, rounds, settings, watched);
  const std::string text = text_of(kernel.name, blocks, threads, rounds, settings, watched);
  const unsigned units = kernel.units(blocks, threads);
  const bool right = report.status == LaunchStatus::Ok && memory.data()[0] == units * rounds && memory.data()[1] == 0;
  EXPECT_EQ(report.status, LaunchStatus::Ok) << text << ": " << report.message;
  if (report.status == LaunchStatus::Ok) {
    EXPECT_EQ(memory.data()[0], units * rounds) << text;
    EXPECT_EQ(memory.data()[1], 0u) << text;
  }
  return right;
}

Settings settings_of(negzero::base::Random& random) {
  Settings settings;
  settings.schedule = {static_cast<Order>(random.below(3)), random.next(), random.one_in(2)};
  settings.resident_blocks = random.one_in(4) ? 1u : 1u << random.below(6);
  // As campaigns have them.
  settings.event_budget = std::uint64_t{1} << 22;
  settings.idle_budget = std::uint64_t{1} << 16;
  return settings;
}

class CorrectLock : public testing::TestWithParam<LockKernel> {};

TEST_P(CorrectLock, EndsUnderEverySchedule) {
  const LockKernel& kernel = GetParam();
  for (auto [seed, end] = seeds(60); seed < end; ++seed) {
    negzero::base::Random random(seed);
    Settings settings = settings_of(random);
    unsigned threads = 1 + static_cast<unsigned>(random.below(std::uint64_t{1} << random.below(8)));
    threads = (threads + kernel.multiple - 1) / kernel.multiple * kernel.multiple;
    const unsigned blocks = 1 + static_cast<unsigned>(random.below(
                                    std::max<std::uint64_t>(1, (std::uint64_t{1} << random.below(9)) / threads)));
    const auto rounds = 1 + static_cast<unsigned>(random.below(3));
    const bool watched = random.one_in(3);
    if (!expect_right(kernel, blocks, threads, rounds, settings, watched)) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Locks, CorrectLock, testing::ValuesIn(kLockKernels),
                         [](const auto& row) { return std::string(row.param.name); });

/// As found in a campaign: two threads, forward with preemption.
TEST(Lock, OfTwoThreadsIsNeverAHang) {
  for (auto [seed, end] = seeds(2000); seed < end; ++seed) {
    Settings settings;
    settings.schedule = {Order::Forward, seed, true};
    settings.idle_budget = 1 << 16;
    ASSERT_TRUE(expect_right(kLockKernels[0], 1, 2, 1, settings, seed % 2 == 1));
  }
}

struct Large {
  const char* name;
  unsigned blocks, threads, rounds;
};

class LargeGrid : public testing::TestWithParam<Large> {};

/// Where all threads wait for one, it has its turn among all of them.
TEST_P(LargeGrid, EndsUnderEverySchedule) {
  const Large& large = GetParam();
  for (const LockKernel& kernel : kLockKernels) {
    if (std::string(kernel.name) != large.name) continue;
    for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
      for (const bool preempt : {false, true}) {
        Settings settings;
        settings.schedule = {order, 5, preempt};
        settings.idle_budget = 1 << 16;
        expect_right(kernel, large.blocks, large.threads, large.rounds, settings, false);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Locks, LargeGrid,
                         testing::Values(Large{"test_and_set", 4, 1024, 1}, Large{"ticket", 1, 1024, 1},
                                         Large{"mcs", 1, 1024, 1}, Large{"semaphore", 4, 1024, 1},
                                         Large{"semaphore_backoff", 1, 256, 1}, Large{"ticket_backoff", 1, 1024, 1},
                                         Large{"read_write_lock", 4, 1024, 1}, Large{"sleep_inside", 1, 1024, 1},
                                         Large{"bounded_queue", 2, 1024, 1}, Large{"warp_tries_together", 2, 1024, 2},
                                         Large{"block_lock", 500, 128, 1}, Large{"grid_barrier", 69, 1024, 1},
                                         Large{"grid_barrier", 4000, 17, 1}, Large{"thread_barrier", 17, 1024, 1},
                                         Large{"chain_of_threads_down", 2000, 1, 1},
                                         Large{"chain_of_threads_up", 1, 1024, 1},
                                         Large{"look_back_by_index", 20000, 32, 1}, Large{"look_back", 40000, 1, 1},
                                         Large{"look_back_by_warp", 5000, 64, 1},
                                         Large{"chain_at_barriers_up", 2000, 32, 1},
                                         Large{"chain_at_barriers_down", 300, 64, 1}, Large{"stream_k", 20000, 32, 1}),
                         [](const auto& row) {
                           return std::string(row.param.name) + "_" + std::to_string(row.param.blocks) + "_" +
                                  std::to_string(row.param.threads);
                         });

/// One interleaving for each seed, whatever ran before.
TEST(Lock, RunsTheSameForEqualSeeds) {
  for (const LockKernel& kernel : kLockKernels) {
    for (const bool watched : {false, true}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        Settings settings;
        settings.schedule = {seed < 2 ? Order::Random : Order::Forward, seed, seed % 2 != 0};
        settings.resident_blocks = 3;
        const auto switches = [&] { return Memory(5, 64).run(kernel.name, 5, 64, 2, settings, watched).switches; };
        const std::uint64_t first = switches();
        Memory(3, 32).run("ticket", 3, 32, 2, settings, watched);
        EXPECT_EQ(switches(), first) << kernel.name << " seed " << seed << (watched ? " watched" : "");
      }
    }
  }
}

class Deadlock : public testing::TestWithParam<const char*> {};

TEST_P(Deadlock, IsToldUnderEverySchedule) {
  const std::string name = GetParam();
  const std::pair<unsigned, unsigned> shapes[] = {{2, 1}, {2, 32}, {3, 65}, {1, 1024}, {20, 64}};
  for (const auto& [blocks, threads] : shapes) {
    if (threads % 32 != 0 && name == "at_warp_operations") continue;
    if (blocks == 1 && name == "absent_block") continue;
    for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
      for (const bool preempt : {false, true}) {
        for (const bool watched : {false, true}) {
          if (watched && blocks * threads > 64) continue;
          Settings settings;
          settings.schedule = {order, 9, preempt};
          settings.idle_budget = 1 << 16;
          const auto report = Memory(blocks, threads).run(GetParam(), blocks, threads, 1, settings, watched);
          EXPECT_EQ(report.status, LaunchStatus::Hang)
              << text_of(GetParam(), blocks, threads, 1, settings, watched) << ": " << report.message;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Locks, Deadlock,
                         testing::Values("never_released", "taken_twice", "circular", "flag", "sleeping",
                                         "volatile_flag", "at_barriers", "at_warp_operations", "absent_block"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace negzero_tests

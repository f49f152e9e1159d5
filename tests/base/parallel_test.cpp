// Every turn of a shared loop comes once, on as many threads as there may be.

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/parallel.hpp>

namespace negzero::base {
namespace {

TEST(Parallel, EachTurnComesOnce) {
  for (const std::size_t threads : {0u, 1u, 2u, 7u}) {
    for (const std::size_t count : {0u, 1u, 5u, 1000u}) {
      std::vector<std::atomic<int>> turns(count);
      parallel_for(threads, count, [&](std::size_t i) { ++turns[i]; });
      for (const auto& times : turns) EXPECT_EQ(times, 1) << threads << " threads, " << count << " turns";
    }
  }
}

TEST(Parallel, TurnsShareTheThreads) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> waiting{0};
  parallel_for(3, 3, [&](std::size_t) {
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    for (++waiting; waiting < 3;) std::this_thread::yield();
  });
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen.count(std::this_thread::get_id()), 1u);
}

TEST(Parallel, OneThreadIsTheCallersOwn) {
  parallel_for(1, 4, [here = std::this_thread::get_id()](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), here); });
}

}  // namespace
}  // namespace negzero::base
